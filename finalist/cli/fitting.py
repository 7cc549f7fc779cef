"""Tables that fit a terminal: text is wrapped between words, numbers never; what is left goes below.

Where the columns do not fit side by side even so, a table becomes several, one below the other, each with
the columns that say what a row is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.table import Column, Table
from rich.text import Text

#: Columns of space between two columns, and at both ends of a table.
_BETWEEN, _ENDS = 2, 2
#: The longest word that widens a column of text; a longer one, as a path, is broken.
_LONGEST = 28
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class _Measured:
    """A column of a table, and how wide it wants to be and has to be."""

    column: Column
    natural: int
    least: int

    @classmethod
    def of(cls, column: Column) -> _Measured:
        head, cells = _lines([column.header]), _lines(column.cells)
        if column.justify == "right":
            least = max([*map(len, cells), *map(len, _words(head)), 1])
        else:
            least = min(_LONGEST, max([*map(len, _words([*head, *cells])), 1]))
        natural = max([*map(len, head), *map(len, cells), least])
        return cls(column, max(least, min(natural, column.max_width or natural)), least)

    @property
    def names(self) -> bool:
        """Whether it has names among the numbers, of what the columns after it are about."""
        return not any(letter.isdigit() for cell in self.column.cells for letter in str(cell))


def fitted(table: Table, width: int) -> Iterator[Table]:
    """The table, or where so many columns are too few for it, the tables that it becomes."""
    columns = [_Measured.of(column) for column in table.columns]
    if _total([one.natural for one in columns]) <= width:
        yield table
        return
    for group in _groups(columns, width):
        yield _made(table, group, _widths(group, width))


def _groups(columns: Sequence[_Measured], width: int) -> Iterator[list[_Measured]]:
    """The columns by the tables that they go to, each with those that say what a row is about."""
    labels = [one for one in columns if one.column.justify != "right"]
    following = next((n for n, one in enumerate(columns) if one.column.justify == "right"), 1)
    labels = labels[: max(1, following)]
    group, begun = list(labels), False
    for one in columns[len(labels) :]:
        if begun and _total([other.least for other in (*group, one)]) > width:
            yield group
            group = [*labels, *(other for other in group[len(labels) :] if other.names)]
        group.append(one)
        begun = True
    yield group


def _widths(group: Sequence[_Measured], width: int) -> list[int]:
    """How wide each column becomes: what is left of the room goes to the one that lacks most."""
    widths = [one.least for one in group]
    over = _total(widths) - width
    if over > 0:  # a single column of long words beside those that say what a row is about
        widths[-1] = max(_NARROWEST, widths[-1] - over)
    for _ in range(width - _total(widths)):
        lacking = [one.natural - own for one, own in zip(group, widths, strict=True)]
        if max(lacking) <= 0:
            break
        widths[lacking.index(max(lacking))] += 1
    return widths


def _made(table: Table, group: Sequence[_Measured], widths: Sequence[int]) -> Table:
    made = Table(box=table.box, pad_edge=False, collapse_padding=True, leading=table.leading)
    for one, width in zip(group, widths, strict=True):
        made.add_column(one.column.header, justify=one.column.justify, width=width, overflow="fold")
    for cells in zip(*(one.column.cells for one in group), strict=True):
        made.add_row(*cells)
    return made


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _BETWEEN * (len(widths) - 1) + _ENDS


def _lines(cells: Iterable[RenderableType]) -> list[str]:
    plain = (cell.plain if isinstance(cell, Text) else str(cell) for cell in cells)
    return [line for cell in plain for line in cell.split("\n")]


def _words(lines: Sequence[str]) -> list[str]:
    return [word for line in lines for word in line.split()]
