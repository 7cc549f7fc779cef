"""A unit of logic before registers go inside of it: its cells, what they drive, and how long that takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import add

from finalist.ir.ops import Op
from finalist.machines.fpga.model.cover import Cover
from finalist.machines.fpga.model.delays import Delays
from finalist.machines.fpga.part import Fabric
from finalist.machines.fpga.signals import Signal

#: The longest ways are at least so much of the longest.
_LONG = 0.93


class Logic:
    """``inputs``: its registers, the turn's number first; ``ends``: its results. ``memories``: whether tables
    are in block RAM, so that each has to come first in its stage.

    ``wire``: ns from the output of a cell to the cells that it drives; ``after``: those; ``loads``: of each
    cell, how many loads a bit of each word that it reads has there, at most; ``whole``: ns through it all.
    """

    def __init__(
        self, inputs: Sequence[Signal], ends: Sequence[Signal], fabric: Fabric, *, memories: bool = False
    ) -> None:
        self.inputs, self.ends, self.fabric = list(dict.fromkeys(inputs)), list(ends), fabric
        self.cover = Cover(ends, fabric, memories=memories)
        delays = Delays(self.cover)
        self.arrival = delays.arrival
        self.whole = max([delays.at_register(end) for end in self.ends], default=0.0)
        self.wire = {signal: delays.at_input(signal) - self.arrival[signal] for signal in self.cover.cells}
        self.results = {base for end in ends for base in end.bases}
        self.after: dict[Signal, list[Signal]] = {}
        for cell in self.cover.cells.values():
            for leaf in cell.leaves:
                self.after.setdefault(leaf, []).append(cell.signal)
        by_bit = {signal: self.cover.loads(signal) for signal in self.cover.cells}
        self.loads = {signal: _most(own) for signal, own in by_bit.items()}
        self._together = _summed(by_bit)
        self.long = self._on_long_ways()

    def together(self, signal: Signal, word: Signal) -> int:
        """The loads of a bit of a word, at most, from all cells that stay in a stage with this one."""
        return self._together[_kind(signal)][word]

    def _on_long_ways(self) -> set[Signal]:
        """The cells on nearly longest ways through the whole."""
        tail: dict[Signal, float] = {}
        for signal in reversed(self.cover.order):
            if signal in self.cover.cells:
                ways = [tail[user] + self.wire[signal] for user in self.after.get(signal, ())]
                tail[signal] = max(ways, default=0.0) + self.cover.cells[signal].delay
        way = {
            signal: self.arrival[signal] + tail[signal] - self.cover.cells[signal].delay for signal in tail
        }
        longest = max(way.values(), default=0.0)
        return {signal for signal, length in way.items() if length >= _LONG * longest}


def _most(loads: Mapping[Signal, Sequence[int]]) -> dict[Signal, int]:
    return {word: max(counts) for word, counts in loads.items()}


def _summed(loads: Mapping[Signal, Mapping[Signal, Sequence[int]]]) -> dict[object, dict[Signal, int]]:
    """The loads that each word has from all cells of a kind. Tables that read different bytes of a word are
    loads of different bits, so that sums are by the bit, too."""
    bits: dict[object, dict[Signal, list[int]]] = {}
    for signal, own in loads.items():
        total = bits.setdefault(_kind(signal), {})
        for word, counts in own.items():
            before = total.get(word)
            total[word] = [*map(add, before, counts)] if before else list(counts)
    return {kind: _most(total) for kind, total in bits.items()}


def _kind(signal: Signal) -> object:
    """What is equal for cells that stay together in a stage: tables, and what chooses by the same values."""
    return signal.op if signal.op is Op.LOOKUP else signal.attr
