"""The order of operations where round keys are computed: what follows from the key alone is finished at once.

Two words of a round key are made together. Where the first is used before the second is made, as in ``x0 ^
k0, x1 ^ k1``, other operations stand between in each place that uses them; in this order the same stretch of
operations makes them everywhere.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, operands
from finalist.ir.ops import CONTROL, Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType
from finalist.passes.analysis import KeyOnly

#: What is made of the number of a loop's iteration.
_COUNTING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.SHL, Op.SLICE, Op.EXTEND})


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
