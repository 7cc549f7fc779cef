"""Layers of linear maps: fewer maps and sums, the same meaning."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.tracing import traced
from finalist.passes.lanes.maps import _independent, _written, basis, run, shared
from finalist.passes.matrices import added, identity
from finalist.passes.simplify import simplify
from tests.graphs import examples, graphs
from tests.passes.meaning import keeps_graph, keeps_program, operations


def layer(rows: list[list[tuple[int, ...]]], width: int) -> Graph:
    """Each row's matrices on the same words, one word of ``width`` bits for each row."""
    make = Builder()
    words = [make.param("memory", WordType(len(m)), f"x{k}") for k, m in enumerate(rows[0])]
    return Graph("g", words, [make.linear(row, words, width) for row in rows])


def scaled(factor: int) -> tuple[int, ...]:
    """The matrix of multiplication in GF(2^8) modulo 0x11b."""
    columns = []
    for bit in range(8):
        value = factor << bit
        for place in range(15, 7, -1):
            value ^= (0x11B << place - 8) if value >> place & 1 else 0
        columns.append(value)
    return tuple(columns)


def circulant(row: tuple[int, ...]) -> list[list[tuple[int, ...]]]:
    return [[scaled(row[(k - place) % 4]) for k in range(4)] for place in range(4)]


@given(graphs(), st.integers(0, 9))
@examples
def test_random_graphs(graph: Graph, seed: int) -> None:
    keeps_graph(shared, graph, seed)


@pytest.mark.parametrize("inputs", [1, 3, 8])
@pytest.mark.parametrize("outputs", [1, 5, 8])
def test_random_layers(inputs: int, outputs: int) -> None:
    """Few different matrices, zeros and identities among them, as a cipher's layer has them."""
    for seed in range(20):
        source = random.Random(f"{seed} {inputs} {outputs}")
        few = [tuple(source.getrandbits(outputs) for _ in range(inputs)) for _ in range(source.randint(1, 4))]
        few += [(0,) * inputs] + ([identity(inputs)] if inputs == outputs else [])
        rows = [[source.choice(few) for _ in range(4)] for _ in range(3)]
        after = keeps_graph(shared, layer(rows, outputs))
        assert all(len(node.inputs) == 1 for node in operations(after, Op.LINEAR))


@pytest.mark.parametrize("width", [1, 2, 8])
def test_layers_of_constants_and_sums(width: int) -> None:
    """Products may be equal and a sum of two words a third: each counts as often as it is there."""
    make, one = Builder(simplify), identity(width)
    for seed in range(40):
        source = random.Random(f"{seed} {width}")
        x, y, z = words = [make.param("memory", WordType(width), name) for name in "xyz"]
        given = [*words, *(make.make(Op.XOR, pair) for pair in ((x, y), (y, z), (x, z)))]
        given += [make.const(source.getrandbits(width), width) for _ in range(4)]
        few = [tuple(source.getrandbits(width) for _ in range(width)) for _ in range(2)] + [one, one]
        rows = [[source.choice(few) for _ in given] for _ in range(3)]
        keeps_graph(shared, Graph("g", words, [make.linear(row, given, width) for row in rows]))


@pytest.mark.parametrize(("row", "maps"), [((2, 3, 1, 1), 4), ((14, 11, 13, 9), 7)])
def test_columns_of_rijndael(row: tuple[int, ...], maps: int) -> None:
    after = keeps_graph(shared, layer(circulant(row), 8))
    assert len(operations(after, Op.LINEAR)) == maps


def test_a_layer_of_sums_has_no_maps() -> None:
    """E2's P: identities and zeros; of 37 additions, 23 are left where pairs are shared."""
    rows = ["01111110", "10110111", "11011011", "11101101", "11011100", "11100110", "01110011", "10111001"]
    one, none = identity(8), (0,) * 8
    after = keeps_graph(shared, layer([[one if c == "1" else none for c in row] for row in rows], 8))
    assert not operations(after, Op.LINEAR)
    assert len(operations(after, Op.XOR)) <= 23 < sum(row.count("1") - 1 for row in rows)


def test_every_matrix_is_the_sum_that_is_said() -> None:
    rows = tuple(tuple(row) for row in circulant((14, 11, 13, 9)))
    for matrix, parts in basis(rows, square=True).items():
        total = tuple([0] * 8)
        for part in parts:
            total = tuple(a ^ b for a, b in zip(total, part, strict=True))
        assert total == matrix


def test_maps_in_need_of_one_another_stay_apart() -> None:
    """A map of a map's result is not added to it beforehand."""
    make = Builder(simplify)
    a, b = (make.param("memory", WordType(8), name) for name in "ab")
    first = make.linear([scaled(2), scaled(3)], [a, b], 8)
    second = make.linear([scaled(2), scaled(3)], [first, a], 8)
    keeps_graph(shared, Graph("g", [a, b], [second, first]))


def test_maps_around_a_loop_that_takes_one_from_outside() -> None:
    """A loop needs what its region takes, so a map of its result is of a later layer."""
    make = Builder()
    words = a, b = [make.param("memory", WordType(8), name) for name in "ab"]
    first = make.linear([scaled(2)], [a], 8)
    index, carried = make.param("index", WordType(32)), make.param("carried", WordType(8))
    body = Region([index, carried], [make.make(Op.XOR, (carried, first))])
    (looped,) = make.loop(make.const(0, 32), make.const(3, 32), [b], body)
    keeps_graph(shared, Graph("g", words, [make.linear([scaled(2)], [looped], 8), first]))


def test_maps_of_the_key_stay() -> None:
    make = Builder()
    key: Node = make.param("key", WordType(8), "k")
    graph = Graph("g", [key], [make.linear([scaled(3)], [key], 8)])
    assert operations(shared(graph), Op.LINEAR)[0].attr == (scaled(3),)


@pytest.mark.parametrize("name", ["rijndael", "twofish", "des"])
def test_ciphers(name: str) -> None:
    found = cipher(name)
    keeps_program(run, traced(found, "encrypt", found.usual_key_bits()))


def test_matrices_as_sums_of_few() -> None:
    """Of as few as can be; what is free counts for nothing, and zero is the sum of none."""
    a, b, c = (1, 2), (2, 1), (3, 0)
    both, every = added(a, b), added(added(a, b), c)
    zero = (0, 0)
    assert _written([zero, a, both], [], (a, b)) == {zero: (), a: (a,), both: (a, b)}
    assert _written([a, every], [c], (a, b)) == {a: (a,), every: (c, a, b)}
    assert _written([b], [a], (both,)) == {b: (a, both)}
    assert _written([c], [a], (b,)) is None
    assert _independent([zero, a, b, both, a, c]) == [a, b, c]
