"""The sheets of a library beside what Finalist runs."""

from __future__ import annotations

from finalist.export.figures.compared import CELLS, FILE, LATENCY, LIBRARY, RUN, Cell
from finalist.export.figures.processes import Figure
from finalist.report.exported import sheets
from finalist.report.sheets import MARK


def figures(cell: Cell, run: float, file: float, library: float) -> list[Figure]:
    unit = "per byte" if cell.data_bytes else "per block"
    told = ((RUN, "blocks=1", run), (FILE, "blocks=1", file), (LIBRARY, "avx2: blocks=2", library))
    return [
        Figure(cell, name, about, ticks, 2 * ticks, unit, "rdtsc", 0.5, ticks / run if run else None)
        for name, about, ticks in told
    ]


FOUND = {("serpent", 128): [*figures(CELLS[0], 1.0, 1.02, 1.10), *figures(Cell(LATENCY), 500, 400, 510)]}


def test_each_cell_has_cycles_and_how_many_times_ours_that_is() -> None:
    library, file, _ = sheets(FOUND)
    assert library.header[2] == "ECB, 16 KiB" and library.rows[0][:3] == (
        "serpent",
        "128",
        f"{MARK}2.20 (1.10)",
    )
    assert "1,020 (1.02)" in library.rows[0] and library.rows[0].count("-") == len(CELLS) - 2
    assert file.rows[0][2] == "2.04 (1.02)" and "800 (0.80)" in file.rows[0]


def test_the_clock_and_the_programs_are_named() -> None:
    library, _, programs = sheets(FOUND)
    assert "Clock: rdtsc, 0.500 ticks a core cycle" in library.note
    assert ("serpent", LIBRARY, "blocks=2", "ECB, 16 KiB, chained block") in programs.rows
    assert ("serpent", RUN, "blocks=1", "ECB, 16 KiB, chained block") in programs.rows


def test_where_the_clock_can_not_tell_there_is_no_ratio() -> None:
    library, *_ = sheets({("toy", 128): figures(CELLS[0], 0.0, 0.0, 1.5)})
    assert library.rows[0][2] == "3.00"
