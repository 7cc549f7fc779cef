"""Every figure of the papers' tables beside ours, cell by cell, and how far a table is from the paper's.

``columns.json`` says which columns of a table of results are theirs and ours (``pairs``), or hold both as
``theirs / ours`` (``slashed``); ``points``: figures are parts of a whole, compared by points of a hundred.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import median
from typing import Any

from finalist.papers import ledger
from finalist.papers.ledger import Claim, Verdict
from finalist.papers.results import Results, Table, numbers, results

FILE = files("finalist.papers") / "columns.json"
#: Where a cell stands: the table's title, the row's number, the column's.
Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of the paper's, and ours. ``row``: its first cells; ``column``: what ours is called."""

    table: str
    row: str
    column: str
    theirs: float
    ours: float
    place: Place

    @property
    def times(self) -> float:
        """Ours by theirs."""
        return self.ours / self.theirs


@dataclass(frozen=True, slots=True)
class Compared:
    """A table's cells. ``points``: whether they are compared by differences, not by quotients."""

    table: Table
    cells: tuple[Cell, ...]
    points: bool

    @property
    def errors(self) -> list[float]:
        """How far each cell is off: as a fraction of theirs, or in points."""
        if self.points:
            return [abs(cell.ours - cell.theirs) for cell in self.cells]
        return [abs(cell.times - 1) for cell in self.cells if cell.theirs]

    @property
    def error(self) -> str:
        """The median and the greatest error in words; empty where nothing is compared."""
        if not self.errors:
            return ""
        middle, most = median(self.errors), max(self.errors)
        if self.points:
            return f"{middle:.1f} points at the median, {most:.0f} at most"
        return f"{100 * middle:.1f} % at the median, {100 * most:.0f} % at most"


@cache
def compared(name: str) -> tuple[Compared, ...]:
    """The tables of a paper's results; one without figures of the paper has no cells. Raises ResultError."""
    columns = json.loads(FILE.read_text("utf-8"))[name]
    found = results(name)
    told = {found.table(title).title: how for title, how in columns.items()}
    return tuple(_compared(table, told.get(table.title, {})) for table in found.tables)


def verdicts(name: str) -> dict[Place, list[tuple[Claim, Verdict]]]:
    """The claims of a paper that are about a cell of its results, by the cell's place."""
    found, places = results(name), dict[Place, list[tuple[Claim, Verdict]]]()
    for claim in ledger.claims(name):
        verdict = ledger.judged(claim)
        for place in dict.fromkeys(_named(claim.test.get("ours"), found)):
            places.setdefault(place, []).append((claim, verdict))
    return places


def _named(what: Any, found: Results) -> Iterator[Place]:
    """The places of the cells that a test names."""
    if isinstance(what, str):
        title, row, column = what.split("|")[:3]
        table = found.table(title)
        yield table.title, table.rows.index(table.row(row)), table.column(column)
    elif isinstance(what, list):
        for one in what:
            yield from _named(one, found)


def _compared(table: Table, how: Mapping[str, Any]) -> Compared:
    return Compared(table, tuple(_cells(table, how)), bool(how.get("points")))


def _cells(table: Table, how: Mapping[str, Any]) -> Iterator[Cell]:
    pairs = [(table.column(theirs), table.column(ours)) for theirs, ours in how.get("pairs", ())]
    slashed = [table.column(name) for name in how.get("slashed", ())]
    for number, row in enumerate(table.rows):
        both = [(row[theirs], row[ours], ours) for theirs, ours in pairs]
        both += [(*_halves(row[column]), column) for column in slashed]
        for theirs, ours, column in both:
            values = numbers(theirs), numbers(ours)
            if all(values):
                place, name = (table.title, number, column), table.header[column]
                yield Cell(table.title, _head(row), name, values[0][0], values[1][0], place)


def _halves(text: str) -> tuple[str, str]:
    """Theirs and ours of a cell that has both."""
    theirs, _, ours = text.partition(" / ")
    return theirs, ours


def _head(row: tuple[str, ...]) -> str:
    """What a row is of: its first cells, up to the first that is a figure."""
    count = 1 + (len(row) > 2 and not row[1][:1].isdigit() and row[1][:1] not in "-+")
    return " ".join(row[:count])
