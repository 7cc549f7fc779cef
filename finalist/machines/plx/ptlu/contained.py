"""Bytes from a table that others have among the bytes of their entries are taken from those.

Rijndael's last round wants bytes of the S-box. Each is an entry's byte in the tables that the other rounds
read: masked, and turned to its place, it needs no table of its own.

Bytes from tables joined to a word are words from wider tables, where there are such. And since
simplification takes bits from where they come from, bytes that lie across those of a word are taken from
the word rotated, where that is there anyway: a machine that looks up bytes where they stand wants those.
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify

#: A table, and the byte of its entries.
Place = tuple[TableData, int]


def with_contained_tables(graph: Graph) -> Graph:
    """The graph with joined bytes from tables, where all can be, as masked entries of wider tables.

    All bytes of a word are turned by the same amount, and each is read from a table that the same byte of
    other words reads, if there is one.
    """
    places = _Places(graph)
    return rewrite(graph, Builder(simplify), places.visit)


class _Places:
    def __init__(self, graph: Graph) -> None:
        #: Wide tables and the bytes of words that read them.
        self.readers: dict[TableData, set[int]] = {}
        self._known: dict[TableData, list[Place]] = {}
        for node in every_node(graph):
            if node.op is Op.LOOKUP and node.width == 32:
                self.readers.setdefault(node.attr, set()).add(_byte(node.inputs[0]))

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """A join of nothing but bytes looked up."""
        bytes_ = [part for part in inputs if part.op is Op.LOOKUP and part.width == 8]
        if node.op is not Op.JOIN or node.width != 32 or len(bytes_) != len(inputs):
            return None
        choices = [(self._tables(bytes_, turn), turn) for turn in range(4)]
        whole = [(tables, turn) for tables, turn in choices if len(tables) == len(bytes_)]
        if not whole:
            return None
        tables, turn = min(whole, key=lambda choice: self._elsewhere(bytes_, choice[0]))
        return _masked(rewriter.builder, bytes_, tables, turn)

    def _tables(self, parts: Sequence[Node], turn: int) -> list[TableData]:
        """For each byte of a word, turned, a table that has it there, as far as there are some."""
        found = [self._table(part, (k + turn) % 4) for k, part in enumerate(parts)]
        return [table for table in found if table is not None]

    def _elsewhere(self, parts: Sequence[Node], tables: Sequence[TableData]) -> int:
        """How many tables are read by other bytes of words so far."""
        pairs = zip(parts, tables, strict=True)
        return sum(_byte(part.inputs[0]) not in self.readers[table] for part, table in pairs)

    def _table(self, part: Node, place: int) -> TableData | None:
        """A table that has the byte there, best one that is read by such bytes anyway."""
        byte = _byte(part.inputs[0])
        found = [table for table, own in self.places(part.attr) if own == place]
        return min(found, key=lambda table: byte not in self.readers[table], default=None)

    def places(self, table: TableData) -> Sequence[Place]:
        """Where a table of bytes stands in wider ones."""
        if table not in self._known:
            self._known[table] = [
                (wide, k)
                for wide in self.readers
                for k in range(4)
                if len(wide.values) == len(table.values)
                and all(w >> 8 * k & 0xFF == b for w, b in zip(wide.values, table.values, strict=True))
            ]
        return self._known[table]


def _masked(make: Builder, parts: Sequence[Node], tables: Sequence[TableData], turn: int) -> Node:
    total: Node | None = None
    for k, (part, table) in enumerate(zip(parts, tables, strict=True)):
        kept = make.const(0xFF << 8 * ((k + turn) % 4), 32)
        word = make.make(Op.AND, (make.make(Op.LOOKUP, part.inputs, table), kept))
        total = word if total is None else make.make(Op.XOR, (total, word))
    assert total is not None
    return make.make(Op.ROR, (total, make.const(8 * turn, 8))) if turn else total


def _byte(index: Node) -> int:
    """The byte of a word that an index is."""
    return index.attr // 8 if index.op is Op.SLICE else 0


_TURNS = frozenset({Op.ROL, Op.ROR})


def with_whole_bytes(graph: Graph) -> Graph:
    """The graph with such bytes as bytes of the rotated word."""
    turned: dict[tuple[Node, int], Node] = {}
    for node in every_node(graph):
        if node.op in _TURNS and node.inputs[1].op is Op.CONST:
            right = node.inputs[1].attr if node.op is Op.ROR else -node.inputs[1].attr
            turned[node.inputs[0], right % node.width] = node

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.SLICE or node.attr % 8 == 0 or node.width > 8:
            return None
        word, low = node.inputs[0], node.attr
        for (source, right), whole in turned.items():
            if source is word and low >= right and (low - right) % 8 == 0:
                return rewriter.builder.slice(rewriter.get(whole), low - right, node.width)
        return None

    return rewrite(graph, Builder(), visit)


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
