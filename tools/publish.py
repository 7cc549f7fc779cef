"""Make the figures that come with Finalist of what sweeps have found: ``python -m tools.publish FILE...``.

`finalist sweep --machine ... --file FILE` took them; docs/report.md has the commands.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import finalist
from finalist.ciphers.catalogue import cipher_names
from finalist.measure import store
from finalist.measure.figure import Figure

TARGET = Path(finalist.__file__).parent / "measure" / "data" / "published.jsonl"


def published(before: Iterable[Figure], found: Iterable[Figure]) -> list[Figure]:
    """The figures of built-in ciphers to publish, in an order that stays.

    Of what was published ``before`` there remains what is not ``found`` again: where anything of a cipher's
    operation on a machine is, none of its older figures. Of the same figure found twice the last.
    """
    names, new = cipher_names(), list(found)
    again = {_subject(row) for row in new}
    rows = [*(row for row in before if _subject(row) not in again), *new]
    kept = {(*_subject(row), row.asked, row.quantity, row.unit): row for row in rows if row.name in names}
    return [replace(kept[key], point="") for key in sorted(kept)]


def _subject(row: Figure) -> tuple[str, str, str, str, int]:
    return row.name, row.machine, row.processor, row.operation, row.key_bits


def main(paths: Sequence[str]) -> None:
    """Write the figures of these results files, and those that were published before and are not in them."""
    found = [row for path in paths for row in store.read(Path(path)).rows]
    rows = published(store.published(), found)
    lines = (json.dumps(store.record(row), ensure_ascii=False) + "\n" for row in rows)
    TARGET.write_text("".join(lines), "utf-8")
    print(f"{TARGET}: {len(rows)} figures")


if __name__ == "__main__":
    main(sys.argv[1:])
