"""The critical path of a design, from register to register, and what its time goes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from finalist.machines.fpga import part
from finalist.machines.fpga.model.delays import Delays
from finalist.machines.fpga.model.estimate import slices
from finalist.machines.fpga.model.rows import Row, Rows
from finalist.machines.fpga.signals import Design, Signal


@dataclass(frozen=True, slots=True)
class Hop:
    """A cell on the path with the wire that leads to it: ``ns``; ``line``: the definition's, empty for what
    is hardware's own, such as the choice of a round key."""

    line: str
    ns: float


def critical_path(design: Design) -> tuple[Hop, ...]:
    """The cells of the longest path of the longest stage, in order; registers' own times are left out."""
    rows, fabric = Rows(design), part.virtex().filled(slices(design))
    found = rows.delays(fabric)
    row = rows.stages[found.index(max(found))]
    return tuple(_back(row, Delays(row.cover.on(fabric))))[::-1]


def _back(row: Row, delays: Delays) -> Iterator[Hop]:
    """From the register whose input arrives last back to the register where the path begins."""
    ends = [
        base for own in (*row.registers, *row.finish) for base in own.input.bases if base in delays.arrival
    ]
    signal: Signal | None = max(ends, key=lambda end: delays.arrival[end])
    while signal is not None:
        leaves = delays.cover.cells[signal].leaves
        last = max(leaves, key=delays.at_input)
        begin = delays.arrival.get(last)
        since = begin if begin is not None else min(delays.start(last), delays.at_input(last))
        yield Hop(signal.line, delays.arrival[signal] - since)
        signal = last if begin is not None else None
