"""How long key schedules take: what is executed, and the longest chain."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.key_schedules.pace import executed, grown

U32 = WordType(32)


def words(make: Builder, count: int) -> list[Node]:
    return [make.param("memory", U32, f"x{n}") for n in range(count)]


def looped(turns: int) -> Graph:
    make = Builder()
    (k,) = words(make, 1)
    index, carried = make.param("index", U32, "i"), make.param("carried", U32, "c")
    sum_ = make.make(Op.ADD, (make.make(Op.XOR, (carried, k)), make.make(Op.ADD, (index, k))))
    place = make.make(Op.MUL, (index, make.const(3, 32)))
    region = Region([index, carried], [make.make(Op.ADD, (sum_, place))])
    return Graph("g", [k], make.loop(make.const(0, 32), make.const(turns, 32), [k], region))


@pytest.mark.parametrize("turns", [0, 1, 7])
def test_a_loop_is_executed_turn_by_turn(turns: int) -> None:
    """Four operations, one word handed on, the end of the turn; the place is part of an address."""
    assert executed(looped(turns)) == turns * 6


def chain(steps: int, wide: int) -> Graph:
    """``wide`` chains side by side."""
    make = Builder()
    given = words(make, wide)
    ends = list(given)
    for step in range(steps):
        ends = [make.make(Op.XOR, (end, make.const(step + 1, 32))) for end in ends]
    return Graph("g", given, ends)


def test_work_beside_a_long_chain_costs_nothing() -> None:
    assert grown(chain(90, 1), chain(90, 2)) == 1
    assert grown(chain(10, 9), chain(10, 18)) == 2
