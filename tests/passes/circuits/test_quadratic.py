"""Tables of degree two: algebraic normal forms, and circuits of products of linear forms."""

from __future__ import annotations

import random

import pytest

from finalist.language.tables import gf_multiply
from finalist.passes.circuits.quadratic import algebraic_normal_form, quadratic_circuit


def from_terms(terms: list[list[int]], inputs: int) -> tuple[int, ...]:
    """The table whose output k is the sum of these products of inputs, each a mask."""
    rows = range(1 << inputs)
    return tuple(
        sum((sum(x & term == term for term in chosen) & 1) << k for k, chosen in enumerate(terms))
        for x in rows
    )


@pytest.mark.parametrize("inputs", [1, 2, 5])
def test_normal_form(inputs: int) -> None:
    numbers = random.Random(inputs)
    terms = [m for m in range(1 << inputs) if numbers.random() < 0.5]
    column = sum(y << x for x, y in enumerate(from_terms([terms], inputs)))
    assert algebraic_normal_form(column, inputs) == sum(1 << term for term in terms)


@pytest.mark.parametrize("seed", range(6))
def test_random_quadratic_tables(seed: int) -> None:
    numbers = random.Random(seed)
    inputs = numbers.randint(1, 8)
    light = [m for m in range(1 << inputs) if m.bit_count() <= 2]
    terms = [numbers.sample(light, numbers.randint(0, len(light))) for _ in range(numbers.randint(1, 6))]
    table = from_terms(terms, inputs)
    circuit = quadratic_circuit(table, inputs, len(terms))
    assert circuit is not None
    assert circuit.table() == tuple(y ^ table[0] for y in table)


def test_one_term_of_degree_three_is_noticed() -> None:
    assert quadratic_circuit(from_terms([[1, 3], [5, 0b10110]], 5), 5, 2) is None


def test_one_form_needs_half_its_rank_in_products() -> None:
    circuit = quadratic_circuit(from_terms([[0b000011, 0b001100, 0b110000]], 6), 6, 1)
    assert circuit is not None
    assert circuit.cost == 5


def test_products_are_shared_between_the_bits_of_a_cube() -> None:
    cube = tuple(gf_multiply(gf_multiply(x, x, 0x83), x, 0x83) for x in range(128))
    circuit = quadratic_circuit(cube, 7, 7)
    assert circuit is not None
    assert circuit.table() == cube
    assert sum(gate.op == "and" for gate in circuit.gates) < 7 * 3
