"""The circuit form: validation, exhaustive evaluation, and its JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalist.passes.circuits.circuit import OPS, Circuit, Gate, input_columns, table_columns

BITS = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "andn": lambda a, b: a & (1 - b),
    "not": lambda a, b: 1 - a,
}


@st.composite
def circuits(draw: st.DrawFn) -> Circuit:
    inputs = draw(st.integers(1, 5))
    gates = []
    for k in range(draw(st.integers(0, 12))):
        op = draw(st.sampled_from(sorted(BITS)))
        a, b = draw(st.tuples(*[st.integers(0, inputs + k - 1)] * 2))
        gates.append(Gate(op, a, a if op == "not" else b))
    registers = st.integers(0, inputs + len(gates) - 1)
    return Circuit(inputs, tuple(gates), tuple(draw(st.lists(registers, min_size=1, max_size=6))))


def bit_by_bit(circuit: Circuit, x: int) -> int:
    """The output for one input, computed with single bits."""
    values = [x >> i & 1 for i in range(circuit.inputs)]
    for gate in circuit.gates:
        values.append(BITS[gate.op](values[gate.a], values[gate.b]))
    return sum(values[register] << bit for bit, register in enumerate(circuit.outputs))


@given(circuits())
def test_table_agrees_with_single_bits(circuit: Circuit) -> None:
    assert circuit.table() == tuple(bit_by_bit(circuit, x) for x in range(1 << circuit.inputs))


@given(circuits())
def test_json_round_trip(circuit: Circuit) -> None:
    assert Circuit.from_json(json.loads(json.dumps(circuit.to_json()))) == circuit


def test_columns_are_the_transposed_table() -> None:
    table = (5, 0, 3, 6)
    columns = table_columns(table, 3)
    assert [sum((columns[b] >> x & 1) << b for b in range(3)) for x in range(4)] == list(table)
    assert table_columns(tuple(range(16)), 4) == tuple(input_columns(4))


def test_cost_and_depth() -> None:
    circuit = Circuit(3, (Gate("xor", 0, 1), Gate("andn", 3, 2), Gate("not", 0, 0)), (4, 5))
    assert (circuit.cost, circuit.depth) == (3, 2)


def test_prove_gives_a_witness() -> None:
    circuit = Circuit(2, (Gate("and", 0, 1),), (2,))
    assert circuit.prove((0, 0, 0, 1)) is circuit
    with pytest.raises(ValueError, match="maps 1 to 0, the table to 1"):
        circuit.prove((0, 1, 0, 1))
    with pytest.raises(ValueError, match="4 entries, the table 8"):
        circuit.prove((0,) * 8)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Gate("nand", 0, 1), "unknown gate 'nand'"),
        (lambda: Gate("not", 0, 1), "not gate reads one register"),
        (lambda: Circuit(0, (), (0,)), "1 to 16 inputs, not 0"),
        (lambda: Circuit(2, (), ()), "at least one output"),
        (lambda: Circuit(2, (Gate("and", 0, 2),), (0,)), r"gate 0 \(and\) reads register 2"),
        (lambda: Circuit(2, (Gate("and", -1, 1),), (0,)), "reads register -1"),
        (lambda: Circuit(2, (), (2,)), "output list reads register 2, but only 0..1"),
        (lambda: Circuit.from_json({"inputs": 2, "gates": []}), "needs the field 'out'"),
        (lambda: Circuit.from_json({"inputs": 2, "gates": [["and", 0]], "out": [0]}), "a gate is written"),
    ],
)
def test_refusals_name_what_is_wrong(build, message) -> None:
    with pytest.raises(ValueError, match=message):
        build()


MUX = Gate("lut3", 0, 1, 2, 0xCA)


def test_gates_of_three_inputs() -> None:
    circuit = Circuit(3, (MUX, Gate("xor", 3, 0)), (3, 4))
    assert circuit.ternary
    assert circuit.depth == 2
    assert circuit.table() == tuple(
        (y := x >> 1 & 1 if x >> 2 else x & 1) | (y ^ x & 1) << 1 for x in range(8)
    )
    assert Circuit.from_json(circuit.to_json()) == circuit
    with pytest.raises(ValueError, match="maps 1 to 3, the table to 0"):
        Circuit(3, (Gate("lut3", 0, 1, 2, 0xCA), Gate("or", 3, 0)), (3, 4)).prove((0,) * 8)


@pytest.mark.parametrize(
    "gate",
    [("lut3", 0, 1), ("lut3", 0, 1, 2, 256), ("lut3", 0, 1, 2), ("and", 0, 1, 2, 0xCA)],
)
def test_only_gates_of_three_inputs_have_a_truth_table(gate: tuple) -> None:
    with pytest.raises(ValueError, match="third register and a truth table"):
        Gate(*gate)


def test_every_changed_truth_table_is_noticed() -> None:
    table = Circuit(3, (MUX,), (3,)).table()
    for bit in range(8):
        with pytest.raises(ValueError, match=f"the circuit maps {bit}"):
            Circuit(3, (Gate("lut3", 0, 1, 2, 0xCA ^ 1 << bit),), (3,)).prove(table)


@pytest.mark.parametrize(
    ("op", "truth"), [("and", 0b1000), ("or", 0b1110), ("xor", 0b0110), ("andn", 0b0010), ("not", 0b0101)]
)
def test_operations(op: str, truth: int) -> None:
    """By their truth tables: bit ``a + 2b``."""
    assert OPS[op](0b1010, 0b1100) & 0b1111 == truth
