"""What was last found of each paper: the cells of its page's tables, as data.

A cell is named by table, row and column, ``Table II: ...|rc6|ours``; a table by as much of its title as tells
it apart, a row by its first cells, joined by spaces. Where columns have one name, ``ours#2`` is the second.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from finalist.errors import FinalistError
from finalist.papers.load import paper

FOLDER = files("finalist.papers") / "results"
#: A number in a cell, however it is written: 1538, 2.26, -19.5 %, 47,380.
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")


class ResultError(FinalistError):
    """A cell that there is not, or that holds no such number."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of results."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def row(self, name: str) -> tuple[str, ...]:
        """The row whose first cells are these. Raises ResultError."""
        for row in self.rows:
            if any(" ".join(row[:count]) == name for count in (1, 2, 3)):
                return row
        raise ResultError(f"{self.title!r} has no row {name!r}")

    def column(self, name: str) -> int:
        """The place of a column. Raises ResultError."""
        plain, _, number = name.partition("#")
        places = [k for k, one in enumerate(self.header) if one == plain]
        which = int(number or 1) - 1
        if not 0 <= which < len(places):
            raise ResultError(f"{self.title!r} has no column {name!r}; accepted: {', '.join(self.header)}")
        return places[which]


@dataclass(frozen=True)
class Results:
    """The tables of a paper."""

    tables: tuple[Table, ...]

    def table(self, name: str) -> Table:
        """The first table whose title begins so. Raises ResultError."""
        for one in self.tables:
            if one.title.startswith(name):
                return one
        raise ResultError(f"there is no table {name!r}")

    def text(self, cell: str) -> str:
        """A cell as it is written. Raises ResultError."""
        name, row, column = cell.split("|")[:3]
        table = self.table(name)
        return table.row(row)[table.column(column)]

    def number(self, cell: str) -> float:
        """The number in a cell; with a fourth part, that one of several. Raises ResultError."""
        parts = cell.split("|")
        found = numbers(self.text(cell))
        which = int(parts[3]) - 1 if len(parts) > 3 else 0
        if not 0 <= which < len(found):
            raise ResultError(f"{cell}: no such number in {self.text(cell)!r}")
        return found[which]


def numbers(text: str) -> list[float]:
    """The numbers in a cell."""
    return [float(one.replace(",", "")) for one in _NUMBER.findall(text)]


@cache
def results(name: str) -> Results:
    """What was last found of a paper. Raises UnknownNameError; ResultError where nothing was kept."""
    paper(name)
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        raise ResultError(f"nothing has been kept of the paper {name}")
    found = json.loads(path.read_text("utf-8"))
    return Results(tuple(Table(t["title"], tuple(t["header"]), tuple(map(tuple, t["rows"]))) for t in found))
