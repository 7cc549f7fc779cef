"""Linear maps of bytes by few tables: what they compute, and that a wrong step is noticed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix
from finalist.ir.interpreter import run
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.prepare.coefficients import Plan, by_coefficients, planned
from finalist.isa.prepare.powers import Step
from finalist.passes.matrices import apply_matrix, linear_map

FIELDS = [(0x169, (0xEF, 0x5B)), (0x11B, (2, 3)), (0x11B, (14, 11, 13, 9))]


def multiply(a: int, b: int, field: int) -> int:
    total = 0
    while b:
        if b & 1:
            total ^= a
        a, b = a << 1 ^ (field if a & 0x80 else 0), b >> 1
    return total


def computed(plan: Plan, x: int) -> dict[object, int]:
    """By coefficient its product, made as the plan says."""
    identity = tuple(1 << k for k in range(8))
    found: dict[object, int] = {identity: x} | {m: apply_matrix(m, x) for m in plan.tables}
    for matrix, way in plan.ways:
        if len(way) == 1:
            assert plan.step is not None
            found[matrix] = plan.step(found[way[0]])
        else:
            found[matrix] = found[way[0]] ^ found[way[1]]
    return found


@pytest.mark.parametrize(("case", "tables"), list(product(FIELDS, (0, 1, 2))))
def test_products(case: tuple[int, tuple[int, ...]], tables: int) -> None:
    field, numbers = case
    matrices = [linear_map(lambda x, n=n: multiply(x, n, field), 8) for n in numbers]
    wanted = [m for m in matrices if m is not None]
    plan = planned(wanted, tables)
    assert plan is not None and len(plan.tables) == min(tables, len(numbers))
    for x in (1, 2, 0x80, 0x53, 0xFF):
        found = computed(plan, x)
        assert [found[m] for m in wanted] == [multiply(x, n, field) for n in numbers]


def test_fewer_tables_take_more_steps() -> None:
    matrices = [linear_map(lambda x, n=n: multiply(x, n, 0x169), 8) for n in (0xEF, 0x5B)]
    costs = [planned([m for m in matrices if m], k) for k in (0, 1, 2)]
    assert [plan.cost if plan else None for plan in costs] == sorted(
        (p.cost for p in costs if p), reverse=True
    )


@pytest.mark.parametrize("left", [False, True])
def test_a_step_as_operations_is_the_step(left: bool) -> None:
    step = Step(left, 0xB4)
    make = Builder()
    assert step.build(make, make.const(0x81, 8)).width == 8
    assert step(0x81) == ((0x02 if left else 0x40) ^ 0xB4)


def graph_of(*matrices: Matrix) -> Graph:
    """Each a map of the one byte that the graph has."""
    make = Builder()
    byte = make.param("block", WordType(8), "x")
    return Graph("maps", [byte], [make.linear([matrix], [byte], 8) for matrix in matrices])


def test_what_cannot_be_made_is_refused_not_left_as_it_is() -> None:
    scattered = [tuple(1 << (3 * k + shift) % 8 for k in range(8)) for shift in (1, 2, 5)]
    with pytest.raises(
        ScheduleError, match="map-tables=0 is not legal for maps: no shift by a bit makes its 3"
    ):
        by_coefficients(graph_of(*scattered), 0)
    with pytest.raises(ScheduleError, match="map-tables=1 is not legal for maps: it maps no bytes"):
        by_coefficients(graph_of(), 1)


@pytest.mark.parametrize("tables", [0, 1, 2])
def test_as_many_tables_as_are_wanted(tables: int) -> None:
    matrices = [linear_map(lambda x, n=n: multiply(x, n, 0x169), 8) for n in (0xEF, 0x5B)]
    graph = graph_of(*(m for m in matrices if m is not None))
    made = by_coefficients(graph, tables)
    looked_up = {node.attr for node in made.body if node.op is Op.LOOKUP}
    assert len(looked_up) == tables
    for x in (1, 0x53, 0xFF):
        values = [int(value[0]) for value in run(made, [np.array([x], np.uint8)])]
        assert values == [multiply(x, n, 0x169) for n in (0xEF, 0x5B)]
