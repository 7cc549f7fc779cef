"""Networks of four-bit functions are recognised from their tables; random tables are not."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers.twofish import Q
from finalist.passes.circuits.nibbles import nibble_circuit
from finalist.passes.circuits.synthesise import small
from tests.passes.circuits.random_tables import image, invertible, permutation


def turned(x: int, by: int) -> int:
    return (x << by | x >> 8 - by) & 255


def feistel(numbers: random.Random) -> tuple[int, ...]:
    functions = [[numbers.randrange(16) for _ in range(16)] for _ in range(3)]

    def value(x: int) -> int:
        left, right = x >> 4, x & 15
        for function in functions:
            left, right = right, left ^ function[right]
        return right << 4 | left

    return tuple(value(x) for x in range(256))


def two_layers(numbers: random.Random, linear_layer_first: bool) -> tuple[int, ...]:
    boxes = [permutation(numbers, 16) for _ in range(4)]
    first, middle = invertible(numbers, 8), invertible(numbers, 8)

    def value(x: int) -> int:
        x = image(first, x) if linear_layer_first else x
        x = image(middle, boxes[0][x & 15] | boxes[1][x >> 4] << 4)
        return boxes[2][x & 15] | boxes[3][x >> 4] << 4

    return tuple(value(x) for x in range(256))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shift", [0, 3])
def test_feistel_networks(seed: int, shift: int) -> None:
    table = tuple(turned(y, shift) ^ 0x5A for y in feistel(random.Random(seed)))
    circuit = nibble_circuit(table, small)
    assert circuit is not None
    assert circuit.table() == tuple(y ^ table[0] for y in table)
    assert circuit.cost < 100


@pytest.mark.parametrize("seed", range(3))
def test_two_layers(seed: int) -> None:
    plain = two_layers(random.Random(seed), linear_layer_first=False)
    table = tuple(turned(y, seed) for y in plain)
    circuit = nibble_circuit(table, small, seed)
    assert circuit is not None
    assert circuit.table() == tuple(y ^ table[0] for y in table)


@pytest.mark.parametrize("box", Q, ids=lambda box: box.data.name)
def test_two_layers_after_a_linear_one(box: object) -> None:
    table = box.data.values  # type: ignore[attr-defined]
    circuit = nibble_circuit(table, small)
    assert circuit is not None
    assert circuit.table() == tuple(y ^ table[0] for y in table)
    assert circuit.cost < 120


@pytest.mark.parametrize("seed", range(3))
def test_random_permutations_are_not_recognised(seed: int) -> None:
    assert nibble_circuit(permutation(random.Random(seed), 256), small) is None


def test_a_network_with_two_entries_exchanged_is_not_recognised() -> None:
    table = list(feistel(random.Random(9)))
    table[3], table[200] = table[200], table[3]
    assert nibble_circuit(tuple(table), small) is None


def test_only_bytes_are_looked_at() -> None:
    assert nibble_circuit(tuple(range(16)), small) is None
    assert nibble_circuit(tuple(256 + x for x in range(256)), small) is None
