"""What an operand is in all iterations together: made, carried, invariant, a series; from when on."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.printer import format_graph
from finalist.ir.types import TupleType, WordType
from finalist.passes.repetition.operands import (
    Invariant,
    Made,
    Operand,
    Series,
    constant_of,
    first_repeated,
    initial_values,
    operand_of,
    positions_of,
    undefined,
)

make = Builder()
KEY = [make.param("memory", WordType(32), f"k{n}") for n in range(8)]


def iterations(count: int) -> list[tuple[Node, Node]]:
    """Two operations each."""
    key = make.param("memory", WordType(32), "k")
    found = []
    for _ in range(count):
        key = make.make(Op.ADD, (key, KEY[0]))
        found.append((make.make(Op.NOT, (key,)), key))
    return found


def classified(series: list[Node], nodes: list[tuple[Node, Node]]) -> tuple[Operand, int]:
    return operand_of(series, positions_of(nodes))


def test_each_kind() -> None:
    nodes = iterations(5)
    constants = [make.const(3 * k, 32) for k in range(5)]
    assert classified([both[1] for both in nodes], nodes) == (Made(1, 0), 0)
    assert classified([KEY[0]] * 5, nodes) == (Invariant(KEY[0]), 0)
    assert classified(KEY[:5], nodes) == (Series(tuple(KEY[:5]), constant=False), 0)
    series, first = classified(constants, nodes)
    assert isinstance(series, Series) and (series.values, first) == ([0, 3, 6, 9, 12], 0)


def test_what_is_carried_has_values_from_before() -> None:
    nodes = iterations(5)
    series = [KEY[1], KEY[2], *(nodes[k][0] for k in range(3))]
    operand, first = classified(series, nodes)
    assert (operand, first) == (Made(0, 2), 0)
    assert initial_values([(operand, series)], positions_of(nodes)) == {(0, 2): KEY[1], (0, 1): KEY[2]}


def test_a_value_from_before_is_one_thing() -> None:
    nodes = iterations(4)
    carried = [nodes[k][0] for k in range(3)]
    operands = [(Made(0, 1), [KEY[n], *carried]) for n in range(2)]
    assert initial_values(operands[:1], positions_of(nodes)) == {(0, 1): KEY[0]}
    assert initial_values(operands, positions_of(nodes)) is None


def test_the_last_iterations_say_what_it_is() -> None:
    nodes = iterations(5)
    assert classified([KEY[1], KEY[1], KEY[0], KEY[0], KEY[0]], nodes)[0] == Series(
        (KEY[1], KEY[1], KEY[0], KEY[0], KEY[0]), constant=False
    )
    assert classified([KEY[1], *(both[1] for both in nodes[1:])], nodes) == (Made(1, 0), 1)
    assert classified([nodes[0][1], *KEY[1:5]], nodes)[1] == 1
    assert classified([KEY[1], *[nodes[0][0]] * 4], nodes) == (Invariant(nodes[0][0]), 1)


def text(values: list[int], width: int) -> list[str]:
    make = Builder()
    index = make.param("index", WordType(32), "i")
    made = Graph("g", [index], [constant_of(make, values, width, index)])
    return [line.strip() for line in format_graph(made).splitlines()[1:]]


@pytest.mark.parametrize(
    ("values", "width", "expected"),
    [
        ([7, 7, 7], 32, ["return 7"]),
        ([0, 1, 2, 3], 32, ["return i"]),
        ([0, 3, 6], 32, ["v1 = mul i 3 : u32", "return v1"]),
        ([5, 6, 7], 32, ["v1 = add i 5 : u32", "return v1"]),
        (
            [9, 7, 5],
            8,
            [
                "v1 = slice i [0] : u8",
                "v2 = mul v1 0xfe : u8",
                "v3 = add v2 9 : u8",
                "return v3",
            ],
        ),
        ([0, 1, 2], 64, ["v1 = extend i : u64", "return v1"]),
        ([3, 1, 4], 32, ["v1 = slice i [0] : u2", "v2 = lookup v1 [by_iteration] : u32", "return v2"]),
        ([3, 1, 3, 1, 3], 8, ["v1 = slice i [0] : u1", "v2 = lookup v1 [by_iteration] : u8", "return v2"]),
    ],
)
def test_forms(values: list[int], width: int, expected: list[str]) -> None:
    assert text(values, width) == expected


def test_places_wrap_around_with_their_array() -> None:
    make = Builder()
    index = make.param("index", WordType(32), "i")
    values = [(209 + 32 * j) & 255 for j in range(8)]
    found = constant_of(make, values, 32, index, 256)
    assert found.width == 8
    run = interpreter.run(Graph("g", [index], [found]), [np.arange(8, dtype=np.uint32)])
    assert run[0].tolist() == values
    # Of another length, or a number that is no place, they are a table.
    assert constant_of(make, values, 32, index, 257).op is Op.LOOKUP
    assert constant_of(make, values, 32, index).op is Op.LOOKUP
    # What does not wrap keeps its width.
    assert constant_of(make, [3, 5, 7], 32, index, 256).width == 32


def test_a_table_is_filled_up_with_zeros() -> None:
    make = Builder()
    index = make.param("index", WordType(32), "i")
    found = constant_of(make, [3, 1, 4, 1, 5], 8, index)
    assert found.attr.values == (3, 1, 4, 1, 5, 0, 0, 0)
    repeated = constant_of(make, [3, 1, 4, 9] * 3, 8, index)
    assert repeated.attr.values == (3, 1, 4, 9)
    other = constant_of(make, [3, 1, 4] * 3, 8, index)
    assert other.attr.values == (3, 1, 4, 3, 1, 4, 3, 1, 4, *[0] * 7)


def test_what_repeats_the_first_values() -> None:
    assert first_repeated("abababa", (1, 2, 4)) == "ab"
    assert first_repeated("abababc", (1, 2)) == "abababc"
    assert first_repeated("abcabd", (4, 5, 2)) == "abcabd"
    assert first_repeated("aaaa", (2, 1)) == "aa"


def test_nothing_is_zero() -> None:
    make, word = Builder(), WordType(16)
    assert undefined(make, word) is make.const(0, 16)
    pair = undefined(make, TupleType((word, word)))
    assert pair.op is Op.TUPLE and pair.inputs == (make.const(0, 16),) * 2
