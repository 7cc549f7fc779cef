"""From a lowered graph to one of operations that every processor can be expected to do on its words.

Left are bitwise operations, sums, products, shifts and rotations whose amounts need no check, comparisons,
selections, tables and arrays read inside of their length. What goes: remainders, boolean functions by truth
table, rotations of words that no machine has, amounts that may pass a word.
"""

from __future__ import annotations

from collections.abc import Set

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.isa.lower.control import Affine, found_in, inside
from finalist.passes.analysis import Bounds, greatest
from finalist.passes.legalise.arithmetic import Arithmetic
from finalist.passes.simplify import simplify


def run(program: Program, width: int, rotated: Set[int], amounts: int = 0) -> Program:
    """Both graphs prepared for words of ``width`` bits at most; ``rotated``: bits of those that the
    processor rotates by an amount in a register; ``amounts``: how many amounts of a shift it knows, at least
    as many as a word has bits."""
    expand, kernel = (prepared(graph, width, rotated, amounts) for graph in (program.expand, program.kernel))
    return program.with_graphs(expand, kernel)


def prepared(graph: Graph, width: int, rotated: Set[int], amounts: int = 0) -> Graph:
    """The graph in operations that such a processor has, or makes of those it has."""
    make = Builder(simplify)
    worker = _Preparer(make, width, rotated, max(amounts, width))
    return rewrite(graph, make, worker.visit)


