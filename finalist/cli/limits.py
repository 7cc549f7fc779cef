"""What bounds a loop that is software pipelined, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from finalist.cli import tables
from finalist.isa.limits import Limits

_LEGEND = (
    "Least: cycles of the loop that this alone imposes, by the same instructions. With one more: the bound of"
    " all together on a processor with one more of it, of registers one more a file, or with such a latency."
)
_FOUND = " Found: the shortest schedule that a search of so many seconds has found there, from this one on."


def shown(found: Limits) -> Iterator[RenderableType]:
    """How long the loop is and could be, and a line for each thing that could bind."""
    best = ", which is the least" if found.interval == found.bound else f", at least {found.bound}"
    yield f"The loop over blocks takes {found.interval} cycles{best}: {found.binding} bind."
    searched = [one for one in found.all if one.found is not None]
    table = tables.plain(
        ["loop"], ["least", "in use", "with one more", *(["found", "seconds"] if searched else [])]
    )
    for one in (*found.all, *((found.again,) if found.again is not None else ())):
        used = "" if one.used is None else f"{100 * one.used:.0f} %"
        cells = [one.name or "nothing more", _number(one.least), used, _number(one.more)]
        if searched:
            cells += ["", ""] if one.found is None else [str(one.found), f"{one.seconds:.0f}"]
        table.add_row(*cells)
    yield table
    yield _LEGEND + _FOUND * bool(searched)


def _number(value: int | None) -> str:
    return "" if value is None else str(value)
