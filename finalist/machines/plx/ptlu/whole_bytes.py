"""Bytes that lie across those of a word are taken from the word rotated, where that is there anyway.

Simplification takes bits from where they come from: of a word and the same word rotated by one bit, all are
taken from the first. A machine that looks up bytes where they stand in a word wants the second one's bytes.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite

_TURNS = frozenset({Op.ROL, Op.ROR})


def with_whole_bytes(graph: Graph) -> Graph:
    """The graph with such bytes as bytes of the rotated word."""
    turned: dict[tuple[Node, int], Node] = {}
    for node in every_node(graph):
        if node.op in _TURNS and node.inputs[1].op is Op.CONST:
            right = node.inputs[1].attr if node.op is Op.ROR else -node.inputs[1].attr
            turned[node.inputs[0], right % node.width] = node

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.SLICE or node.attr % 8 == 0 or node.width > 8:
            return None
        word, low = node.inputs[0], node.attr
        for (source, right), whole in turned.items():
            if source is word and low >= right and (low - right) % 8 == 0:
                return rewriter.builder.slice(rewriter.get(whole), low - right, node.width)
        return None

    return rewrite(graph, Builder(), visit)
