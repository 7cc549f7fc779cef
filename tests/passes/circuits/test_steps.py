"""Chains of affine steps: powers in a field, and what is none."""

from __future__ import annotations

import random

import pytest

from finalist.language import gf_multiply
from finalist.passes.circuits.circuit import Circuit
from finalist.passes.circuits.diagrams import from_diagrams
from finalist.passes.circuits.steps import Affine, step_circuit
from tests.passes.circuits.random_tables import permutation

FIELDS = {5: 0x25, 6: 0x43, 8: 0x11D}


def powers(bits: int, base: int = 2) -> list[int]:
    """The powers of an element, one for each argument of as many bits."""
    found = [1]
    for _ in range((1 << bits) - 1):
        found.append(gf_multiply(found[-1], base, FIELDS[bits]))
    return found


def checked(table: list[int], inputs: int, outputs: int) -> Circuit | None:
    circuit = step_circuit(tuple(table), inputs, outputs, from_diagrams)
    if circuit:
        assert circuit.table() == tuple(y ^ table[0] for y in table)
    return circuit


@pytest.mark.parametrize("bits", FIELDS)
@pytest.mark.every(3)
def test_powers(bits: int) -> None:
    circuit = checked(powers(bits), bits, bits)
    assert circuit
    assert circuit.cost <= from_diagrams(tuple(y ^ 1 for y in powers(bits)), bits, bits).cost


@pytest.mark.parametrize("exceptions", [{63: 0}, {34: 7}, {3: 50, 17: 1}])
def test_a_few_exceptions(exceptions: dict[int, int]) -> None:
    table = [exceptions.get(x, y) for x, y in enumerate(powers(6))]
    assert checked(table, 6, 6)


def test_more_exceptions_are_no_chain() -> None:
    table = powers(8)
    for x in range(0, 256, 16):
        table[x] ^= 1 + x
    assert checked(table, 8, 8) is None


@pytest.mark.parametrize("seed", range(3))
def test_affine_steps_of_any_kind(seed: int) -> None:
    """Steps that commute: powers of one affine map, as many as the bits say, from random entries on."""
    numbers = random.Random(seed)
    step = Affine(tuple(gf_multiply(1 << i, 29, FIELDS[6]) for i in range(6)), numbers.getrandbits(6))
    table = [numbers.getrandbits(6)]
    for _ in range(63):
        table.append(step.of(table[-1]))
    assert checked(table, 6, 6)


def test_what_is_no_chain() -> None:
    assert checked(list(permutation(random.Random(2), 256)), 8, 8) is None
    assert checked([0] * 16, 4, 4) is None  # too small to be worth it
    assert checked([0] * 256, 8, 8) is None or checked([0] * 256, 8, 8).cost <= 1
