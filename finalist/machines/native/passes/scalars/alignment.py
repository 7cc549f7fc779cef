"""Bytes off a byte's place in a word are taken from the word rotated, where that is there anyway.

Processors have instructions for the bytes of a word, and two steps for any other eight bits. So a slice
of a rotation, which `simplify` takes from the word itself, goes back where the rotation stays.

Short indices of tables are taken as whole bytes, where they lie at a byte's place in a word: a processor
reads a byte in one step, and fewer bits in two. The bits that come along above the index do not matter to a
table that has every entry for each of their values; tables become up to four times as large, and stay where
they are if that is too much.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, TableData, every_node, every_region
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite

_BYTE = 8


def aligned(graph: Graph) -> Graph:
    """The graph with such slices moved; not to be simplified again."""
    better: dict[Node, tuple[Node, int]] = {}
    for region in every_region(graph):
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


#: Bits of an index, at least: those of fewer would make a table too many times as large.
_LEAST = 6
#: Bytes of all tables that are made so, at most: a small part of a first-level cache.
_MOST = 16 << 10


def with_byte_indices(graph: Graph) -> Graph:
    """The graph with such indices; not to be simplified again."""
    short = [node for node in every_node(graph) if _is_short(node)]
    tables = {node.attr: _repeated(node.attr) for node in short}
    if not tables or sum(len(table.values) * table.width // _BYTE for table in tables.values()) > _MOST:
        return graph
    make = Builder()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if not _is_short(node):
            return None
        index = node.inputs[0]
        byte = make.slice(rewriter.get(index.inputs[0]), index.attr, _BYTE)
        return make.make(Op.LOOKUP, (byte,), tables[node.attr])

    return rewrite(graph, make, visit)


def _is_short(node: Node) -> bool:
    """Whether a lookup is at a place that could be a byte of a word."""
    if node.op is not Op.LOOKUP or not _LEAST <= node.inputs[0].width < _BYTE:
        return False
    index = node.inputs[0]
    in_word = index.op is Op.SLICE and index.inputs[0].width % _BYTE == 0 and index.inputs[0].width > _BYTE
    return in_word and index.attr % _BYTE == 0


def _repeated(table: TableData) -> TableData:
    """The table with an entry for every byte."""
    times = (1 << _BYTE) // len(table.values)
    note = table.note or f"{table.name}, whatever the upper bits of its index are"
    return TableData(table.values * times, table.width, table.name, note)
