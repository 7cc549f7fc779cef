"""Circuits of few gates in a row: what they compute, how deep and how large they are, when they are taken."""

from __future__ import annotations

import random
from functools import partial

import pytest

from finalist.ciphers.serpent import S_INV, S
from finalist.language import Table
from finalist.passes.circuits.circuit import input_columns, table_columns
from finalist.passes.circuits.lower import circuit_for, with_circuits
from finalist.passes.circuits.shallow import of_depth_two
from tests.passes.circuits.test_lower import boxed
from tests.passes.meaning import keeps_graph


@pytest.mark.parametrize("box", [*S, *S_INV], ids=lambda box: box.data.name)
def test_serpent_boxes(box: Table) -> None:
    values = tuple(box.data.values)
    circuit = of_depth_two(table_columns(values, 4), 4).prove(values)
    # Two gates a function and one that puts them together are twelve; the smallest known have seven or eight.
    assert circuit.depth == 2 and circuit.cost <= 12
    keeps_graph(partial(with_circuits, ternary=True, shallow=True), boxed(box, 32))


@pytest.mark.parametrize("inputs", [1, 2, 3, 4])
def test_random_functions(inputs: int) -> None:
    numbers = random.Random(inputs)
    for _ in range(40):
        outputs = numbers.randint(1, 6)
        table = tuple(numbers.getrandbits(outputs) for _ in range(1 << inputs))
        circuit = of_depth_two(table_columns(table, outputs), inputs).prove(table)
        assert circuit.depth <= 2 and circuit.cost <= 3 * outputs


@pytest.mark.parametrize("inputs", [1, 3, 4])
def test_constants_and_single_bits(inputs: int) -> None:
    everywhere = (1 << (1 << inputs)) - 1
    functions = [0, everywhere, *input_columns(inputs), input_columns(inputs)[0] ^ everywhere]
    circuit = of_depth_two(functions, inputs)
    assert list(circuit.columns()) == functions and circuit.depth == 1


def test_what_functions_share_is_computed_once() -> None:
    """Both are of the same two functions of three bits."""
    a, b, c, d = input_columns(4)
    low, high = a & b ^ c, a | b & c
    functions = [low & ~d | high & d, high & ~d | low & d]
    circuit = of_depth_two(functions, 4)
    assert list(circuit.columns()) == functions and circuit.cost == 4


@pytest.mark.parametrize("box", [*S, *S_INV], ids=lambda box: box.data.name)
def test_of_gates_of_two_inputs(box: Table) -> None:
    """Three or four one after the other; the smallest circuits have six to eleven."""
    truths = table_columns(tuple(box.data.values), 4)
    (few, *_), (small, *_) = circuit_for(truths, 4, False, True), circuit_for(truths, 4)
    assert few.depth <= 4 < small.depth and small.cost < few.cost <= 20
    keeps_graph(partial(with_circuits, shallow=True), boxed(box, 32))


def test_what_has_no_shallow_one_has_the_smallest() -> None:
    truths = table_columns(tuple(random.Random(3).sample(range(16), 16)), 4)
    assert circuit_for(truths, 4, False, True) == circuit_for(truths, 4)


def test_only_small_functions_have_them() -> None:
    table = random.Random(5).sample(range(32), 32)
    truths = table_columns(tuple(table), 5)
    assert circuit_for(truths, 5, True, True) == circuit_for(truths, 5, True)
