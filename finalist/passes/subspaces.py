"""Tables on bytes that are networks of tables on nibbles, as the permutations of many ciphers are built.

Such a permutation mixes a byte linearly, sends its halves through small tables, mixes again, and sends the
halves through small tables. Each half of its output is then t2[t0[a] ^ t1[b]], where a and b are four
linear forms of the input each. The forms are found from the table: moving b alone, or a alone, never leaves
the half as it was, so that the moves which do so are looked for, and the subspaces of four dimensions
among them. What is found is checked on all inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify

_HALF, _SIZE = 4, 16


@dataclass(frozen=True, slots=True)
class Half:
    """t2[t0[a] ^ t1[b]], a and b as matrices (columns: what each input bit contributes)."""

    a: Matrix
    b: Matrix
    t0: tuple[int, ...]
    t1: tuple[int, ...]
    t2: tuple[int, ...]

    def __call__(self, x: int) -> int:
        return self.t2[self.t0[_times(self.a, x)] ^ self.t1[_times(self.b, x)]]


def run(program: Program) -> Program:
    """The kernel with every table that has the form computed in it."""
    return program.with_graphs(program.expand, computed(program.kernel))


def tables(graph: Graph) -> list[TableData]:
    """The tables of a graph that have the form."""
    found = dict.fromkeys(node.attr for node in every_node(graph) if node.op is Op.LOOKUP)
    return [table for table in found if halves(table) is not None]


def computed(graph: Graph) -> Graph:
    """The graph without lookups in tables that have the form."""
    if not tables(graph):
        return graph

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        parts = halves(node.attr) if node.op is Op.LOOKUP else None
        if parts is None:
            return None
        make = rewriter.builder
        made = [_half(make, part, inputs[0], f"{node.attr.name}_{k}") for k, part in enumerate(parts)]
        return make.make(Op.JOIN, made)

    return rewrite(graph, Builder(simplify), visit)


def _half(make: Builder, half: Half, x: Node, name: str) -> Node:
    def small(values: tuple[int, ...], index: Node, part: str) -> Node:
        return make.make(Op.LOOKUP, (index,), TableData(values, _HALF, f"{name}_{part}"))

    a, b = make.linear([half.a], [x], _HALF), make.linear([half.b], [x], _HALF)
    inner = make.make(Op.XOR, (small(half.t0, a, "a"), small(half.t1, b, "b")))
    return small(half.t2, inner, "out")


@cache
def halves(table: TableData) -> tuple[Half, Half] | None:
    """The halves of the output, lowest first, of a table from bytes to bytes; None if it has no such form."""
    if table.width != 2 * _HALF or len(table.values) != _SIZE * _SIZE:
        return None
    found = []
    for low in (0, _HALF):
        half = _find([value >> low & _SIZE - 1 for value in table.values])
        if half is None:
            return None
        found.append(half)
    return found[0], found[1]


def _find(values: Sequence[int]) -> Half | None:
    moving = {v for v in range(1, 256) if all(values[x] != values[x ^ v] for x in range(256))}
    spaces = sorted(set(_spaces(moving)), key=sorted)
    for one, other in product(spaces, spaces):
        if one & other == {0}:
            half = _fitting(values, sorted(one), sorted(other))
            if half is not None and all(half(x) == values[x] for x in range(256)):
                return half
    return None


def _spaces(moving: set[int]) -> Iterable[frozenset[int]]:
    """The subspaces of four dimensions all of whose vectors but 0 are ``moving``."""
    spaces = {frozenset({0})}
    for _ in range(_HALF):
        larger = set()
        for space in spaces:
            for vector in moving - space:
                grown = space | {vector ^ other for other in space}
                if grown - {0} <= moving:
                    larger.add(frozenset(grown))
        spaces = larger
    return spaces


def _fitting(values: Sequence[int], one: Sequence[int], other: Sequence[int]) -> Half | None:
    """The small tables for a in ``one`` and b in ``other``, if there are some."""
    u, v = _basis(one), _basis(other)
    points = [[values[_combined(u, a) ^ _combined(v, b)] for a in range(_SIZE)] for b in range(_SIZE)]
    inverse = {y: a for a, y in enumerate(points[0])}
    # What b does to the output for b = 0, as a permutation; together they must be a group like (Z/2)^4.
    moves = {tuple(row[inverse[y]] for y in range(_SIZE)): b for b, row in enumerate(points)}
    labels = _labels(list(moves))
    if labels is None:
        return None
    start = points[0][0]
    t2 = [0] * _SIZE
    for move, label in labels.items():
        t2[label] = move[start]
    back = {y: c for c, y in enumerate(t2)}
    t1 = [0] * _SIZE
    for move, place in moves.items():
        t1[place] = labels[move]
    t0 = tuple(back[y] for y in points[0])
    return Half(*_forms([*u, *v]), t0, tuple(t1), tuple(t2))


def _labels(moves: list[tuple[int, ...]]) -> dict[tuple[int, ...], int] | None:
    """Numbers for the moves, so that one after the other is the XOR; None if they are no such group."""
    same = tuple(range(_SIZE))
    labels = {same: 0}
    for move in moves:
        if move in labels:
            continue
        if len(labels) == _SIZE:
            return None
        bit = len(labels)
        labels |= {tuple(move[y] for y in known): label | bit for known, label in labels.items()}
    return labels if set(labels) == set(moves) and len(moves) == _SIZE else None


def _basis(space: Sequence[int]) -> list[int]:
    basis: list[int] = []
    spanned = {0}
    for vector in space:
        if vector not in spanned:
            basis.append(vector)
            spanned |= {vector ^ other for other in spanned}
    return basis


def _combined(basis: Sequence[int], number: int) -> int:
    total = 0
    for bit, vector in enumerate(basis):
        total ^= vector * (number >> bit & 1)
    return total


def _forms(basis: Sequence[int]) -> tuple[Matrix, Matrix]:
    """For each input bit its coordinates over the basis: the first four, and the last four."""
    coordinates = {_combined(basis, number): number for number in range(1 << len(basis))}
    columns = [coordinates[1 << bit] for bit in range(len(basis))]
    return tuple(c & _SIZE - 1 for c in columns), tuple(c >> _HALF for c in columns)


def _times(matrix: Matrix, x: int) -> int:
    return _combined(matrix, x)
