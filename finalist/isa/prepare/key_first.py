"""The order of operations where round keys are computed: what follows from the key alone is finished at once.

Two words of a round key are made together. Where the first is used before the second is made, as in ``x0 ^
k0, x1 ^ k1``, other operations stand between in each place that uses them; in this order the same stretch of
operations makes them everywhere.

Sums begin with what follows from the key alone, and take each other part as it comes: nothing but the sums
waits for the next part.

    (t0 + t1) + k0, (t0 + 2 t1) + k1    ->    (k0 + t0) + t1, (k1 + t0) + 2 t1
"""

from __future__ import annotations

from collections import Counter

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_node, operands
from finalist.ir.ops import CONTROL, Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType
from finalist.passes.analysis import KeyOnly
from finalist.passes.simplify import simplify

#: What is made of the number of a loop's iteration.
_COUNTING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.SHL, Op.SLICE, Op.EXTEND})


def with_sums_of_keys(graph: Graph) -> Graph:
    """The graph, in which sums begin with what follows from the key alone."""
    of_key, uses = KeyOnly("key"), _uses(graph)

    def parts(node: Node) -> list[Node]:
        alone = node.op is Op.ADD and uses.get(node, 0) == 1 and not of_key(node)
        return [part for child in node.inputs for part in parts(child)] if alone else [node]

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.ADD or of_key(node):
            return None
        first, *others = sorted((p for c in node.inputs for p in parts(c)), key=lambda part: not of_key(part))
        if len(others) < 2 or not of_key(first):
            return None
        total = rewriter.get(first)
        for part in others:
            total = rewriter.builder.make(Op.ADD, (total, rewriter.get(part)))
        return total

    return rewrite(graph, Builder(simplify), visit)


def _uses(graph: Graph) -> Counter[Node]:
    return Counter(child for node in every_node(graph) for child in operands(node)) + Counter(graph.results)


def key_first(graph: Graph) -> Graph:
    """The graph, and all loops in it, with their nodes in this order."""
    made = rewrite(graph, Builder(), _once_more)
    _arrange(made)
    return made


def _once_more(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
    """Lookups that are alike stay apart."""
    if node.op is not Op.LOOKUP:
        return None
    return Node(node.op, inputs, node.type, node.attr, line=node.line, phase=node.phase)


def _arrange(region: Region) -> None:
    for node in region.body:
        if node.op in CONTROL:
            _arrange(node.region)
    of_key, of_index = KeyOnly("key", "index"), KeyOnly("index")
    own, placed = set(region.body), set[Node]()
    body: list[Node] = []
    waiting = [n for n in region.body if of_key(n) and not isinstance(n.type, ArrayType)]

    def place(node: Node) -> None:
        if node not in placed:
            placed.add(node)
            body.append(node)

    def follows(node: Node) -> bool:
        """Whether all that it takes is there, some of it made here."""
        inside = [child for child in operands(node) if child in own]
        return bool(inside) and placed.issuperset(inside)

    for node in waiting:
        if node.op in _COUNTING and of_index(node):
            place(node)
    for first in region.body:
        if first not in placed and not of_key(first):
            for node in waiting:
                if node not in placed and follows(node):
                    place(node)
            waiting = [node for node in waiting if node not in placed]
        place(first)
    region.body = tuple(body)
