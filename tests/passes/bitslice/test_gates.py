"""The order of gates: the same circuit, and fewer values alive than in a bad order."""

from __future__ import annotations

import random

import pytest

from finalist.passes.bitslice import gates
from finalist.passes.circuits.circuit import Circuit, Gate
from finalist.passes.circuits.diagrams import from_diagrams


@pytest.mark.parametrize("seed", range(6))
def test_the_same_circuit(seed: int) -> None:
    source = random.Random(seed)
    table = tuple(source.randrange(8) for _ in range(32))
    circuit = from_diagrams(table, 5, 3)
    ordered = gates.with_few_alive(circuit)
    assert ordered.table() == table
    assert sorted(gate.op for gate in ordered.gates) == sorted(gate.op for gate in circuit.gates)


def test_chains_are_finished_one_by_one() -> None:
    """Eight products, then their sum: made in a row the products wait, one after the other they don't."""
    products = tuple(Gate("and", k, (k + 1) % 8) for k in range(8))
    sums = [Gate("xor", 8, 9), *(Gate("xor", 15 + k, 9 + k) for k in range(1, 7))]
    circuit = Circuit(8, (*products, *sums), (22,))
    before = gates.pressure(circuit, list(range(15)))
    after = gates.with_few_alive(circuit)
    assert after.table() == circuit.table()
    assert gates.pressure(after, list(range(15))) < before
