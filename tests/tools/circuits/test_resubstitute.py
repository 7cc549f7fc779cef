"""The search in C: its circuits are proved, smaller than those it began with, and of the gates asked for."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers.des import S
from finalist.ciphers.twofish import Q
from finalist.passes.circuits import library
from finalist.passes.circuits.circuit import Circuit
from finalist.passes.circuits.diagrams import from_diagrams
from finalist.passes.circuits.lower import mapped
from tools.circuits import compiled
from tools.circuits.resubstitute import Effort, improved

pytestmark = pytest.mark.skipif(
    compiled.compiler() is None, reason="the circuit search needs a C compiler: cc, or one named in CC"
)
SHORT = Effort(seconds=0.2, breadth=2)
FULL_ADDER = tuple(x.bit_count() for x in range(8))


def even(table: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(y ^ table[0] for y in table)


@pytest.mark.parametrize("arity", [2, 3])
@pytest.mark.parametrize(("inputs", "outputs"), [(1, 1), (2, 3), (4, 4), (5, 2), (7, 1)])
@pytest.mark.every(4)
def test_random_tables(inputs: int, outputs: int, arity: int) -> None:
    numbers = random.Random(inputs)
    table = tuple(numbers.randrange(1 << outputs) for _ in range(1 << inputs))
    circuit = improved(table, inputs, outputs, Effort(seconds=0.1, breadth=2), arity=arity)
    assert circuit.table() == even(table)
    assert arity == 3 or not circuit.ternary


@pytest.mark.parametrize(("arity", "cost"), [(2, 5), (3, 2)])
def test_full_adder(arity: int, cost: int) -> None:
    assert improved(FULL_ADDER, 3, 2, SHORT, arity=arity).cost == cost


@pytest.mark.parametrize(("inner", "outer"), [(0x96, 0xE8), (0x1B, 0xCA), (0xE8, 0x96), (0x80, 0x6A)])
def test_two_gates_of_five_signals_are_found(inner: int, outer: int) -> None:
    table = tuple(outer >> ((inner >> (x & 7) & 1) | x >> 3 << 1) & 1 for x in range(32))
    assert improved(table, 5, 1, SHORT, arity=3).cost == 2


def test_four_signals_one_of_which_goes_to_both_gates() -> None:
    table = tuple(0xE8 >> ((x & 7).bit_count() & 1 | (x >> 2 & 3) << 1) & 1 for x in range(16))
    assert improved(table, 4, 1, SHORT, arity=3).cost == 2


def test_gates_of_three_inputs_for_many_rows() -> None:
    table = even(Q[0].data.values)
    begin = mapped(library.find_masked(table, 8)[0])  # type: ignore[index]
    circuit = improved(table, 8, 8, SHORT, begin, arity=3)
    assert circuit.table() == table
    assert circuit.cost < begin.cost


def test_a_circuit_to_begin_with_only_gets_smaller() -> None:
    table = even(S[3].data.values)
    known = from_diagrams(table, 6, 4)
    circuit = improved(table, 6, 4, SHORT, known)
    assert circuit.table() == table
    assert circuit.cost < known.cost
    ternary = improved(table, 6, 4, SHORT, circuit, arity=3)
    assert ternary.table() == table
    assert ternary.cost < circuit.cost
    assert improved(table, 6, 4, SHORT, ternary, arity=3).cost <= ternary.cost


def test_constant_and_plain_outputs_cost_nothing_but_the_constant() -> None:
    table = tuple(x & 3 | (x & 1) << 3 for x in range(8))
    circuit = improved(table, 3, 4, Effort(seconds=0.05))
    assert circuit.table() == table
    assert circuit.cost == 1


def test_a_circuit_for_another_table_is_noticed() -> None:
    known = from_diagrams(FULL_ADDER, 3, 2)
    assert isinstance(known, Circuit)
    with pytest.raises(Exception, match="exit status 1"):
        improved(tuple(y ^ (x == 3) for x, y in enumerate(FULL_ADDER)), 3, 2, SHORT, known)


def test_same_seed_same_begin() -> None:
    table = tuple(x * 7 & 31 ^ x >> 2 for x in range(32))
    one, other = (improved(table, 5, 5, Effort(seconds=0, breadth=2, burst=0)) for _ in range(2))
    assert one == other
