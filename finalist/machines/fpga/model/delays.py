"""How long signals take, by the delay table of the part: each cell's arrival, each stage's worst way."""

from __future__ import annotations

from collections.abc import Iterable

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.machines.fpga.model.cover import Cover
from finalist.machines.fpga.part import Fabric
from finalist.machines.fpga.signals import Part, Signal


class Delays:
    """Arrivals in ns after the clock, of all cells; registers and ports arrive at clock-to-output."""

    def __init__(self, cover: Cover) -> None:
        self.cover = cover
        self._arcs = cover.fabric.arcs
        self._wire = {n: cover.fabric.wire(n) for n in {1, *cover.fanout.values()}}
        self.arrival: dict[Signal, float] = {}
        for signal in cover.order:
            cell = cover.cells.get(signal)
            if cell is not None:
                ways = [self.at_input(leaf) for leaf in cell.leaves]
                self.arrival[signal] = max(ways, default=0.0) + cell.delay

    def at_input(self, leaf: Signal) -> float:
        """When a leaf is at the cells that it drives: 0 for a round key, which has long been there."""
        if leaf.op is Part.KEY:
            return 0.0
        arrival = self.arrival.get(leaf)
        return (self.start(leaf) if arrival is None else arrival) + self._wire[self.cover.fanout.get(leaf, 1)]

    def start(self, leaf: Signal) -> float:
        """From the clock to the output of a register, or of a block RAM."""
        return self._arcs["RAM.C->Q" if isinstance(leaf.attr, TableData) else "FF.C->Q"]

    def at_register(self, signal: Signal, *, chosen: bool = False, memory: bool = False) -> float:
        """When a register that takes the signal is ready for the clock; ``chosen``: after one more choice;
        ``memory``: when a block RAM is whose address it is."""
        found = []
        for base in signal.bases:
            if memory and base.op not in (Part.KEY, Op.CONST):
                choice = (self._arcs["LUT.I->O"] + self.cover.fabric.wire(1)) * chosen
                found.append(self.at_input(base) + choice + self._arcs["setup_RAM"])
                continue
            if base in self.arrival and not chosen:
                found.append(self.arrival[base] + self._arcs["setup_after_local_LUT"])
            elif base.op not in (Part.KEY, Op.CONST):
                found.append(
                    self.at_input(base) + self._arcs["LUT.I->O"] * chosen + self._arcs["setup_through_BX_BY"]
                )
        return max(found, default=0.0)


def longest_way(ends: Iterable[Signal], fabric: Fabric, *, chosen: bool = False) -> float:
    """ns from register to register, of all registers that take these; ``chosen``: after one more choice."""
    ends = list(ends)
    delays = Delays(Cover(ends, fabric))
    return max((delays.at_register(word, chosen=chosen) for word in ends), default=0.0)
