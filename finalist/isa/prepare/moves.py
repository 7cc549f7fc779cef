"""For processors that neither shift by an amount in a register nor choose between two words.

    x << n          ->  low half of x * 2^n
    x >> n          ->  high half of x * 2^(8 - n), or x where n is 0
    c ? a : b       ->  b ^ ((a ^ b) & -c)

Bits that one word hands to the next are the high half of the product whose low half the next word needs:
``(x >> 1) >> 7 - n`` is that of ``x * 2^n``.
"""

from __future__ import annotations

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.analysis import greatest
from finalist.passes.simplify import simplify


def run(program: Program, width: int) -> Program:
    """Both graphs without shifts by words; ``width``: bits of the processor's words."""
    expand, kernel = (without_moves(graph, width) for graph in (program.expand, program.kernel))
    return program.with_graphs(expand, kernel)


def again(program: Program, width: int) -> Program:
    """The program without shifts by words; as it is where it has none."""
    return run(program, width) if any(map(has_moves, (program.expand, program.kernel))) else program


def has_moves(graph: Graph) -> bool:
    """Whether there is a shift by a word."""
    return any(
        node.op in (Op.SHL, Op.SHR) and node.inputs[1].op is not Op.CONST for node in every_node(graph)
    )


def without_moves(graph: Graph, width: int) -> Graph:
    """The graph without shifts by words of at least 0 and less than ``width``."""
    make = Builder(simplify)
    mover = _Mover(make, width)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is Op.SELECT:
            return mover.chosen(*inputs)
        if node.op not in (Op.SHL, Op.SHR) or inputs[1].op is Op.CONST:
            return None
        return (mover.left if node.op is Op.SHL else mover.right)(*inputs)

    return rewrite(graph, make, visit)


class _Mover:
    def __init__(self, make: Builder, width: int) -> None:
        self.make, self.width = make, width
        bits = width.bit_length() - 1
        self.powers = TableData(tuple(1 << k for k in range(width)), width, "powers")
        inverse = tuple(1 << (width - k) & mask(width) for k in range(width))
        self.inverse = TableData(inverse, width, "inverse_powers")
        self.whole = TableData((mask(width), *(0,) * (width - 1)), width, "whole")
        self.bits = bits

    def chosen(self, condition: Node, a: Node, b: Node) -> Node:
        """a if the condition holds, else b."""
        make = self.make
        wide = make.make(Op.SUB, (make.const(0, self.width), make.extend(condition, self.width)))
        mask = make.slice(wide, 0, a.width)
        difference = make.make(Op.AND, (make.make(Op.XOR, (a, b)), mask))
        return make.make(Op.XOR, (b, difference))

    def left(self, x: Node, amount: Node) -> Node:
        """x << amount."""
        wide = self.make.extend(x, self.width)
        product = self.make.make(Op.MUL, (wide, self._entry(self.powers, amount)))
        return self.make.slice(product, 0, x.width)

    def right(self, x: Node, amount: Node) -> Node:
        """x >> amount."""
        make = self.make
        if greatest(x) < 1 << self.width - 1:
            return make.slice(self._short(x, amount), 0, x.width)
        wide = make.extend(x, self.width)
        high = make.make(Op.MULHI, (wide, self._entry(self.inverse, amount)))
        same = make.make(Op.AND, (wide, self._entry(self.whole, amount)))
        return make.slice(make.make(Op.OR, (high, same)), 0, x.width)

    def _short(self, x: Node, amount: Node) -> Node:
        """Of a word whose highest bit is 0: twice the word by one more place, whose lowest bit is lost."""
        make, top = self.make, make_const(self.make, self.width - 1, self.bits)
        halved = x.op is Op.SHR and x.inputs[1].op is Op.CONST and x.inputs[1].attr == 1
        if halved and x.width == self.width:
            double = x.inputs[0]
        else:
            double = make.make(Op.SHL, (make.extend(x, self.width), make.const(1, 8)))
        back = make.make(Op.XOR, (self._small(amount), top))
        return make.make(Op.MULHI, (double, make.make(Op.LOOKUP, (back,), self.powers)))

    def _is_mask(self, node: Node) -> bool:
        """Whether a constant leaves the bits of an amount."""
        ones = mask(self.bits)
        return node.op is Op.CONST and node.attr & ones == ones

    def _entry(self, table: TableData, amount: Node) -> Node:
        return self.make.make(Op.LOOKUP, (self._small(amount),), table)

    def _small(self, amount: Node) -> Node:
        """The bits of an amount that count."""
        make = self.make
        if amount.op is Op.XOR and amount.width > self.bits:
            return make.make(Op.XOR, [self._small(part) for part in amount.inputs])
        if amount.op is Op.AND and self._is_mask(amount.inputs[1]):
            return self._small(amount.inputs[0])
        if amount.op is Op.CONST:
            return make_const(make, amount.attr, self.bits)
        if amount.width < self.bits:
            return make.extend(amount, self.bits)
        return make.slice(amount, 0, self.bits) if amount.width > self.bits else amount


def make_const(make: Builder, value: int, bits: int) -> Node:
    """The lowest bits of a number."""
    return make.const(value & mask(bits), bits)
