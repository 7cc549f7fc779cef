"""Linear maps of bytes by powers of one step, and by few tables: what a map is applied to is added up first.

    2 a ^ 3 b ^ c ^ d = x (a ^ b) ^ (b ^ c ^ d)       where a step, x, is a shift by one bit with a constant
    14 a ^ 11 b ^ 13 c ^ 9 d = x (x (x (a ^ b ^ c ^ d) ^ (a ^ c)) ^ (a ^ b)) ^ (b ^ c ^ d)
    a ^ EF b ^ 5B c ^ 5B d = a ^ T[c ^ d] ^ U[b]      where T and U are tables

Powers of the step are by Horner's rule for each byte of the result. What several bytes have in common, as
x (a ^ b ^ c ^ d), is computed once; so is the sum of all, of which a sum of most lacks few:

    b ^ c ^ d = (a ^ b ^ c ^ d) ^ a

(J. Daemen, V. Rijmen, "The Design of Rijndael", 2002, section 4.1.1, has such sums by hand.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.matrices import added, identity
from finalist.passes.simplify import simplify

BITS = 8
#: The highest power of a step.
_MOST = 4
#: What a step, a table read, an XOR, and keeping a byte take, in cycles of a processor of the kind that wants
#: this, about.
STEP, LOOKUP, XOR, KEPT = 11, 8, 4, 4


@dataclass(frozen=True, slots=True)
class Step:
    """A shift by one bit, to the ``left`` or right, with ``constant`` added where a bit was lost."""

    left: bool
    constant: int

    def __call__(self, byte: int) -> int:
        """What becomes of a byte."""
        lost = byte >> BITS - 1 if self.left else byte & 1
        moved = byte << 1 & 0xFF if self.left else byte >> 1
        return moved ^ (self.constant if lost else 0)

    def of(self, matrix: Matrix) -> Matrix:
        """The step after a matrix."""
        return tuple(map(self, matrix))

    def powers(self) -> list[Matrix]:
        """The matrices of no step to `_MOST` steps."""
        found = [identity(BITS)]
        for _ in range(_MOST):
            found.append(self.of(found[-1]))
        return found

    def build(self, make: Builder, byte: Node) -> Node:
        """The step as operations."""
        lost = make.slice(byte, BITS - 1 if self.left else 0, 1)
        spread = make.make(Op.SUB, (make.const(0, BITS), make.extend(lost, BITS)))
        moved = make.make(Op.SHL if self.left else Op.SHR, (byte, make.const(1, 8)))
        return make.make(Op.XOR, (moved, make.make(Op.AND, (spread, make.const(self.constant, BITS)))))


def is_of_bytes(node: Node) -> bool:
    """Whether a node is a linear map of bytes to a byte."""
    return node.op is Op.LINEAR and node.width == BITS and all(x.width == BITS for x in node.inputs)


def sums(matrices: Sequence[Matrix]) -> set[Matrix]:
    """All sums of some of the matrices."""
    found: set[Matrix] = {(0,) * BITS}
    for matrix in matrices:
        found |= {added(matrix, other) for other in found}
    return found


def by_powers(
    graph: Graph, step: Step | None, tables: Mapping[Matrix, TableData] = {}, whole: bool = False
) -> Graph:
    """The graph, its linear maps of bytes computed by steps and tables: all coefficients are sums of a step's
    powers and of what ``tables`` have. ``whole``: whether sums of most bytes are made of the sum of all."""
    return rewrite(graph, Builder(simplify), _Worker(step, tables, whole).visit)


#: Sums of bytes: what a power of the step is applied to, and what a table is read at.
Terms = tuple[list[list[Node]], dict[TableData, list[Node]]]


@dataclass
class _Worker:
    step: Step | None
    tables: Mapping[Matrix, TableData]
    whole: bool
    order: dict[Node, int] = field(default_factory=dict)
    made_of: Mapping[Matrix, tuple[Base, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self.made_of = _made_of(self.step, self.tables)

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """The sum of what powers and tables make of sums, for a linear map of bytes."""
        if not is_of_bytes(node):
            return None
        for byte in inputs:
            self.order.setdefault(byte, len(self.order))
        pairs = sorted(zip(inputs, node.attr, strict=True), key=lambda pair: self.order[pair[0]])
        powers: list[list[Node]] = [[] for _ in range(_MOST + 1)]
        read: dict[TableData, list[Node]] = {table: [] for table in self.tables.values()}
        for byte, matrix in pairs:
            for base in self.made_of[matrix]:
                (powers[base] if isinstance(base, int) else read[base]).append(byte)
        return self._evaluated(rewriter.builder, (powers, read), list(dict(pairs)))

    def _evaluated(self, make: Builder, terms: Terms, every: Sequence[Node]) -> Node:
        """The polynomial in the step whose coefficients are sums of bytes, and what is read at others."""
        powers, read = terms
        total: Node | None = None
        for power, bytes_ in reversed(list(enumerate(powers))):
            if total is not None and self.step is not None:
                total = self.step.build(make, total)
            if power == 0:
                for table, places in read.items():
                    at = self._sum(make, None, places, every)
                    total = total if at is None else _added(make, total, make.make(Op.LOOKUP, (at,), table))
            total = self._sum(make, total, bytes_, every)
        return make.const(0, BITS) if total is None else total

    def _sum(
        self, make: Builder, total: Node | None, bytes_: Sequence[Node], every: Sequence[Node]
    ) -> Node | None:
        """A word and some of the bytes added up."""
        others = [byte for byte in every if byte not in bytes_]
        if self.whole and 1 + len(others) < len(bytes_):
            parts = [self._sum_of_all(make, every), *others]
        else:
            parts = list(bytes_)
        for part in parts:
            total = _added(make, total, part)
        return total

    def _sum_of_all(self, make: Builder, every: Sequence[Node]) -> Node:
        total, *others = every
        for byte in others:
            total = make.make(Op.XOR, (total, byte))
        return total


def _added(make: Builder, total: Node | None, part: Node) -> Node:
    return part if total is None else make.make(Op.XOR, (total, part))


#: A power of the step, or a table.
Base = int | TableData


def _made_of(step: Step | None, tables: Mapping[Matrix, TableData]) -> Mapping[Matrix, tuple[Base, ...]]:
    """For sums of the step's powers and of tables which ones they are of, at the least cost."""
    powers = [identity(BITS)] if step is None else step.powers()
    bases: list[tuple[int, Base, Matrix]] = [(STEP * k, k, matrix) for k, matrix in enumerate(powers)]
    bases += [(LOOKUP, table, matrix) for matrix, table in tables.items()]
    found: dict[Matrix, tuple[int, tuple[Base, ...]]] = {}
    for count in range(len(bases) + 1):
        for chosen in combinations(bases, count):
            total: Matrix = (0,) * BITS
            for _, _, matrix in chosen:
                total = added(total, matrix)
            cost = sum(cost for cost, _, _ in chosen) + XOR * count
            if total not in found or cost < found[total][0]:
                found[total] = cost, tuple(base for _, base, _ in chosen)
    return {matrix: chosen for matrix, (_, chosen) in found.items()}
