"""Short indices of tables taken as whole bytes, where they lie at a byte's place in a word.

A processor reads a byte of a word in one step, and fewer bits of it in two, of which the second makes the
lookup wait. The bits that come along above the index do not matter to a table that has every entry for each
of their values; tables become up to four times as large, and stay where they are if that is too much.
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite

_BYTE = 8
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
