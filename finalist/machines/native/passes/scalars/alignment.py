"""Bytes off a byte's place in a word are taken from the word rotated, where that is there anyway.

Processors have instructions for the bytes of a word, and two steps for any other eight bits. So a slice
of a rotation, which `simplify` takes from the word itself, goes back where the rotation stays.
"""

from __future__ import annotations

from collections.abc import Iterator

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite

_BYTE = 8


def aligned(graph: Graph) -> Graph:
    """The graph with such slices moved; not to be simplified again."""
    better: dict[Node, tuple[Node, int]] = {}
    for region in _regions(graph):
        better |= _better_places(region)
    if not better:
        return graph
    make = Builder()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node not in better:
            return None
        rotated, low = better[node]
        return make.make(Op.SLICE, (rewriter.get(rotated),), low, type_=node.type)

    return rewrite(graph, make, visit)


def _regions(region: Region) -> Iterator[Region]:
    yield region
    for node in region.body:
        if isinstance(node.attr, Region):
            yield from _regions(node.attr)


def _better_places(region: Region) -> dict[Node, tuple[Node, int]]:
    """For slices off a byte's place, rotations of their word in which they are at one, and that place."""
    rotations: dict[Node, list[Node]] = {}
    for node in region.body:
        if node.op in (Op.ROL, Op.ROR) and node.inputs[1].op is Op.CONST:
            rotations.setdefault(node.inputs[0], []).append(node)
    found = {}
    for node in region.body:
        if node.op is Op.SLICE and node.width == _BYTE and node.attr % _BYTE:
            for rotated in rotations.get(node.inputs[0], ()):
                low = _place(node, rotated)
                if low % _BYTE == 0 and low + _BYTE <= rotated.width and rotated.phase <= node.phase:
                    found[node] = (rotated, low)
                    break
    return found


def _place(taken: Node, rotated: Node) -> int:
    """Where the lowest bit of a slice is in a rotation of its word."""
    amount = rotated.inputs[1].attr
    return int(taken.attr + (amount if rotated.op is Op.ROL else -amount)) % rotated.width
