"""What an operand is in all iterations together: made, carried, invariant, a series; from when on."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.passes.repetition.operands import (
    Invariant,
    Made,
    Operand,
    Series,
    initial_values,
    operand_of,
    positions_of,
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
