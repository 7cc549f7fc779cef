"""Lookups as gates: inline, or as functions where there are many; masks that make circuits smaller."""

from __future__ import annotations

import random

import pytest

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.language import Table, join
from finalist.passes import bitslice
from finalist.passes.bitslice import sboxes
from finalist.passes.circuits.circuit import Circuit, Gate
from finalist.passes.circuits.diagrams import from_diagrams
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program, operations

SMALL = Table([(5 * x + 3) % 16 for x in range(16)], width=4, name="S")
OTHER = Table([(7 * x * x + 1) % 16 for x in range(16)], width=4, name="R")


def encrypt(block, key):
    boxes = [SMALL] * 7 + [OTHER]
    return [join(*(box[block[0][4 * n : 4 * n + 4]] for n, box in enumerate(boxes))), *block[1:]]


@pytest.mark.parametrize(("most", "functions"), [(10_000, 0), (0, 7)])
def test_functions_are_for_long_code(most: int, functions: int) -> None:
    """A circuit that is used once is no function either way."""
    program = bitslice.run(traced(toy(encrypt)))
    after = keeps_program(lambda p: p.with_graphs(p.expand, sboxes.with_gates(p.kernel, most)), program)
    assert len(operations(after.kernel, Op.APPLY)) == functions
    assert not operations(after.kernel, Op.LOOKUP)


@pytest.mark.parametrize("seed", range(4))
def test_masks(seed: int) -> None:
    """The complemented table's circuit is no larger, and undoing the complements gives the table."""
    table = TableData(tuple((11 * x + seed) * (x + 3) % 16 for x in range(16)), 4, "T")
    a, b = sboxes.masks(table)
    other = sboxes.complemented(table, a, b)
    assert all(other.values[x ^ a] ^ b == table.values[x] for x in range(16))
    assert sboxes._known(other)[0].cost <= sboxes._known(table)[0].cost


@pytest.mark.parametrize("seed", range(6))
def test_the_same_circuit(seed: int) -> None:
    source = random.Random(seed)
    table = tuple(source.randrange(8) for _ in range(32))
    circuit = from_diagrams(table, 5, 3)
    ordered = sboxes.with_few_alive(circuit)
    assert ordered.table() == table
    assert sorted(gate.op for gate in ordered.gates) == sorted(gate.op for gate in circuit.gates)


def test_chains_are_finished_one_by_one() -> None:
    """Eight products, then their sum: made in a row the products wait, one after the other they don't."""
    products = tuple(Gate("and", k, (k + 1) % 8) for k in range(8))
    sums = [Gate("xor", 8, 9), *(Gate("xor", 15 + k, 9 + k) for k in range(1, 7))]
    circuit = Circuit(8, (*products, *sums), (22,))
    before = sboxes.pressure(circuit, list(range(15)))
    after = sboxes.with_few_alive(circuit)
    assert after.table() == circuit.table()
    assert sboxes.pressure(after, list(range(15))) < before
