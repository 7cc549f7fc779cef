"""Linear maps of bytes without tables: by powers of one step, with Horner's rule for each byte of the result.

    2 a ^ 3 b ^ c ^ d = x (a ^ b) ^ (b ^ c ^ d)       where a step, x, is a shift by one bit with a constant
    14 a ^ 11 b ^ 13 c ^ 9 d = x (x (x (a ^ b ^ c ^ d) ^ (a ^ c)) ^ (a ^ b)) ^ (b ^ c ^ d)

What several bytes have in common, such as x (a ^ b ^ c ^ d), is computed once.
(J. Daemen, V. Rijmen, "The Design of Rijndael", 2002, section 4.1.1, has the first of these by hand.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.matrices import added, identity
from finalist.passes.simplify import simplify

BITS = 8
#: The highest power of a step.
_MOST = 4


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


def by_powers(graph: Graph, step: Step) -> Graph:
    """The graph, its linear maps of bytes computed by steps: all coefficients are sums of a step's powers."""
    made_of = _exponents(step)
    order: dict[Node, int] = {}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if not is_of_bytes(node):
            return None
        for byte in inputs:
            order.setdefault(byte, len(order))
        terms: list[list[Node]] = [[] for _ in range(_MOST + 1)]
        for byte, matrix in sorted(zip(inputs, node.attr, strict=True), key=lambda pair: order[pair[0]]):
            for power in made_of[matrix]:
                terms[power].append(byte)
        return _evaluated(rewriter.builder, step, terms)

    return rewrite(graph, Builder(simplify), visit)


def _exponents(step: Step) -> Mapping[Matrix, tuple[int, ...]]:
    """For sums of the step's powers which ones they are of, as few as can be."""
    powers = step.powers()
    found: dict[Matrix, tuple[int, ...]] = {}
    for count in range(len(powers) + 1):
        for chosen in combinations(range(len(powers)), count):
            total: Matrix = (0,) * BITS
            for power in chosen:
                total = added(total, powers[power])
            found.setdefault(total, chosen)
    return found


def _evaluated(make: Builder, step: Step, terms: Sequence[Sequence[Node]]) -> Node:
    """The polynomial in the step whose coefficients are sums of bytes."""
    total: Node | None = None
    for bytes_ in reversed(terms):
        total = None if total is None else step.build(make, total)
        for byte in bytes_:
            total = byte if total is None else make.make(Op.XOR, (total, byte))
    return make.const(0, BITS) if total is None else total
