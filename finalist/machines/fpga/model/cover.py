"""Signals as the cells that they become: what goes into one 4-input table together, and what each takes.

An estimate, made word by word in a fraction of a second; the netlist that a synthesiser maps has the last
word. A cell is the last signal of what goes into it; arrangements of wires and what is absorbed cost nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import zip_longest
from math import ceil, log

from finalist.ir.ops import Op
from finalist.machines.fpga.model.fanout import bit_loads, fanouts
from finalist.machines.fpga.part import Fabric, virtex
from finalist.machines.fpga.signals import Part, Signal
from finalist.machines.fpga.walks import in_order
from finalist.machines.fpga.wiring import row_weight

_BITWISE = frozenset({Op.AND, Op.OR, Op.XOR, Op.NOT, Op.BOOL, Op.SELECT})
_SOURCES = frozenset({Part.INPUT, Part.FLAG, Part.KEY, Op.CONST})
#: An input of a table of logic, for all bits of a word: one word, or words side by side.
Leaf = tuple[Signal, ...]
#: How many there are.
LUT = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """``leaves``: the signals that come in over wires; ``delay``: ns from there to the output, inner wires
    included; ``luts``: tables of logic, of the whole word."""

    signal: Signal
    leaves: tuple[Signal, ...]
    delay: float
    luts: float


class Cover:
    """The cells of all signals that ``ends`` need, on a part.

    ``fabric``: the Virtex if none is given. ``memories``: tables are in block RAM, and take no logic.
    """

    def __init__(
        self, ends: Iterable[Signal], fabric: Fabric | None = None, *, memories: bool = False
    ) -> None:
        ends, self.fabric, self.memories = list(ends), fabric or virtex(), memories
        self.order = in_order(ends)
        users = [child for signal in self.order if not signal.fixed for child in signal.inputs]
        self._uses = Counter(base for word in [*users, *ends] for base in word.bases)
        self._leaves: dict[Signal, list[Leaf]] = {}
        self._absorbed: set[Signal] = set()
        for signal in self.order:
            small_mux = signal.op is Part.MUX and len(signal.inputs) == 3
            if signal.op in _BITWISE or signal.op in (Op.ADD, Op.SUB) or small_mux:
                self._leaves[signal] = self._gather(signal)
            elif signal.op is Op.LINEAR and not signal.fixed:
                words = [leaf for word in _inputs(signal) for leaf in self._without_key(word)]
                self._leaves[signal] = [(word,) for word in words]
        self.cells = {
            signal: self._cell(signal)
            for signal in self.order
            if signal.op not in _SOURCES and not signal.fixed and signal not in self._absorbed
        }
        self.fanout = fanouts(self.order, self._absorbed, memories=memories)

    def on(self, fabric: Fabric) -> Cover:
        """The same cells on another part, or on one that is fuller."""
        found = copy(self)
        found.fabric = fabric
        found.cells = {signal: found._cell(signal) for signal in self.cells}
        return found

    def loads(self, signal: Signal) -> dict[Signal, list[int]]:
        """The words that the cell of a signal reads, with how many loads each bit of them has there."""
        members = [signal]
        for member in members:
            members += [b for child in member.inputs for b in child.bases if b in self._absorbed]
        return bit_loads(members[::-1], self._absorbed, memories=self.memories)

    def in_memory(self, signal: Signal) -> bool:
        """Whether it is the entry of a table in block RAM."""
        return self.memories and signal.op is Op.LOOKUP

    def _gather(self, signal: Signal) -> list[Leaf]:
        """The inputs of the table that a signal is the output of, absorbing what fits."""
        inputs = [child.bases for child in signal.inputs]
        fixed: list[Leaf] = []
        if signal.op in (
            Op.ADD,
            Op.SUB,
        ):  # one operand also feeds the carry: as it is, or through an AND gate there
            fixed = [leaf for word in inputs[0] for leaf in self._gated(word)]
            inputs = inputs[1:]
        inputs = [leaf for leaf in inputs if leaf]
        for leaf in dict.fromkeys(inputs):
            small = [word for word in leaf if self._fits_inside(word)]
            if not small or inputs.count(leaf) > 1:
                continue
            inner = side_by_side([self._leaves[word] if word in small else [(word,)] for word in leaf])
            rest = [other for other in inputs if other is not leaf]
            if len({*fixed, *rest, *inner}) <= LUT:
                inputs = rest + inner
                self._absorbed.update(small)
        return list(dict.fromkeys([*fixed, *inputs]))

    def _fits_inside(self, word: Signal) -> bool:
        return word in self._leaves and self._uses[word] <= 1 and word.op in _BITWISE

    def _gated(self, word: Signal) -> list[Leaf]:
        """The inputs of a row of a product, which the slice's own AND gate makes; any other word as it is."""
        is_row = word.op is Op.SELECT and word.inputs[2].op is Op.CONST and word.inputs[2].attr == 0
        if not is_row or self._uses[word] > 1:
            return [(word,)]
        self._absorbed.add(word)
        return self._leaves[word]

    def _without_key(self, word: Signal) -> list[Signal]:
        """The input of a linear map, a word of the key being added: M (x + k) is M x + M k, and M k is there
        long before, so that it takes but one more input of the tables."""
        if word.op is not Op.XOR or self._uses[word] > 1:
            return [word]
        rest = [child for child in word.inputs if not all(base.op is Part.KEY for base in child.bases)]
        if len(rest) != 1 or not self._absorbed.isdisjoint(rest[0].bases):
            return [word]
        self._absorbed.add(word)
        return list(rest[0].bases)

    def _cell(self, signal: Signal) -> Cell:
        if signal.op is Op.LINEAR:
            leaves = tuple(dict.fromkeys(word for leaf in self._leaves[signal] for word in leaf))
            return _linear(self.fabric, signal, leaves, keyed=leaves != _inputs(signal))
        if signal in self._leaves:
            own = self._leaves[signal]
            leaves = tuple(dict.fromkeys(word for leaf in own for word in leaf))
            if signal.op in (Op.ADD, Op.SUB):
                return Cell(signal, leaves, _adder(self.fabric, signal.width), signal.width)
            excess = max(0, len(own) - LUT)
            levels = 1 if not excess else 1 + ceil(log(len(own) / LUT, LUT))
            return Cell(signal, leaves, _levels(self.fabric, levels), signal.width * (1 + excess / (LUT - 1)))
        if self.in_memory(signal):
            return Cell(signal, _inputs(signal), 0.0, 0.0)
        return _RULES[signal.op](self.fabric, signal)


