"""The fallback: right for every table, and of bounded cost."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.ciphers.crypton_v05 import S0
from finalist.ciphers.loki97 import S2
from finalist.ciphers.rijndael import S
from finalist.language import Table
from finalist.language.tables import gf_multiply
from finalist.passes.circuits.diagrams import from_diagrams
from finalist.passes.circuits.synthesise import arithmetic, structured, synthesise_masked
from tests.passes.circuits.random_tables import permutation


@st.composite
def tables(draw: st.DrawFn) -> tuple[tuple[int, ...], int, int]:
    inputs, outputs = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    entry = st.integers(0, (1 << outputs) - 1)
    return tuple(draw(st.lists(entry, min_size=1 << inputs, max_size=1 << inputs))), inputs, outputs


@given(tables())
@settings(max_examples=60, deadline=None)
def test_any_small_table(case: tuple[tuple[int, ...], int, int]) -> None:
    table, inputs, outputs = case
    circuit = from_diagrams(table, inputs, outputs)
    assert circuit.table() == table
    assert len(circuit.outputs) == outputs


@pytest.mark.parametrize(("inputs", "outputs", "most"), [(5, 5, 60), (6, 4, 100), (7, 7, 320), (8, 8, 600)])
@pytest.mark.every(2)
def test_random_tables_of_each_size(inputs: int, outputs: int, most: int) -> None:
    numbers = random.Random(inputs)
    table = tuple(numbers.randrange(1 << outputs) for _ in range(1 << inputs))
    circuit = from_diagrams(table, inputs, outputs)
    assert circuit.table() == table
    assert circuit.cost <= most


@pytest.mark.parametrize(
    ("table", "inputs", "outputs", "cost"),
    [
        (tuple(range(256)), 8, 8, 0),
        ((0,) * 256, 8, 8, 1),
        ((3,) * 16, 4, 2, 2),
        (tuple(255 - x for x in range(256)), 8, 8, 8),
        ((0, 0, 0, 1), 2, 1, 1),
        ((0, 1, 1, 0), 2, 1, 1),
        (tuple(x.bit_count() & 1 for x in range(256)), 8, 1, 7),
    ],
)
def test_simple_tables_cost_what_they_must(
    table: tuple[int, ...], inputs: int, outputs: int, cost: int
) -> None:
    assert from_diagrams(table, inputs, outputs).cost == cost


def test_same_table_same_circuit() -> None:
    table = tuple(x * 7 & 31 ^ x >> 2 for x in range(32))
    assert from_diagrams(table, 5, 5) == from_diagrams(table, 5, 5)


@pytest.mark.parametrize(
    ("table", "inputs", "outputs", "message"),
    [
        ((0, 1), 14, 1, "1 to 13 inputs"),
        ((0, 1, 2), 2, 2, "3 entries"),
        ((0, 4), 1, 2, "must have 2 bits"),
        ((0, 0), 1, 0, "must have 0 bits"),
    ],
)
def test_refusals(table: tuple[int, ...], inputs: int, outputs: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        synthesise_masked(table, inputs, outputs)


@pytest.mark.parametrize(("inputs", "outputs", "most"), [(9, 2, 300), (11, 1, 600)])
def test_tables_of_many_inputs(inputs: int, outputs: int, most: int) -> None:
    numbers = random.Random(inputs)
    table = tuple(numbers.randrange(1 << outputs) for _ in range(1 << inputs))
    circuit = from_diagrams(table, inputs, outputs)
    assert circuit.table() == table
    assert circuit.cost <= most


@given(tables())
@settings(max_examples=40, deadline=None)
def test_masks_save_complements(case: tuple[tuple[int, ...], int, int]) -> None:
    table, inputs, outputs = case
    circuit, mask = synthesise_masked(table, inputs, outputs)
    assert circuit.table() == tuple(y ^ mask for y in table)
    assert all(gate.op != "not" for gate in circuit.gates)
    assert circuit.cost <= from_diagrams(table, inputs, outputs).cost + 1


def test_structure_is_used() -> None:
    """x -> x^3 in GF(2^7) has degree two: a few products, where the table alone gives hundreds of gates."""
    cube = tuple(gf_multiply(gf_multiply(x, x, 0x83), x, 0x83) for x in range(128))
    assert synthesise_masked(cube, 7, 7)[0].cost < from_diagrams(cube, 7, 7).cost


@pytest.mark.parametrize(
    ("box", "name"),
    [(S, "a tower of fields"), (S0, "a network on halves"), (S2, "products of linear forms")],
)
@pytest.mark.every(3)
def test_what_a_box_is_made_of(box: Table, name: str) -> None:
    table = box.data.values
    ((found, circuit),) = structured(table, box.index_width, box.data.width)
    assert found == name
    assert circuit.table() == tuple(y ^ table[0] for y in table)


def test_random_tables_are_made_of_nothing() -> None:
    assert list(structured(permutation(random.Random(1), 256), 8, 8)) == []


@pytest.mark.check
def test_a_multiple_of_an_inversion() -> None:
    table = tuple((3 * y + 2) % 256 for y in S.data.values)
    circuit = arithmetic(table)
    assert circuit is not None
    assert circuit.table() == tuple(y ^ table[0] for y in table)
    assert arithmetic((0, 1, 3, 2)) is None