class _Preparer:
    def __init__(self, make: Builder, width: int, rotated: Set[int], amounts: int) -> None:
        self.make = make
        self.width = width
        self.amounts = amounts
        self.rotated = rotated
        self.math = Arithmetic(make, width)
        self.limits: dict[Node, int] = {}
        self.bounds = Bounds(self.limits)
        #: Words that are multiples of a loop's index plus an offset, and the first index and the last.
        self.moving: dict[Node, tuple[Affine, int, int]] = {}

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is Op.LOOP and node.inputs[1].op is Op.CONST:
            self._count(node)
        if node.op is Op.BOOL:
            return self._boolean(list(inputs), node.attr, node.width)
        if node.op is Op.REM:
            return self._remainder(*inputs)
        if node.op in (Op.LOAD, Op.STORE):
            return self._access(node, inputs)
        if node.op in (Op.SHL, Op.SHR):
            return self._shift(node.op, *inputs)
        if node.op in (Op.ROL, Op.ROR):
            return self._rotation(node.op, *inputs)
        return None

    def _count(self, loop: Node) -> None:
        """Note how far a loop counts, and which words move with its index."""
        start, stop = loop.inputs[:2]
        first, last = (start.attr if start.op is Op.CONST else 0), max(0, stop.attr - 1)
        self.limits[loop.region.params[0]] = last
        for node, form in found_in(loop.region, first, last).affine.items():
            self.moving[node] = (form, first, last)

    def _is_inside(self, index: Node, length: int) -> bool:
        """Whether a place is in the array in all iterations of its loop, by its ends or by its bits."""
        if index in self.moving and inside(*self.moving[index], length):
            return True
        return self.bounds.greatest(index) < length

    # -- functions of bits ----------------------------------------------------------------------

    def _boolean(self, inputs: list[Node], truth: int, width: int) -> Node:
        """Shannon's expansion by the last input."""
        if not inputs:
            return self.make.const(-1 if truth & 1 else 0, width)
        *rest, last = inputs
        half = 1 << len(rest)
        low, high = truth & (1 << half) - 1, truth >> half
        zero = self._boolean(rest, low, width)
        if low == high:
            return zero
        one = self._boolean(rest, high, width)
        difference = self.make.make(Op.XOR, (zero, one))
        return self.make.make(Op.XOR, (zero, self.make.make(Op.AND, (difference, last))))

    # -- remainders -----------------------------------------------------------------------------

    def _remainder(self, a: Node, b: Node) -> Node:
        if b.op is Op.CONST and b.attr and b.attr & (b.attr - 1) == 0:
            return self.make.make(Op.AND, (a, self.make.const(b.attr - 1, a.width)))
        (rest,) = self.math.rem((a,), (b,))
        return rest

    def _access(self, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """The place reduced modulo the length, where it might pass it."""
        array, index = inputs[:2]
        length = array.length
        if index.op is Op.CONST:
            place = self.make.const(index.attr % length, 32)
        elif greatest(index) < length or self._is_inside(node.inputs[1], length):
            return None
        else:
            place = self._modulo(index, length)
        return self.make.make(node.op, (array, place, *inputs[2:]))

    def _modulo(self, index: Node, length: int) -> Node:
        if length == 1:
            return self.make.const(0, 32)
        if length & (length - 1) == 0:
            if index.width > self.width and length <= 1 << self.width:
                index = self.make.slice(index, 0, self.width)
            return self.make.make(Op.AND, (index, self.make.const(length - 1, index.width)))
        return self._remainder(index, self.make.const(length, index.width))

    # -- moves ----------------------------------------------------------------------------------

    def _shift(self, op: Op, word: Node, amount: Node) -> Node | None:
        """By an amount that never passes the machine's word."""
        make = self.make
        if amount.op is Op.CONST:
            if amount.attr < word.width:
                return None
            return make.const(0, word.width)
        if (at_most(amount) if self.amounts > self.width else greatest(amount)) < self.amounts:
            return None
        small = make.make(Op.AND, (amount, make.const(self.width - 1, amount.width)))
        inside = make.make(Op.LT, (amount, make.const(self.width, amount.width)))
        moved = make.raw(op, (word, small), None, word.type)
        return make.make(Op.SELECT, (inside, moved, make.const(0, word.width)))

    def _rotation(self, op: Op, word: Node, amount: Node) -> Node | None:
        """Of words that the processor does not rotate: two shifts, by amounts modulo the width."""
        make, n = self.make, word.width
        if n in self.rotated or amount.op is Op.CONST:
            return None
        small = self._modulo(amount, n) if greatest(amount) >= n else amount
        small = self._rotated_in(amount, n) or small
        bits = min(self.width, 32)
        wide = small
        if small.width < bits:
            wide = make.make(Op.AND, (make.extend(small, bits), make.const(63, bits)))
        back = make.make(Op.SUB, (make.const(n, wide.width), wide))
        there, other = (Op.SHL, Op.SHR) if op is Op.ROL else (Op.SHR, Op.SHL)
        parts = [self._shifted(there, word, wide), self._shifted(other, word, back)]
        if self.amounts > self.width:  # such processors add on more units than they have for logic
            return make.make(Op.ADD, parts)
        return make.make(Op.OR, parts)

    def _rotated_in(self, amount: Node, n: int) -> Node | None:
        """An amount modulo ``n`` whose lowest bits have come there by a rotation: they are at hand above."""
        while amount.op is Op.SLICE and amount.attr == 0:
            (amount,) = amount.inputs
        left = rotation(amount)
        if self.amounts == self.width or left is None or 1 << left != n:
            return None
        word = amount.inputs[0]
        return self.make.make(Op.SHR, (word, self.make.const(word.width - left, word.width)))

    def _shifted(self, op: Op, word: Node, amount: Node) -> Node:
        return self._shift(op, word, amount) or self.make.make(op, (word, amount))


def at_most(amount: Node) -> int:
    """A number that an amount does not pass."""
    if amount.op is Op.SUB and amount.inputs[0].op is Op.CONST:
        most = int(amount.inputs[0].attr)
        return most if greatest(amount.inputs[1]) <= most else greatest(amount)
    return greatest(amount)


def rotation(node: Node) -> int | None:
    """How far a word is rotated left, where that is known beforehand."""
    if node.op not in (Op.ROL, Op.ROR) or node.inputs[1].op is not Op.CONST:
        return None
    right = -node.inputs[1].attr if node.op is Op.ROL else node.inputs[1].attr
    return int(-right % node.width)
