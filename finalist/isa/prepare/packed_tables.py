"""Tables of few bits an entry, two of them in one of bytes: for who counts the bytes of tables.

    join(a[x], b[y])    ->    m[x] & 15 | m[y] & 240        m[k] = a[k] | b[k] << 4

Of two the one is in the high bits whose entries go there.
"""

from __future__ import annotations

from collections.abc import Mapping

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify

#: Bits of an entry, of which two fit into a byte.
_HALF = 4


def packed(graph: Graph) -> Graph:
    """The graph with its tables of up to four bits an entry in pairs; one that is left over stays."""
    places = _places(graph)
    if not places:
        return graph

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        make = rewriter.builder
        if node.op is Op.JOIN and [_place(child, places) for child in node.inputs] == [0, _HALF]:
            low, high = (child.inputs[0] for child in inputs)  # of slices of what is read
            parts = (
                make.make(Op.AND, (low, make.const(15, 8))),
                make.make(Op.AND, (high, make.const(240, 8))),
            )
            return make.make(Op.OR, parts)
        if node.op is not Op.LOOKUP or node.attr not in places:
            return None
        table, first = places[node.attr]
        return make.slice(make.make(Op.LOOKUP, inputs, table), first, node.width)

    return rewrite(graph, Builder(simplify), visit)


def _places(graph: Graph) -> Mapping[TableData, tuple[TableData, int]]:
    """For tables of few bits the one that they go into, and from which bit on."""
    found = (node.attr for node in every_node(graph) if node.op is Op.LOOKUP)
    raised = _raised(graph)
    by_length: dict[int, list[TableData]] = {}
    for table in dict.fromkeys(found):
        if table.width <= _HALF:
            by_length.setdefault(len(table.values), []).append(table)
    places: dict[TableData, tuple[TableData, int]] = {}
    for tables in by_length.values():
        tables.sort(key=raised.__contains__)
        for a, b in zip(tables[: len(tables) // 2], tables[::-1], strict=False):
            values = tuple(x | y << _HALF for x, y in zip(a.values, b.values, strict=True))
            both = TableData(values, 2 * _HALF, f"{a.name}{b.name}", f"derived: {a.name} and {b.name}")
            places |= {a: (both, 0), b: (both, _HALF)}
    return places


def _place(node: Node, places: Mapping[TableData, tuple[TableData, int]]) -> int | None:
    """From which bit on an entry that is read will be."""
    return places[node.attr][1] if node.op is Op.LOOKUP and node.attr in places else None


def _raised(graph: Graph) -> set[TableData]:
    """The tables whose entries go to the high bits of a byte."""
    joins = (node for node in every_node(graph) if node.op is Op.JOIN and len(node.inputs) == 2)
    return {node.inputs[1].attr for node in joins if node.inputs[1].op is Op.LOOKUP}
