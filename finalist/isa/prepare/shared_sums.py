"""Sums that share a part: where a + b is computed anyway, a + 2b is that plus b, which needs no shift."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify


def with_shared_sums(graph: Graph) -> Graph:
    """The graph with a + 2b as (a + b) + b where a + b is there; for machines that add and shift apart."""
    sums = {frozenset(node.inputs) for node in graph.body if node.op is Op.ADD}
    shifts = [
        n for n in graph.body if n.op is Op.SHL and n.inputs[1].op is Op.CONST and n.inputs[1].attr == 1
    ]
    uses: dict[Node, int] = {}
    for node in graph.body:
        for child in node.inputs:
            uses[child] = uses.get(child, 0) + 1
    single = {shift for shift in shifts if uses.get(shift) == 1}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.ADD:
            return None
        for other, double in (node.inputs, node.inputs[::-1]):
            if double in single and frozenset({other, double.inputs[0]}) in sums:
                a, b = rewriter.get(other), rewriter.get(double.inputs[0])
                return rewriter.builder.make(Op.ADD, (rewriter.builder.make(Op.ADD, (a, b)), b))
        return None

    return rewrite(graph, Builder(simplify), visit)
