"""Parts of words are taken late: in the round that needs them, not in the one that made the word.

Definitions on bytes hand sixteen bytes from round to round, packed ones the four words that hold them. Which
of the two a loop of rounds carries depends on the side of the boundary on which words are taken apart.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, operands
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite

_PARTS = frozenset({Op.SLICE, Op.EXTEND})


def with_late_parts(graph: Graph) -> Graph:
    """The graph with each part of a word in the first round that uses it."""
    first: dict[Node, int] = {}
    for node in reversed(graph.body):
        phase = first[node] if node.op in _PARTS and node in first else node.phase
        for child in operands(node):
            first[child] = min(first.get(child, phase), phase)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op not in _PARTS or node not in first:
            return None
        rewriter.builder.phase = max(first[node], node.phase)
        return rewriter.builder.raw(node.op, inputs, node.attr, node.type)

    return rewrite(graph, Builder(), visit)
