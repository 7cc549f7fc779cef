"""Windows: reads of a long array of the key that can only fall into a short piece of it.

FROG keeps the substitutions of all rounds in one array of 2304 bytes and reads round r's at 288 r + 16 + x,
x a byte. To a machine that reads short tables in a way of its own, that piece is a table of 256 entries.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.analysis import KeyOnly, greatest
from finalist.passes.simplify import simplify

#: Bits of the index of the largest window.
INDEX_BITS = 8


def with_windows(kernel: Graph) -> Graph:
    """The kernel reading its key through windows, wherever a place is a byte beyond one of the key's."""
    key_only = KeyOnly()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        make = rewriter.builder
        if node.op is not Op.LOAD or not _is_key(inputs[0]) or key_only(inputs[1]):
            return None
        split = _split(make, inputs[1], key_only)
        room = min(node.inputs[0].length, 1 << inputs[1].width)  # neither wraps around
        if split is None or greatest(split[0]) + (1 << split[1].width) > room:
            return None
        start, place = split
        return make.make(Op.LOAD, (make.make(Op.WINDOW, (inputs[0], start), 1 << place.width), place))

    return rewrite(kernel, Builder(simplify), visit)


def _is_key(array: Node) -> bool:
    return array.op is Op.PARAM and array.attr == "key"


def _split(make: Builder, index: Node, key_only: KeyOnly) -> tuple[Node, Node] | None:
    """A place as one of the key's, and a byte that is added to it."""
    if index.op is Op.EXTEND:
        start, (place,) = make.const(0, index.width), index.inputs
    elif index.op is Op.ADD and any(child.op is Op.EXTEND for child in index.inputs):
        extended, start = sorted(index.inputs, key=lambda child: (child.op is not Op.EXTEND, key_only(child)))
        (place,) = extended.inputs
    elif index.op is Op.JOIN:
        place, *upper = index.inputs
        start = make.make(Op.JOIN, (make.const(0, place.width), *upper))
    else:
        return None
    return (start, place) if place.width <= INDEX_BITS and key_only(start) else None
