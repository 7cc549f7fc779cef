"""Select bits of multiplexers, replicated for fan-out: each copy drives a few cells.

a multiplexer of 128 bits, selected by bit 0 of the iteration -> four of 32 bits, each with a flag of its own

Rounds that share hardware take their round keys, and what else differs, by the number of the iteration: no
other net has as many loads. A flag, a register of one bit that is written together with that number, costs a
flip-flop and no time, since the logic before it is as short. (Register replication, as synthesisers do it
under a bound of fan-out.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil

from finalist.ir.ops import Op
from finalist.machines.fpga.model.fanout import bit_loads
from finalist.machines.fpga.signals import Flag, Part, Signal, again
from finalist.machines.fpga.stages.copies import parts
from finalist.machines.fpga.walks import in_order, rebuilt

#: Cells that one such register drives, at most.
MOST = 32


def replicate_selects(ends: Sequence[Signal], iteration: Signal, iterations: int) -> list[Signal]:
    """The same words; ``iteration``: its number in this row of registers, of so many ``iterations``."""
    copies = _Copies(ends, iteration, iterations)
    return rebuilt(ends, lambda signal, inputs: copies.instead(again(signal, inputs)))


class _Copies:
    def __init__(self, ends: Sequence[Signal], iteration: Signal, iterations: int) -> None:
        self.iteration, self.iterations = iteration, iterations
        self._loads = {
            word: counts for word, counts in bit_loads(in_order(ends), ()).items() if self._depends(word)
        }
        self._loaded: Counter[frozenset[int]] = Counter()
        self._flags: dict[Flag, Signal] = {}

    def _depends(self, word: Signal) -> bool:
        """Whether a word is the number of the iteration, or a flag of it."""
        return word is self.iteration or (word.op is Part.FLAG and word.inputs[0] is self.iteration)

    def instead(self, mux: Signal) -> Signal:
        """A multiplexer in parts, each with copies of its select bits; other operations are left alone."""
        if mux.op is not Part.MUX or not self._is_heavy(mux.inputs[0]):
            return mux
        made = [self._part(part) for part in parts(mux, max(1, MOST // _cells(mux, 1)))]
        return Signal(Op.JOIN, made, mux.width, None, mux.name, mux.line) if len(made) > 1 else made[0]

    def _is_heavy(self, select: Signal) -> bool:
        return all(map(self._depends, select.bases)) and any(
            max(self._loads[word][low : low + size]) > MOST for _, word, low, size in select.runs
        )

    def _part(self, mux: Signal) -> Signal:
        select, *words = mux.inputs
        cells = _cells(mux, mux.width)
        bits = [
            self._bit(word, bit, cells)
            for _, word, low, size in select.runs
            for bit in range(low, low + size)
        ]
        copied = bits[0] if len(bits) == 1 else Signal(Op.JOIN, bits, len(bits))
        return Signal(mux.op, [copied, *words], mux.width, mux.attr, mux.name, mux.line)

    def _bit(self, word: Signal, bit: int, cells: int) -> Signal:
        """The copy of a select bit that a part reads; copies are filled one after the other."""
        own = word.attr.iterations if word.op is Part.FLAG else self._with(bit)
        copy, loaded = divmod(self._loaded[own], MOST)
        if loaded and loaded + cells > MOST:
            self._loaded[own] += MOST - loaded
            copy += 1
        self._loaded[own] += cells
        flag = Flag(own, copy)
        if copy == 0:
            return word if word.width == 1 else Signal(Op.SLICE, (word,), 1, bit)
        return self._flags.setdefault(flag, Signal(Part.FLAG, (self.iteration,), 1, flag))

    def _with(self, bit: int) -> frozenset[int]:
        """The iterations whose number has a bit set."""
        return frozenset(number for number in range(self.iterations) if number >> bit & 1)


def _cells(mux: Signal, bits: int) -> int:
    """How many cells a select bit of a multiplexer of so many bits drives."""
    return bits * ceil((len(mux.inputs) - 1) / 2)
