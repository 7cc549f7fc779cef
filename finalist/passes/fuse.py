"""Fusing linear maps into lookups: a lookup followed by a linear map is a lookup in a wider table.

This is what turns Rijndael's specification into its T-tables, Twofish's into full keying, and a
permutation after S-boxes into SP-boxes. A map M of a word put together from parts is the XOR over the
parts of M_i * part_i; each term becomes the cheapest thing that it can be:

- part is ``table[x]``: one lookup in the table of ``M_i * table[x]``;
- part is a keyed function: the keyed function followed by ``M_i`` (see `finalist.passes.keying`);
- part depends on the key alone: left as a linear map, to be moved into the key schedule;
- any other word: one lookup for each of its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node, Region, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, inline, rewrite
from finalist.passes import linear
from finalist.passes.analysis import KeyOnly, left_to_key_schedule
from finalist.passes.matrices import added, apply_matrix
from finalist.passes.simplify import simplify

#: Widest index of a table that is made.
INDEX_BITS = 9
#: What a lookup costs in word operations, and a kibibyte of new tables in a cache that others want too.
_LOOKUP, _KIBIBYTE = 4, 2
#: Kibibytes of tables that stay in a cache of the first level beside others.
_NEAR = 16


def run(program: Program, fuser: Fuser) -> Program:
    """The program with the linear maps of its kernel fused.

    Maps of words of the key are left to the key schedule, unless they are computed where they are used.
    """
    kernel = fuser.run(program.kernel, left_to_key_schedule(program))
    return program.with_graphs(program.expand, kernel)


def fused(graph: Graph, fuser: Fuser, width: int | None = None) -> Graph:
    """The graph with its linear maps fused, by the names for tables that the fuser has given already.

    ``width``: bits of the widest result here, if not the fuser's own.
    """
    return (fuser if width is None else replace(fuser, width=width)).run(graph)


@dataclass(unsafe_hash=True)
class Fuser:
    """Fuses the linear maps of one program whose result has at most ``width`` bits.

    ``alone``: whether blocks come one by one, so that what counts is how long a result is waited for.
    Equal to any other of the same width and use, whatever it has made.
    """

    width: int
    alone: bool = False
    key_only: KeyOnly = field(default_factory=KeyOnly, compare=False)
    tables: dict[tuple[str, TableData], TableData] = field(default_factory=dict, compare=False)
    #: By matrix, table, width and the table's name.
    fused: dict[tuple[Matrix, TableData, int, str], TableData] = field(default_factory=dict, compare=False)
    regions: dict[tuple[Region, Matrix], Region] = field(default_factory=dict, compare=False)

    def run(self, graph: Graph, key_only: KeyOnly | None = None) -> Graph:
        """The graph with its linear maps fused; ``key_only``: which words are left alone."""
        self.key_only = key_only or KeyOnly()
        if not any(node.op in (Op.LINEAR, Op.APPLY) for node in every_node(graph)):
            return graph
        return rewrite(graph, Builder(simplify), self._visit)

    def _visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is Op.APPLY:
            return rewriter.builder.apply(self._keyed(node.region, None), inputs)
        if node.op is not Op.LINEAR or node.width > self.width or self._of_key(inputs):
            return None
        terms = _merge(self._terms(zip(node.attr, inputs, strict=True)))
        if not self._pays(node, terms):
            return None
        return self._sum(rewriter.builder, terms, node.width)

    def _of_key(self, inputs: tuple[Node, ...]) -> bool:
        return all(self.key_only(child) for child in inputs)

    def _pays(self, node: Node, terms: dict[Node, Matrix]) -> bool:
        """Whether tables take less than word operations would; they do where lookups are there anyway."""
        rest = {x: m for x, m in terms.items() if not self.key_only(x)}
        if any(x.op is Op.APPLY or (x.op is Op.LOOKUP and x.inputs[0].width <= INDEX_BITS) for x in rest):
            return True
        lookups = sum(-(-x.width // 8) for x in rest)
        # What was looked up is waited for in any case; the next lookup is over before the operations are.
        if self.alone and lookups * node.width // 32 <= _NEAR and any(x.op is Op.LOOKUP for x in rest):
            return True
        tables = _LOOKUP * lookups + _KIBIBYTE * lookups * node.width // 32
        return tables < sum(linear.cost(m, node.width) for m in node.attr)

    # -- taking the operands apart --------------------------------------------------------------

    def _terms(self, pairs: Iterable[tuple[Matrix, Node]]) -> list[tuple[Matrix, Node]]:
        """The sum as terms whose words are not themselves put together linearly from small parts."""
        terms: list[tuple[Matrix, Node]] = []
        stack = list(pairs)[::-1]
        while stack:
            matrix, node = stack.pop()
            parts = self._parts(matrix, node)
            if parts is None:
                terms.append((matrix, node))
            else:
                stack.extend(reversed(parts))
        return terms

    def _parts(self, matrix: Matrix, node: Node) -> list[tuple[Matrix, Node]] | None:
        if node.op is Op.JOIN:
            lows = [sum(p.width for p in node.inputs[:k]) for k in range(len(node.inputs))]
            return [(matrix[lo : lo + p.width], p) for lo, p in zip(lows, node.inputs, strict=True)]
        if node.op is Op.EXTEND:
            return [(matrix[: node.inputs[0].width], node.inputs[0])]
        if node.op is Op.XOR and any(self._worth(child) for child in node.inputs):
            return [(matrix, child) for child in node.inputs]
        return None

    def _worth(self, node: Node) -> bool:
        """Whether a summand is worth a term of its own."""
        return node.op in (Op.LOOKUP, Op.APPLY, Op.CONST) or self.key_only(node)

    # -- putting the terms together -------------------------------------------------------------

    def _sum(self, make: Builder, terms: dict[Node, Matrix], width: int) -> Node:
        total = make.const(0, width)
        of_key = {node: matrix for node, matrix in terms.items() if self.key_only(node)}
        for node, matrix in terms.items():
            if node not in of_key:
                total = make.make(Op.XOR, (total, self._term(make, matrix, node, width)))
        if of_key:
            keyed = make.linear(list(of_key.values()), list(of_key), width)
            total = make.make(Op.XOR, (total, keyed))
        return total

    def _term(self, make: Builder, matrix: Matrix, node: Node, width: int) -> Node:
        if node.op is Op.LOOKUP and node.inputs[0].width <= INDEX_BITS:
            return self._lookup(make, matrix, node.attr, node.inputs[0], width)
        if node.op is Op.APPLY:
            return make.apply(self._keyed(node.region, matrix, width), node.inputs)
        return self._by_bytes(make, matrix, node, width)

    def _by_bytes(self, make: Builder, matrix: Matrix, node: Node, width: int) -> Node:
        total = make.const(0, width)
        for low in range(0, node.width, 8):
            bits = min(8, node.width - low)
            part = make.slice(node, low, bits)
            identity = TableData(tuple(range(1 << bits)), bits, "M")
            piece = self._lookup(make, matrix[low : low + bits], identity, part, width)
            total = make.make(Op.XOR, (total, piece))
        return total

    def _lookup(self, make: Builder, matrix: Matrix, table: TableData, x: Node, width: int) -> Node:
        key = (matrix, table, width, table.name)
        if key not in self.fused:
            values = tuple(apply_matrix(matrix, value) for value in table.values)
            self.fused[key] = self._named(TableData(values, width), table.name)
        return make.make(Op.LOOKUP, (x,), self.fused[key])

    def _named(self, table: TableData, source: str) -> TableData:
        """One name for each table, numbered by the table that it was made from."""
        key = (source, table)
        if key not in self.tables:
            number = sum(1 for known, _ in self.tables if known == source)
            made = f"derived: {'a byte' if source == 'M' else source}, then a linear map"
            self.tables[key] = TableData(table.values, table.width, f"{source}_T{number}", made)
        return self.tables[key]

    def _keyed(self, region: Region, matrix: Matrix | None, width: int = 0) -> Region:
        """A keyed function followed by a matrix; each pair is made once, so equal functions stay equal."""
        key = (region, matrix or ())
        if key not in self.regions:
            make = Builder(simplify)
            params = [make.param("argument", p.type, p.name) for p in region.params]
            result = inline(region, params, make)
            if matrix is not None:
                result = make.linear([matrix], [result], width)
            self.regions[key] = Region(params, [result])
        return self.regions[key]


def _merge(terms: Iterable[tuple[Matrix, Node]]) -> dict[Node, Matrix]:
    """Equal words once, their matrices added."""
    merged: dict[Node, Matrix] = {}
    for matrix, node in terms:
        merged[node] = added(matrix, merged[node]) if node in merged else matrix
    return merged
