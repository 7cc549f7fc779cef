"""Which word of a gate of three inputs its result may take the place of.

Instructions for such gates write to a register that they read. Where that word is needed later, it has to
be copied first. So a word that is read for the last time comes last, and the key's, which a processor
takes from memory, come first.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, operands, reads_parameter
from finalist.ir.ops import CONTROL, Op
from finalist.ir.rewrite import Rewriter, rewrite

_INPUTS = 3


def with_last_reads_last(graph: Graph) -> Graph:
    """The same graph, the words of each boolean function in an order that saves copies."""
    last: dict[Node, Node] = {}
    _find_last(graph, last)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.BOOL or len(inputs) != _INPUTS:
            return None
        places = sorted(range(_INPUTS), key=lambda k: _rank(node, node.inputs[k], last))
        truth = sum(
            (node.attr >> sum((row >> to & 1) << place for to, place in enumerate(places)) & 1) << row
            for row in range(1 << _INPUTS)
        )
        return rewriter.builder.make(Op.BOOL, [inputs[place] for place in places], truth)

    return rewrite(graph, Builder(), visit)


def _rank(user: Node, word: Node, last: dict[Node, Node]) -> int:
    if word.op is Op.CONST or reads_parameter(word):
        return 0
    return 2 if last.get(word) is user else 1


def _find_last(region: Region, last: dict[Node, Node]) -> None:
    """For each word the node of its own region that takes it last; none of what the region gives."""
    own = {*region.params, *region.body}
    for node in region.body:
        if node.op in CONTROL:
            _find_last(node.region, last)
        last.update((child, node) for child in operands(node) if child in own)
    for result in region.results:
        last.pop(result, None)
