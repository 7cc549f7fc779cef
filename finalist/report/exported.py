"""The sheets of `finalist bench --exported`: a library and compiled files beside what Finalist runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from finalist.export.figures.compared import CELLS, FILE, LIBRARY, Cell
from finalist.export.figures.processes import Figure
from finalist.report.sheets import MARK, Row, Sheet

#: Times as long as the programs that Finalist runs, up to which others are as quick.
EQUAL = 1.03
_NOTE = (
    "Core cycles, a byte or a call, and in brackets how many times as long as what `finalist.new` runs for"
    " such messages, measured alternately with it"
)
_TITLES = {
    LIBRARY: ("The library", "through its own header, built by its own Makefile"),
    FILE: ("Compiled files", "of `finalist emit`, with `-O2 -march=native` and nothing else"),
}
#: All figures of one cipher under keys of one length.
Taken = Mapping[tuple[str, int], Sequence[Figure]]


def sheets(found: Taken) -> Iterator[Sheet]:
    """The library's figures, then the files', then which programs these are."""
    first = next(iter(found.values()))[0]
    clock = f"Clock: {first.clock}, {first.ticks_per_cycle:.3f} ticks a core cycle"
    for name, (title, what) in _TITLES.items():
        rows = tuple(_row(cipher, bits, own, name) for (cipher, bits), own in found.items())
        header = ("cipher", "key", *map(_heading, CELLS))
        yield Sheet(title, header, rows, len(header) - 1, f"{_NOTE}: {what}. {clock}.")
    yield _programs(found)


def _heading(cell: Cell) -> str:
    return f"{cell.quantity}, {cell.data_bytes >> 10} KiB" if cell.data_bytes else cell.quantity


def _row(cipher: str, bits: int, found: Sequence[Figure], name: str) -> Row:
    return cipher, str(bits), *(_cell([one for one in found if one.cell == cell], name) for cell in CELLS)


def _cell(found: Sequence[Figure], name: str) -> str:
    by_name = {one.name: one for one in found}
    if name not in by_name:
        return "-"
    own = by_name[name]
    cycles = f"{own.core_cycles:.2f}" if own.cell.data_bytes else f"{own.core_cycles:,.0f}"
    if own.times_run is None:
        return cycles
    return f"{MARK if own.times_run > EQUAL else ''}{cycles} ({own.times_run:.2f})"


def _programs(found: Taken) -> Sheet:
    """Which programs were measured: what Finalist runs in each cell, and what the library says of its own."""
    rows: dict[Row, list[str]] = {}
    for (cipher, _), figures in found.items():
        for one in figures:
            if one.name != FILE:
                about = one.about.partition(": ")[2] if one.name == LIBRARY else one.about
                rows.setdefault((cipher, one.name, about), []).append(_heading(one.cell))
    told = tuple((*key, ", ".join(cells)) for key, cells in rows.items())
    return Sheet("Programs", ("cipher", "of", "schedule", "in"), told, 0)
