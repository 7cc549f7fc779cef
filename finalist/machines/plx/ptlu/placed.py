"""Bytes from tables joined to a word, as words from wider tables: no shifts and no more operations."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify


def with_placed_tables(graph: Graph, most: int, widest: int) -> Graph:
    """The graph with joined bytes from tables as XORs of words from tables with the bytes in their places.

    Left as it is where that takes more than ``most`` tables in all, or entries of more than ``widest`` bits.
    """
    placed = _Placer(widest)
    new = rewrite(graph, Builder(simplify), placed.visit)
    tables = {node.attr for node in every_node(new) if node.op is Op.LOOKUP}
    return new if len(tables) <= most else graph


class _Placer:
    def __init__(self, widest: int) -> None:
        self.widest = widest
        self.tables: dict[tuple[TableData, int, int], TableData] = {}

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """A join of nothing but lookups."""
        if node.op is not Op.JOIN or node.width > self.widest:
            return None
        if any(part.op is not Op.LOOKUP for part in inputs):
            return None
        make, total, at = rewriter.builder, None, 0
        for part in inputs:
            word = make.make(Op.LOOKUP, part.inputs, self._moved(part.attr, at, node.width))
            total = word if total is None else make.make(Op.XOR, (total, word))
            at += part.width
        return total

    def _moved(self, table: TableData, at: int, width: int) -> TableData:
        key = table, at, width
        if key not in self.tables:
            values = tuple(value << at for value in table.values)
            self.tables[key] = TableData(values, width, table.name, f"{table.name}, moved up by {at} bits")
        return self.tables[key]