def side_by_side(parts: Sequence[Sequence[Leaf]]) -> list[Leaf]:
    """The inputs of words side by side: a bit is of one of them, so that the most of any is enough."""
    return [tuple(dict.fromkeys(w for leaf in at if leaf for w in leaf)) for at in zip_longest(*parts)]


def _levels(fabric: Fabric, count: int) -> float:
    return count * fabric.arcs["LUT.I->O"] + (count - 1) * fabric.wire(1)


def _adder(fabric: Fabric, width: int) -> float:
    arcs = fabric.arcs
    return arcs["MUXCY.S->O"] + width * arcs["MUXCY.CI->O"] + arcs["XORCY.CI->O"] + 0.3


def _inputs(signal: Signal) -> tuple[Signal, ...]:
    return tuple(dict.fromkeys(base for child in signal.inputs for base in child.bases))


def _lookup(fabric: Fabric, signal: Signal) -> Cell:
    """Up to six inputs in one hop, with the multiplexers of a slice and its neighbour; more in two."""
    arcs, bits = fabric.arcs, signal.attr.index_width
    tables = max(1, 1 << max(0, bits - LUT))
    delay = (
        arcs["LUT.I->O"] + (arcs["MUXF5.I->O"] if bits > 4 else 0) + (arcs["MUXF6.I->O"] if bits > 5 else 0)
    )
    luts = signal.width * tables
    if bits > 6:
        delay += fabric.wire(1) + arcs["LUT.I->O"] + (arcs["MUXF5.I->O"] if bits > 7 else 0)
        luts += signal.width * max(1, (1 << bits - 6) // 2)
    luts = signal.width * fabric.table_luts.get(bits, luts / signal.width)
    return Cell(signal, _inputs(signal), delay, luts)


def _linear(fabric: Fabric, signal: Signal, leaves: tuple[Signal, ...], *, keyed: bool) -> Cell:
    """A tree of XORs for each bit."""
    weights = [row_weight(signal.attr, bit) + keyed for bit in range(signal.width)]
    levels = max(1, ceil(log(max(2, *weights), LUT) - 1e-9)) if len(weights) > 1 else 1
    luts = sum(max(1, (weight - 1) / (LUT - 1)) for weight in weights)
    return Cell(signal, leaves, _levels(fabric, levels), luts)


def _choice(fabric: Fabric, signal: Signal) -> Cell:
    """A multiplexer of many: eight together in a pair of slices."""
    choices = len(signal.inputs) - 1
    arcs = fabric.arcs
    local = arcs["LUT.I->O"] + arcs["MUXF5.I->O"] + arcs["MUXF6.I->O"]
    hops = 1 if choices <= 8 else 2
    delay = hops * local + (hops - 1) * fabric.wire(1)
    return Cell(signal, _inputs(signal), delay, signal.width * choices / 2)


def _compare(fabric: Fabric, signal: Signal) -> Cell:
    width = max(child.width for child in signal.inputs)
    return Cell(signal, _inputs(signal), _adder(fabric, width // 2), width / 2)


_RULES = {
    Op.LOOKUP: _lookup,
    Part.MUX: _choice,
    Op.EQ: _compare,
    Op.LT: _compare,
}
