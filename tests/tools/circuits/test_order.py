"""Orders of gates: the same function, and no more live values."""

from __future__ import annotations

import pytest

from finalist.passes.circuits.circuit import Circuit, Gate
from tests.passes.circuits.test_assembly import random_circuit
from tools.circuits.order import most_live, with_few_live

PAIRS = Circuit(
    4,
    (*(Gate("not", k, k) for k in range(4)), Gate("and", 4, 5), Gate("and", 6, 7), Gate("xor", 8, 9)),
    (10,),
)


@pytest.mark.parametrize(
    ("circuit", "most"),
    [
        (Circuit(2, (), (0, 1)), 2),
        (Circuit(2, (Gate("xor", 0, 1),), (2,)), 2),
        (Circuit(2, (Gate("xor", 0, 1),), (0, 2)), 2),
        (Circuit(2, (Gate("xor", 0, 1), Gate("and", 0, 1)), (2, 3)), 3),
        (PAIRS, 4),
    ],
)
def test_most_live(circuit: Circuit, most: int) -> None:
    assert most_live(circuit) == most


@pytest.mark.parametrize("seed", range(10))
def test_order_keeps_the_function(seed: int) -> None:
    before = random_circuit(seed, ("and", "or", "xor", "andn"))
    after = with_few_live(before, trials=5)
    assert after.table() == before.table()
    assert after.cost == before.cost
    assert most_live(after) <= most_live(before)


def test_values_that_wait_are_moved_behind() -> None:
    """Three products made first, though each is needed only later."""
    products = [Gate("and", 0, k) for k in (1, 2, 3)]
    others = [Gate("or", 1 + k, 2) for k in range(2)]
    sums = [Gate("xor", 7, 8), Gate("xor", 9, 4), Gate("xor", 10, 5), Gate("xor", 11, 6)]
    circuit = Circuit(4, (*products, *others, *sums), (12,))
    assert most_live(circuit) == 6
    assert most_live(with_few_live(circuit)) == 5


def test_gates_of_three_inputs() -> None:
    circuit = Circuit(3, (Gate("lut3", 0, 1, 2, 0x96), Gate("lut3", 0, 1, 3, 0xE8)), (4,))
    after = with_few_live(circuit)
    assert after.table() == circuit.table()
