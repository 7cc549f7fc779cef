"""What chooses by the turn, from several registers that say the same: each drives a few multiplexers.

The number of a turn chooses round keys for all bits of a block: no other net of a design has as many loads. A
register of one bit that is written together with it costs a flip-flop, and no time, since the logic before it
is as short as that of the number itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil

from finalist.ir.ops import Op
from finalist.machines.fpga.model.fanout import bit_loads
from finalist.machines.fpga.signals import Flag, Part, Signal, again, in_order, rebuilt
from finalist.machines.fpga.stages.copies import parts

#: Cells that one such register drives, at most.
MOST = 32


def spread_turns(ends: Sequence[Signal], turn: Signal, turns: int) -> list[Signal]:
    """The same words; ``turn``: the number that the logic of this row reads, of ``turns``."""
    copies = _Copies(ends, turn, turns)
    return rebuilt(ends, lambda signal, inputs: copies.instead(again(signal, inputs)))


class _Copies:
    def __init__(self, ends: Sequence[Signal], turn: Signal, turns: int) -> None:
        self.turn, self.turns = turn, turns
        self._loads = {
            word: counts for word, counts in bit_loads(in_order(ends), ()).items() if self._says(word)
        }
        self._taken: Counter[frozenset[int]] = Counter()
        self._made: dict[Flag, Signal] = {}

    def _says(self, word: Signal) -> bool:
        """Whether a word is the number of the turn, or says something of it."""
        return word is self.turn or (word.op is Part.FLAG and word.inputs[0] is self.turn)

    def instead(self, mux: Signal) -> Signal:
        """A multiplexer in parts, each with copies of what chooses; other operations are left alone."""
        if mux.op is not Part.MUX or not self._is_heavy(mux.inputs[0]):
            return mux
        drives = ceil((len(mux.inputs) - 1) / 2)
        made = [self._part(part) for part in parts(mux, max(1, MOST // drives))]
        return Signal(Op.JOIN, made, mux.width, None, mux.name, mux.line) if len(made) > 1 else made[0]

    def _is_heavy(self, select: Signal) -> bool:
        return all(self._says(word) for word in select.bases) and any(
            max(self._loads[word][low : low + size]) > MOST for _, word, low, size in select.runs
        )

    def _part(self, mux: Signal) -> Signal:
        select, *words = mux.inputs
        bits = [self._bit(*run[1:3], mux.width * ceil(len(words) / 2)) for run in _single(select)]
        again = bits[0] if len(bits) == 1 else Signal(Op.JOIN, bits, len(bits))
        return Signal(mux.op, [again, *words], mux.width, mux.attr, mux.name, mux.line)

    def _bit(self, word: Signal, bit: int, drives: int) -> Signal:
        """The copy that a part reads of a bit; they are filled one after the other."""
        own = word.attr.turns if word.op is Part.FLAG else self._with(bit)
        copy, room = divmod(self._taken[own], MOST)
        if room + drives > MOST and room:
            self._taken[own] += MOST - room
            copy += 1
        self._taken[own] += drives
        flag = Flag(own, copy)
        if copy == 0:
            return word if word.width == 1 else Signal(Op.SLICE, (word,), 1, bit)
        return self._made.setdefault(flag, Signal(Part.FLAG, (self.turn,), 1, flag))

    def _with(self, bit: int) -> frozenset[int]:
        """The turns whose number has a bit set."""
        return frozenset(turn for turn in range(self.turns) if turn >> bit & 1)


def _single(select: Signal) -> list[tuple[int, Signal, int, int]]:
    """The bits of a select word, each by itself."""
    return [(at + k, word, low + k, 1) for at, word, low, size in select.runs for k in range(size)]
