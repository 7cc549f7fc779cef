"""Wirings: what each output bit is, and the swaps that permute the bits of a position's number."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ciphers.des import FP, IP, E, P
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.passes.matrices import apply_matrix, composed
from finalist.passes.wiring import (
    consecutive,
    network,
    network_cost,
    permuted,
    run_of,
    sources,
)

Moves = dict[int, int]


def moving(moves: Moves) -> Matrix:
    """The matrix that moves bit p to bit moves[p]."""
    return tuple(1 << moves[p] for p in range(len(moves)))


def signed(order: list[int], flips: int) -> Moves:
    """Bit k of a position's number becomes bit order[k], and the bits of ``flips`` change."""
    count = 1 << len(order)
    return {p: flips ^ sum((p >> k & 1) << to for k, to in enumerate(order)) for p in range(count)}


def values_of(graph: Graph, width: int, seed: int) -> tuple[list[int], list[int]]:
    """Random words, and what the graph's one result makes of them."""
    source = random.Random(seed)
    given = [source.getrandbits(width) for _ in range(20)] + [0, (1 << width) - 1]
    (found,) = interpreter.run(graph, [np.array(given, interpreter.dtype(width))])
    return given, np.broadcast_to(found, len(given)).tolist()


# -- which bit is which -------------------------------------------------------------------------------


def test_sources() -> None:
    assert sources((0b10, 0b01), 2) == (1, 0)
    assert sources((0b101, 0b010), 3) == (0, 1, 0)  # bits may be copied, as DES's expansion does
    assert sources((0b001, 0, 0b110), 3) == (0, 2, 2)  # or left out


@pytest.mark.parametrize("matrix", [(0b11, 0b01), (0b01, 0), (0, 0), ()])
def test_no_wiring(matrix: Matrix) -> None:
    """An output bit that is a sum of two, or none at all."""
    assert sources(matrix, 2) is None


def test_composed() -> None:
    source = random.Random(1)
    outer = tuple(source.getrandbits(16) for _ in range(12))
    inner = tuple(source.getrandbits(12) for _ in range(9))
    both = composed(outer, inner)
    for value in (source.getrandbits(9) for _ in range(50)):
        assert apply_matrix(both, value) == apply_matrix(outer, apply_matrix(inner, value))


@pytest.mark.parametrize(
    ("bits", "start"),
    [
        ((3, 4, 5), 3),
        ((6, 7, 0, 1), 6),
        ((7, 0, 1, 2, 3, 4, 5, 6), 7),
        ((5,), 5),
        ((3, 5), None),
        ((4, 3), None),
        ((0, 7), None),
        ((2, 2), None),
    ],
)
def test_runs(bits: tuple[int, ...], start: int | None) -> None:
    assert run_of(bits, 8) == start


@pytest.mark.parametrize("width", [8, 31, 32, 64])
def test_consecutive_bits(width: int) -> None:
    """A slice, or where the run passes the end of the word one of the word turned."""
    for start in (0, 1, width // 2, width - 1):
        for count in (1, width // 2, width - 1):
            make = Builder()
            x = make.param("memory", WordType(width), "x")
            graph = Graph("g", [x], [consecutive(make, x, start, count)])
            wraps = start + count > width
            assert [node.op for node in graph.body] == ([Op.ROL, Op.SLICE] if wraps else [Op.SLICE])
            given, found = values_of(graph, width, start)
            for value, part in zip(given, found, strict=True):
                assert part == sum((value >> (start + k) % width & 1) << k for k in range(count))


# -- swaps ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [2, 8, 16, 32, 64])
def test_networks_are_the_permutation(width: int) -> None:
    bits = width.bit_length() - 1
    source = random.Random(width)
    cases = [(list(range(bits)), flips) for flips in (0, 1, width >> 1, width - 1)]
    cases += [(source.sample(range(bits), bits), source.randrange(width)) for _ in range(25)]
    for order, flips in cases:
        matrix = moving(signed(order, flips))
        steps = network(matrix, width)
        assert steps is not None
        assert len(steps) <= bits
        make = Builder()
        x = make.param("memory", WordType(width), "x")
        graph = Graph("g", [x], [permuted(make, x, steps)])
        given, found = values_of(graph, width, flips)
        assert found == [apply_matrix(matrix, value) for value in given], (order, flips)
        assert len(graph.body) == network_cost(steps, width)


def test_a_position_that_stays_takes_no_step() -> None:
    assert network(moving(signed([0, 1, 2], 0)), 8) == ()
    assert network_cost((), 8) == 0


def test_costs() -> None:
    """A swap of two bits of the number; its highest bit complemented, which turns the word; a lower one."""
    assert network(moving(signed([1, 0, 2], 0)), 8) == ((1, 0, False),)
    assert network(moving(signed([0, 1, 2], 4)), 8) == ((2,),)
    assert network(moving(signed([0, 1, 2], 1)), 8) == ((0,),)
    assert [network_cost(steps, 8) for steps in (((1, 0, False),), ((2,),), ((0,),))] == [6, 1, 5]


def test_des_takes_five_swaps_a_permutation() -> None:
    for permutation in (IP, FP):
        steps = network(permutation.matrices[0], 64)
        assert steps is not None
        assert [len(step) for step in steps] == [3] * 5


def exchanged(moves: Moves, a: int, b: int) -> Moves:
    return {**moves, a: moves[b], b: moves[a]}


@pytest.mark.parametrize(
    "matrix",
    [
        P.matrices[0],
        E.matrices[0],
        moving(exchanged(signed([2, 1, 0], 3), 1, 6)),
        moving(exchanged(signed([0, 1, 2, 3, 4], 0), 30, 31)),
        moving({p: (p + 1) % 8 for p in range(8)}),
        moving({p: (p + 1) % 6 for p in range(6)}),
        tuple(1 << p // 2 * 2 for p in range(8)),
        (0,) * 8,
    ],
)
def test_other_maps_have_no_network(matrix: Matrix) -> None:
    """Permutations that are none of the number's bits, widths that are no power of two, no permutations."""
    width = max(column.bit_length() for column in matrix)
    assert network(matrix, max(width, len(matrix))) is None


@pytest.mark.parametrize("width", [2, 4, 8, 32, 64])
def test_a_copied_bit_has_no_network(width: int) -> None:
    """All bits in their places, but for one that is another again: no permutation, though nearly one."""
    for lost, copied in ((0, width - 1), (width - 1, 0), (0, 1)):
        found = list(range(width))
        found[lost] = copied
        matrix = tuple(
            sum(1 << to for to, source in enumerate(found) if source == bit) for bit in range(width)
        )
        assert sources(matrix, width) == tuple(found)
        assert network(matrix, width) is None


def test_a_wiring_to_another_width_has_no_network() -> None:
    assert network(tuple(1 << p for p in range(8)), 16) is None
    assert network((*(1 << p for p in range(8)), *(0,) * 8), 8) is None
