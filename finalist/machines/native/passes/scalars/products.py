"""Products of a word and one more than a multiple: the word is added to the product, moved up.

``x (1 + (y << n)) -> x + (x y << n)``, so ``x (2 x + 1) -> x + (x x << 1)``: as many
operations, but processors add a shifted word in one step, where a shifted word and a constant take longer
(three-component `lea` of x86-64: Fog, "Instruction tables").
"""

from __future__ import annotations

from itertools import permutations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite

#: Places, at most, that a word is moved up by where it is added: the scales of x86-64's addresses.
_FURTHEST = 3


def with_products_first(graph: Graph) -> Graph:
    """The graph with such products multiplied before anything is added; as many operations as before."""
    if not any(_moved(factor) for node in graph.body if node.op is Op.MUL for factor in node.inputs):
        return graph
    make = Builder()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.MUL:
            return None
        for word, factor in permutations(inputs):
            moved = _moved(factor)
            if moved is not None:
                product = make.make(Op.MUL, (word, moved.inputs[0]))
                return make.make(Op.ADD, (make.make(Op.SHL, (product, moved.inputs[1])), word))
        return None

    return rewrite(graph, make, visit)


def _moved(factor: Node) -> Node | None:
    """Of a factor that is one more than a word moved up, that word; None of others."""
    if factor.op is not Op.ADD:
        return None
    return next(
        (word for word, one in permutations(factor.inputs) if _is(one, 1, 1) and _is_near(word)), None
    )


def _is_near(word: Node) -> bool:
    return word.op is Op.SHL and _is(word.inputs[1], 1, _FURTHEST)


def _is(node: Node, least: int, most: int) -> bool:
    return node.op is Op.CONST and least <= node.attr <= most
