"""What each unit does in each cycle, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from finalist.cli import tables
from finalist.report.units import KINDS, ReservationTable

#: The colour of each kind of instruction.
_STYLES = dict(zip(KINDS, ("blue", "red", "green", "purple", "yellow", "cyan", "bold", "dim"), strict=True))


def shown(title: str, found: ReservationTable) -> Iterator[RenderableType]:
    """A line for each cycle: a mnemonic below each unit, with the number of its block where several are in
    flight."""
    yield title
    yield found.summary
    yield Text.assemble(*((f"{kind}  ", style) for kind, style in _STYLES.items()))
    if found.blocks > 1:
        yield f"{found.blocks} blocks are in flight; behind a mnemonic its block, 1 the last begun."
    cells: dict[tuple[int, str], Text] = {}
    for slot in found.slots:
        block = f" {slot.block}" if found.blocks > 1 else ""
        cell = cells.setdefault((slot.cycle, slot.unit), Text())
        cell.append((" " if cell else "") + slot.name + block, _STYLES[slot.kind])
    table = tables.plain(["cycle", *found.units])
    for cycle in range(found.cycles):
        table.add_row(str(cycle), *(cells.get((cycle, unit), Text()) for unit in found.units))
    yield table
