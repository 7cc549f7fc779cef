"""Linear maps that stay linear maps, as word operations: what is left where no table is wanted."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify


def run(program: Program) -> Program:
    """Both graphs without `linear` operations."""
    return program.with_graphs(lowered(program.expand), lowered(program.kernel))


def lowered(graph: Graph) -> Graph:
    """Each linear map as XORs of masked, moved words."""

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.LINEAR:
            return None
        make = rewriter.builder
        total = make.const(0, node.width)
        for matrix, word in zip(node.attr, inputs, strict=True):
            total = make.make(Op.XOR, (total, multiply(make, matrix, word, node.width)))
        return total

    return rewrite(graph, Builder(simplify), visit)


def multiply(make: Builder, matrix: Matrix, word: Node, width: int) -> Node:
    """matrix * word.

    All input bits that move by the same distance go in one step, ``(word & these) << distance``, as far
    as that takes fewer steps than one masked column for each bit.
    """
    if len(_diagonals(matrix)) <= sum(1 for column in matrix if column):
        return _by_diagonals(make, matrix, word, width)
    return _by_columns(make, matrix, word, width)


def _diagonals(matrix: Matrix) -> dict[int, int]:
    """For each distance, the input bits that reach an output bit that far up."""
    found: dict[int, int] = {}
    for source, column in enumerate(matrix):
        for target in range(column.bit_length()):
            if column >> target & 1:
                found[target - source] = found.get(target - source, 0) | 1 << source
    return found


def _by_diagonals(make: Builder, matrix: Matrix, word: Node, width: int) -> Node:
    total = make.const(0, width)
    room = max(width, word.width)
    wide = make.extend(word, room)
    for distance, bits in sorted(_diagonals(matrix).items()):
        term = make.make(Op.AND, (wide, make.const(bits, room)))
        move = Op.SHL if distance >= 0 else Op.SHR
        term = make.make(move, (term, make.const(abs(distance), 8)))
        total = make.make(Op.XOR, (total, make.slice(term, 0, width)))
    return total


def _by_columns(make: Builder, matrix: Matrix, word: Node, width: int) -> Node:
    total = make.const(0, width)
    for bit, column in enumerate(matrix):
        chosen = make.extend(make.slice(word, bit, 1), width)
        spread = make.make(Op.SUB, (make.const(0, width), chosen))
        total = make.make(Op.XOR, (total, make.make(Op.AND, (spread, make.const(column, width)))))
    return total
