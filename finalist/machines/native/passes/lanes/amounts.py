"""Rotation amounts: only their low bits count, so an amount that was rotated up to them is a shift.

RC6 and MARS rotate by the top five bits of a product, which a rotation left by five has just brought
down: the amount is then ``p >> 27``, known to be below 32, and needs no reduction where one is dear.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify


def with_small_amounts(graph: Graph) -> Graph:
    """Amounts of rotations that are themselves rotations by log2(width) as shifts."""

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op not in (Op.ROL, Op.ROR):
            return None
        word, amount = inputs
        bits = word.width.bit_length() - 1
        turned = amount.op is Op.ROL and amount.inputs[1].op is Op.CONST
        if not turned or 1 << bits != word.width or amount.inputs[1].attr != bits:
            return None
        make = rewriter.builder
        down = make.const(amount.width - bits, 8)
        small = make.make(Op.SHR, (amount.inputs[0], down))
        return make.make(node.op, (word, small))

    return rewrite(graph, Builder(simplify), visit)
