"""Words with no bit in common are added at once: x + (a & b) + (c & ~b) -> x + ((a & b) | (c & ~b)).

One addition less, where a gate of three inputs is what the two words and their OR take. (u + v is
(u | v) + (u & v): H. S. Warren, "Hacker's Delight", section 2-2.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite


def with_disjoint_words_joined(graph: Graph) -> Graph:
    """The same graph, with such words of sums and differences joined; itself where it has none."""
    nodes = list(every_node(graph))
    uses = Counter(child for node in nodes for child in node.inputs)
    if not any(any(_joined(node, uses)) for node in nodes):
        return graph
    return rewrite(graph, Builder(), partial(_visit, uses))


def _visit(uses: Mapping[Node, int], rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    for rest, first, second in _joined(node, uses):
        rest, first, second = (rewriter.map[word] for word in (rest, first, second))
        return rewriter.builder.make(node.op, (rest, rewriter.builder.make(Op.OR, (first, second))))
    return None


def _joined(node: Node, uses: Mapping[Node, int]) -> Iterator[tuple[Node, Node, Node]]:
    """What else there is in a sum or difference, and two words of it that have no bit in common."""
    if node.op not in (Op.ADD, Op.SUB):
        return
    for total, second in _orders(node):
        if total.op is node.op and uses[total] == 1:
            yield from ((rest, one, second) for rest, one in _orders(total) if _disjoint(one, second))


def _orders(node: Node) -> tuple[tuple[Node, Node], ...]:
    """Its operands; those of a sum in both orders."""
    a, b = node.inputs
    return ((a, b), (b, a)) if node.op is Op.ADD else ((a, b),)


def _disjoint(a: Node, b: Node) -> bool:
    if a.op is not Op.AND or b.op is not Op.AND:
        return False
    return any(_complements(one, other) for one in a.inputs for other in b.inputs)


def _complements(a: Node, b: Node) -> bool:
    return (a.op is Op.NOT and a.inputs[0] is b) or (b.op is Op.NOT and b.inputs[0] is a)
