"""Linear maps that stay linear maps, as word operations: what is left where no table is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes import wiring
from finalist.passes.simplify import simplify

Way = Callable[[Builder, Matrix, Node, int], Node]


def no_legal_maps(node: Node) -> bool:
    """Of a machine that has an instruction for no linear map: all are lowered."""
    return False


def run(program: Program, legal: Callable[[Node], bool] = no_legal_maps) -> Program:
    """Both graphs without `linear` operations, but for those that are ``legal``: that the machine has."""
    return program.with_graphs(lowered(program.expand, legal), lowered(program.kernel, legal))


def lowered(graph: Graph, legal: Callable[[Node], bool] = no_legal_maps) -> Graph:
    """Each linear map as XORs of masked, moved words, but for those that are ``legal``."""
    if not any(node.op is Op.LINEAR and not legal(node) for node in every_node(graph)):
        return graph

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.LINEAR or legal(node):
            return None
        return total(rewriter.builder, node.attr, inputs, node.width)

    return rewrite(graph, Builder(simplify), visit)


def swapped(graph: Graph, width: int) -> Graph:
    """Each linear map of one word, wider than ``width`` bits, that is a few swaps of bits, as those: while it
    is whole, since of its parts nobody could tell."""

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.LINEAR or len(inputs) > 1 or node.width <= width:
            return None
        steps = wiring.network(node.attr[0], node.width)
        return None if steps is None else wiring.permuted(rewriter.builder, inputs[0], steps)

    return rewrite(graph, Builder(simplify), visit)


def total(make: Builder, matrices: Sequence[Matrix], words: Sequence[Node], width: int) -> Node:
    """The sum of the products of matrices and words."""
    found = make.const(0, width)
    for matrix, word in zip(matrices, words, strict=True):
        found = make.make(Op.XOR, (found, multiply(make, matrix, word, width)))
    return found


def multiply(make: Builder, matrix: Matrix, word: Node, width: int) -> Node:
    """matrix * word.

    All input bits that move by the same distance go in one step, ``(word & these) << distance``, or one
    masked column goes for each bit, or bits swap places (see `wiring`), whichever takes least.
    """
    _, way = _cheapest(matrix, width)
    return way(make, matrix, word, width)


def cost(matrix: Matrix, width: int) -> int:
    """About how many word operations `multiply` takes."""
    return _cheapest(matrix, width)[0]


def _cheapest(matrix: Matrix, width: int) -> tuple[int, Way]:
    """The ways there are, by what each takes."""
    ways = [
        (_DIAGONAL * len(_diagonals(matrix)), _by_diagonals),
        (_COLUMN * sum(1 for column in matrix if column), _by_columns),
    ]
    steps = wiring.network(matrix, width)
    if steps is not None:
        ways.append((wiring.network_cost(steps, width), _by_swaps))
    return min(ways, key=lambda way: way[0])


#: Word operations for one diagonal: a mask, a move, an XOR; for one column: a bit spread, a mask, an XOR.
_DIAGONAL, _COLUMN = 3, 4


def _by_swaps(make: Builder, matrix: Matrix, word: Node, width: int) -> Node:
    steps = wiring.network(matrix, width)
    assert steps is not None
    return wiring.permuted(make, word, steps)


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
