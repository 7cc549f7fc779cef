"""Make the figures that come with Finalist of what sweeps have found: ``python -m tools.publish FILE...``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import finalist
from finalist.ciphers.catalogue import cipher_names
from finalist.measure import store
from finalist.measure.figure import Figure

TARGET = Path(finalist.__file__).parent / "measure" / "data" / "published.jsonl"


def latest(rows: Iterable[Figure]) -> list[Figure]:
    """Of each figure of a built-in cipher the last that was taken, in an order that stays."""
    found: dict[tuple[object, ...], Figure] = {}
    names = cipher_names()
    for row in rows:
        what = (row.name, row.machine, row.processor, row.operation, row.key_bits, row.asked)
        if row.name in names:
            found[(*what, row.quantity, row.unit)] = row
    return [found[key] for key in sorted(found, key=str)]


def main(paths: Sequence[str]) -> None:
    """Write the figures of these results files, and those that were published before and are not in them."""
    rows = [*store.published(), *(row for path in paths for row in store.read(Path(path)).rows)]
    lines = (json.dumps(store.record(row), ensure_ascii=False) + "\n" for row in latest(rows))
    TARGET.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
