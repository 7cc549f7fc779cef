"""A cipher's counts beside those that papers have published."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from finalist.language.definition import OPERATIONS
from finalist.papers.load import notes_on, paper
from finalist.report.counts import Counts, TableUse
from finalist.report.kinds import Kind
from finalist.report.markdown import Cell, table
from finalist.report.path import critical_path
from finalist.report.profile import COMPILED, WRITTEN, Profile, lowered
from finalist.vectors.load import published_name

TIMES = "\N{MULTIPLICATION SIGN}"


def sections(found: Profile) -> Iterator[str]:
    """A section of Markdown for each paper that has figures of the cipher."""
    for (name, part), lay in _PAPERS.items():
        beside = lay(found)
        if beside is not None:
            about = notes_on(name)[part]
            note = about["notes"].get(published_name(found.cipher))
            parts = (f"### {about['title']}\n", f"{paper(name)['paper']}.\n", about["counts"] + "\n", beside)
            yield "\n".join((*parts, note + "\n") if note else parts)


def _of(rows: dict[str, Any], names: dict[str, list[str]], found: Profile) -> Any:
    """A paper's row for the cipher, which may go by another name there."""
    wanted = published_name(found.cipher)
    return next((row for name, row in rows.items() if wanted in names.get(name, [name])), None)


# -- lookups (ptlu) ----------------------------------------------------------------------------------


def lookup_tables(found: Profile) -> str | None:
    """Tables and lookups of the compiled form beside the paper's."""
    row = _of(paper("ptlu")["lookup_tables"], notes_on("ptlu")["lookup_tables"]["names"], found)
    if row is None:
        return None
    tables = f"{row['tables']} {TIMES} {row['entries']} {TIMES} {row['entry_bits']} bits"
    if "reads" in row:
        counts = found.form(COMPILED).counts
        cells = [["paper", tables, row["reads"], row["writes"]]]
        cells.append(["Finalist", "an array", counts.of(Kind.READ), counts.of(Kind.WRITE)])
        return table(["", "tables", "reads", "writes"], cells, numbers=2)
    return table(["", "tables", "lookups a block"], _lookup_rows(found, row, tables), numbers=1)


def _lookup_rows(found: Profile, row: dict[str, Any], tables: str) -> Iterator[list[Cell]]:
    lookups = row["lookups_per_block"]
    by_key = lookups if isinstance(lookups, dict) else {str(found.key_bits): lookups}
    for bits, theirs in by_key.items():
        known = int(bits) == found.key_bits
        form = found.form(COMPILED) if known else lowered(found.cipher, OPERATIONS[0], int(bits))
        key = f", {bits}-bit keys" if len(by_key) > 1 else ""
        yield [f"paper{key}", tables, theirs]
        yield [f"Finalist{key}", shapes(form.counts.tables), form.counts.lookups]


def shapes(tables: Iterable[TableUse]) -> str:
    """Tables of one shape together: ``4 x 256 x 32 bits, 1 x 256 x 8 bits``."""
    found: dict[tuple[int, int], int] = {}
    for one in tables:
        found[one.entries, one.width] = found.get((one.entries, one.width), 0) + 1
    return ", ".join(f"{n} {TIMES} {entries} {TIMES} {width} bits" for (entries, width), n in found.items())


# -- core operations (fpga) --------------------------------------------------------------------------


def core_operations(found: Profile) -> str | None:
    """Which operations of the paper's list the cipher has; how many in the definition."""
    notes = notes_on("fpga")["core_operations"]
    theirs = _of(paper("fpga")["core_operations"], notes["names"], found)
    if theirs is None:
        return None
    counts = found.form(WRITTEN).counts
    rows: list[list[Cell]] = []
    for name, one in notes["operations"].items():
        ours = _of_bits(counts, [Kind[kind] for kind in one["kinds"]], one.get("bits"))
        rows.append([one["label"], "yes" if name in theirs else "", ours or ""])
    return table(["operation", "paper", "Finalist"], rows)


def _of_bits(counts: Counts, kinds: Iterable[Kind], bits: int | None) -> int:
    wanted = set(kinds)
    return sum(
        n for (kind, width), n in counts.operations.items() if kind in wanted and bits in (None, width)
    )


# -- critical paths (dsp) ----------------------------------------------------------------------------


def critical_paths(found: Profile) -> str | None:
    """Clapp's critical paths beside the compiled form's, in operations and under latencies."""
    notes = notes_on("dsp")["critical_path"]
    row = _of(paper("dsp")["critical_path_cycles_clapp"], notes["names"], found)
    if row is None or found.key_bits != paper("dsp")["key_bits"]:
        return None
    theirs = row if isinstance(row, dict) else dict.fromkeys(OPERATIONS, row)
    kernels = [found.form(COMPILED, operation) for operation in OPERATIONS]
    latency = {Kind[name]: cycles for name, cycles in notes["latency"].items()}
    delayed = partial(critical_path, latency=latency, trees=True)
    rows: list[list[Cell]] = [
        ["Clapp, cycles", *(theirs[operation] for operation in OPERATIONS)],
        ["Finalist, operations", *(form.path for form in kernels)],
        [f"Finalist, {notes['latency_in_words']}", *(delayed(form.kernel) for form in kernels)],
    ]
    return table(["", "encryption", "decryption"], rows)


#: For each paper, and the part of our notes on it, what lays a cipher's figures beside it.
_PAPERS: dict[tuple[str, str], Callable[[Profile], str | None]] = {
    ("ptlu", "lookup_tables"): lookup_tables,
    ("fpga", "core_operations"): core_operations,
    ("dsp", "critical_path"): critical_paths,
}
