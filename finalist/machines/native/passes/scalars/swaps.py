"""Exchanges of bits within a word, written so that the word is waited for less.

``y = (x ^ x >> d) & m; x ^ y ^ y << d`` exchanges the bits under ``m`` with those ``d`` places above, in six
operations of which five wait for one another. To take all three parts of ``x`` by masks is one operation
more, and one wait less: the better form where nothing else is there to be done meanwhile.
"""

from __future__ import annotations

from collections import Counter

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, operands
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite

#: Word, distance, and the mask of the lower bits.
_Swap = tuple[Node, int, int]


def with_quick_swaps(graph: Graph) -> Graph:
    """The graph with the exchanges of its own body in that form."""
    uses = Counter(child for node in graph.body for child in operands(node))
    uses.update(graph.results)
    found = {node: swap for node in graph.body if (swap := _swap(node, uses)) is not None}
    if not found:
        return graph
    make = Builder()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node not in found:
            return None
        word, distance, low = found[node]
        return _by_masks(make, rewriter.get(word), distance, low)

    return rewrite(graph, make, visit)


def _by_masks(make: Builder, word: Node, distance: int, low: int) -> Node:
    n, d = word.width, make.const(distance, 8)
    kept = make.make(Op.AND, (word, make.const(mask(n) ^ low ^ low << distance, n)))
    up = make.make(Op.SHL, (make.make(Op.AND, (word, make.const(low, n))), d))
    down = make.make(Op.AND, (make.make(Op.SHR, (word, d)), make.const(low, n)))
    return make.make(Op.OR, (make.make(Op.OR, (kept, up)), down))


def _swap(node: Node, uses: Counter[Node]) -> _Swap | None:
    """What a node exchanges, if it is such a sum and needs all that it is made of alone."""
    if node.op is not Op.XOR:
        return None
    for outer, shifted in (node.inputs, node.inputs[::-1]):
        if shifted.op is Op.SHL and outer.op is Op.XOR and uses[outer] == uses[shifted] == 1:
            moved, distance = shifted.inputs
            for word, other in (outer.inputs, outer.inputs[::-1]):
                if other is moved and uses[moved] == 2 and distance.op is Op.CONST:
                    low = _low_bits(moved, word, distance.attr, uses)
                    if (
                        low is not None
                        and not low & low << distance.attr
                        and low << distance.attr <= mask(node.width)
                    ):
                        return word, distance.attr, low
    return None


def _low_bits(moved: Node, word: Node, distance: int, uses: Counter[Node]) -> int | None:
    """The mask of ``(word ^ word >> distance) & mask``, if that is what it is."""
    if moved.op is not Op.AND:
        return None
    for apart, chosen in (moved.inputs, moved.inputs[::-1]):
        if chosen.op is Op.CONST and apart.op is Op.XOR and uses[apart] == 1 and word in apart.inputs:
            shifted = apart.inputs[apart.inputs[0] is word]
            down = shifted.op is Op.SHR and shifted.inputs[0] is word and shifted.inputs[1].op is Op.CONST
            if down and shifted.inputs[1].attr == distance:
                return int(chosen.attr)
    return None
