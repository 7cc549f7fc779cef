"""Inversions between affine maps are recognised, whatever the maps, and nothing else is."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers.rijndael import S
from finalist.language.tables import gf_multiply
from finalist.passes.circuits.fields import inversion, inversion_circuit, multiples
from finalist.passes.circuits.synthesise import small
from tests.passes.circuits.random_tables import image, invertible, permutation

FIELDS = {3: 0b1011, 5: 0x25, 8: 0x11D}


def inverses(bits: int) -> list[int]:
    size = 1 << bits
    products = (
        (x, y) for x in range(1, size) for y in range(1, size) if gf_multiply(x, y, FIELDS[bits]) == 1
    )
    return [0, *(y for _, y in products)]


def disguised(seed: int, bits: int) -> tuple[int, ...]:
    numbers = random.Random(seed)
    before, after = invertible(numbers, bits), invertible(numbers, bits)
    a, b = numbers.randrange(1 << bits), numbers.randrange(1 << bits)
    table = inverses(bits)
    return tuple(image(after, table[image(before, x) ^ a]) ^ b for x in range(1 << bits))


@pytest.mark.parametrize("bits", FIELDS)
@pytest.mark.parametrize("seed", range(3))
def test_affine_equivalents_are_recognised(bits: int, seed: int) -> None:
    table = disguised(seed, bits)
    found = inversion(table)
    assert found is not None
    last = (1 << bits) - 1
    for k, x in enumerate(found.powers):
        inverse = found.powers[-k % last]
        assert table[x ^ found.zero] ^ table[found.zero] == image(found.after, inverse)


@pytest.mark.parametrize("seed", range(3))
def test_random_permutations_are_not(seed: int) -> None:
    assert inversion(permutation(random.Random(seed), 256)) is None


@pytest.mark.parametrize("place", [0, 1, 100, 255])
def test_one_wrong_pair_of_entries_is_noticed(place: int) -> None:
    table = list(S.data.values)
    table[place], table[place ^ 7] = table[place ^ 7], table[place]
    assert inversion(tuple(table)) is None


def test_tables_that_are_no_permutations_are_not() -> None:
    assert inversion((0,) * 256) is None
    assert inversion(tuple(range(4))) is None


@pytest.mark.parametrize("table", [S.data.values, S.inverse().data.values, disguised(1, 8)])
def test_towers(table: tuple[int, ...]) -> None:
    circuit = inversion_circuit(table, small, tries=2)
    assert circuit is not None
    assert circuit.table() == tuple(y ^ table[0] for y in table)
    assert circuit.cost < 160


def test_multiples_undo_arithmetic() -> None:
    inner = permutation(random.Random(2), 16)
    outer = tuple((5 * y + 3) % 16 for y in inner)
    assert (5, 3, inner) in list(multiples(outer))
