"""The table of `finalist bench`, whole or a row at a time: as soon as a cipher's figures are taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from rich.console import RenderableType
from rich.table import Table

from finalist.cli.tables import marked, own_note, plain
from finalist.machines.base import MODES

if TYPE_CHECKING:
    from finalist.measure.results import Row

_Figures: TypeAlias = "dict[tuple[str, str], Row]"

#: Heading, quantity, what is shown of its row, decimals: of encryption, or of decryption where only that is.
_ONE: tuple[tuple[str, str, str, int], ...] = (
    ("key\nset-up\ncycles", "key set-up", "core_cycles", 0),
    ("latency\ncycles\n/block", "latency", "core_cycles", 0),
)
#: Heading, what is shown, decimals: a line for each mode, with encryption's and decryption's number.
_BOTH: tuple[tuple[str, str, int], ...] = (
    ("cycles/byte\nencr. decr.", "core_cycles", 2),
    ("ticks/byte\nencr. decr.", "ticks", 2),
    ("Mbit/s\nencr. decr.", "mbit_per_s", 0),
)
#: Quantities that are of a mode, and its name.
_MODES = {"bulk" if mode == MODES[0] else mode: mode for mode in MODES}


#: Characters of the columns after the first, so that rows shown one after the other stand below one another.
_WIDTHS = (4, 7, 7, 4, 11, 11, 13)


def whole(rows: Sequence[Row]) -> Iterator[RenderableType]:
    """The conditions; the figures, a row for each cipher and key length; the schedules that they are of."""
    yield from conditions(rows)
    table = _table()
    _add(table, rows)
    yield table
    yield from end(rows)


def conditions(rows: Sequence[Row]) -> Iterator[RenderableType]:
    """What all figures have in common: processor, compiler, clock, version."""
    first = rows[0]
    yield f"{first.machine}: {first.processor}"
    yield f"{first.compiler} {first.flags}"
    per_cycle = min(row.ticks_per_cycle for row in rows)
    yield f"clock {first.clock}, {per_cycle:.3f} ticks a core cycle"
    yield f"Finalist {first.commit}, {first.date}"


def begin(rows: Sequence[Row], names: Iterable[str]) -> Iterator[RenderableType]:
    """The conditions, the table's head and the row of these figures; ``names`` of all that will come."""
    yield from conditions(rows)
    yield ""
    table = _table(names)
    table.show_edge = False
    _add(table, rows)
    yield table


def more(rows: Sequence[Row], names: Iterable[str]) -> Iterator[RenderableType]:
    """The row of these figures, to stand below what `begin` gave."""
    table = _table(names)
    table.show_header, table.show_edge = False, False
    _add(table, rows)
    yield table


def end(rows: Sequence[Row]) -> Iterator[RenderableType]:
    """Which figures are of programs held to a user's own vectors; the schedules."""
    yield from own_note(row.vectors for row in rows)
    yield _schedules(rows)


def _table(names: Iterable[str] = ()) -> Table:
    """With ``names`` each column has the width that it has whatever the numbers."""
    one, both = ([column[0] for column in columns] for columns in (_ONE, _BOTH))
    table = plain(["cipher"], ["key\nbits", *one, "mode", *both])
    if longest := max(map(len, names), default=0):
        for column, width in zip(table.columns, (max(longest + 1, len("cipher")), *_WIDTHS), strict=True):
            column.width = width
    return table


def width(names: Iterable[str]) -> int:
    """Columns that rows need that are shown one after the other."""
    return sum((column.width or 0) + 2 for column in _table(names).columns)


def _add(table: Table, rows: Sequence[Row]) -> None:
    for which in dict.fromkeys((row.cipher, row.definition, row.key_bits) for row in rows):
        own = [row for row in rows if (row.cipher, row.definition, row.key_bits) == which]
        name = marked(own[0].cipher, own[0].vectors)
        table.add_row(name, str(own[0].key_bits), *_numbers({(r.quantity, r.operation): r for r in own}))


def _numbers(own: _Figures) -> Iterator[str]:
    for _, quantity, what, digits in _ONE:
        row = own.get((quantity, "encrypt")) or own.get((quantity, "decrypt"))
        yield _number(row, what, digits)
    modes = [quantity for quantity in _MODES if any(have == quantity for have, _ in own)]
    yield "\n".join(_MODES[quantity] for quantity in modes)
    for _, what, digits in _BOTH:
        yield "\n".join(_pair(own, quantity, what, digits) for quantity in modes)


def _pair(own: _Figures, quantity: str, what: str, digits: int) -> str:
    pair = (own.get((quantity, operation)) for operation in ("encrypt", "decrypt"))
    return " ".join(_number(row, what, digits).rjust(5) for row in pair)


def _number(row: Row | None, what: str, digits: int) -> str:
    value = None if row is None else getattr(row, what)
    if value is None:
        return "-"
    return f"{value:.{digits - 1 if digits and value >= 100 else digits}f}"


def _schedules(rows: Sequence[Row]) -> Table:
    """How the bulk programs are laid out; too long for a column beside the figures."""
    of_schedule: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row.quantity in _MODES:
            of_schedule.setdefault((row.schedule, row.timing), {})[row.cipher] = None
    table = plain(["schedule", "timing", "ciphers"])
    for (schedule, timing), names in of_schedule.items():
        table.add_row(schedule, timing, ", ".join(names))
    return table
