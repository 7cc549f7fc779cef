"""Arithmetic on bits, exhaustively on small words, against Python's integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.passes.bitslice.ripple import Bits, Ripple
from finalist.passes.simplify import simplify
from tests.passes.meaning import operations

N = 4
VALUES = np.arange(1 << N, dtype=np.uint8)
A, B = (grid.ravel() for grid in np.meshgrid(VALUES, VALUES))
Operation = Callable[[Ripple, Bits, Bits], Bits]


def graph(operation: Operation, b: int | None = None) -> Graph:
    """The operation as a graph on two words, the second perhaps a constant."""
    make = Builder(simplify)
    math = Ripple(make)
    params = [make.param("memory", WordType(N), name) for name in "ab"]
    words = [[make.slice(param, place, 1) for place in range(N)] for param in params]
    second = words[1] if b is None else math.const(b, N)
    return Graph("g", params, [make.make(Op.JOIN, operation(math, words[0], second))])


def values(made: Graph) -> list[int]:
    (found,) = interpreter.run(made, [A, B])
    return [int(value) for value in np.broadcast_to(found, A.shape)]


def one(bit: Callable[[Ripple, Bits, Bits], Node]) -> Operation:
    return lambda math, a, b: [bit(math, a, b)]


CASES: list[tuple[str, Operation, Callable[[int, int], int]]] = [
    ("add", Ripple.add, lambda a, b: (a + b) % 16),
    ("sub", Ripple.sub, lambda a, b: (a - b) % 16),
    ("less", one(Ripple.less), lambda a, b: int(a < b)),
    ("equal", one(Ripple.equal), lambda a, b: int(a == b)),
    ("shl", lambda m, a, b: m.moved(Op.SHL, a, b), lambda a, b: a << b & 15),
    ("shr", lambda m, a, b: m.moved(Op.SHR, a, b), lambda a, b: a >> b),
    ("rol", lambda m, a, b: m.moved(Op.ROL, a, b), lambda a, b: (a << b % 4 | a >> 4 - b % 4) & 15),
    ("ror", lambda m, a, b: m.moved(Op.ROR, a, b), lambda a, b: (a >> b % 4 | a << 4 - b % 4) & 15),
    (
        "choice",
        lambda m, a, b: [m.choice(b[0], x, y) for x, y in zip(a, b, strict=True)],
        lambda a, b: a if b & 1 else b,
    ),
]


@pytest.mark.parametrize(("name", "operation", "meaning"), CASES, ids=[case[0] for case in CASES])
def test_of_two_words(name: str, operation: Operation, meaning: Callable[[int, int], int]) -> None:
    assert values(graph(operation)) == [meaning(int(a), int(b)) for a, b in zip(A, B, strict=True)]


@pytest.mark.parametrize(("name", "operation", "meaning"), CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("constant", range(1 << N))
def test_with_constants(
    name: str, operation: Operation, meaning: Callable[[int, int], int], constant: int
) -> None:
    assert values(graph(operation, constant)) == [meaning(int(a), constant) for a in A]


@pytest.mark.parametrize("factor", range(1 << N))
def test_multiples(factor: int) -> None:
    made = graph(lambda math, a, b: math.multiple(a, factor))
    assert values(made) == [int(a) * factor % 16 for a in A]


def gates(made: Graph) -> int:
    return sum(len(operations(made, op)) for op in (Op.AND, Op.OR, Op.XOR, Op.NOT))


def test_five_gates_a_bit() -> None:
    """Two for the lowest bit, five for those between, two for the highest, which hands nothing on."""
    assert gates(graph(Ripple.add)) == 2 + 5 * (N - 2) + 2


def test_a_multiple_takes_differences_where_they_are_fewer() -> None:
    """15 = 16 - 1: modulo 16 one difference, no three sums."""
    assert gates(graph(lambda math, a, b: math.multiple(a, 15))) <= gates(graph(Ripple.sub))
