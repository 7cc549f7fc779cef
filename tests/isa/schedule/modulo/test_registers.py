"""Registers of values whose lives are arcs on a circle."""

from __future__ import annotations

import pytest

from finalist.isa.schedule.modulo.greedy import Manner, greedy
from finalist.isa.schedule.modulo.problem import Problem, Schedule, pressure
from finalist.isa.schedule.modulo.registers import allocated
from finalist.isa.schedule.modulo.verify import misplaced
from tests.loops import loads, loop, random_loop


def usable(problem: Problem, count: int) -> dict[tuple[int, int], list[int]]:
    return {value: list(range(count)) for value in problem.values}


@pytest.mark.parametrize("seed", range(8))
def test_as_many_as_live_at_once_and_a_few(seed: int) -> None:
    problem = random_loop(seed)
    schedule = next(one for k in range(4, 40) if (one := greedy(problem, k, Manner(seed))) is not None)
    most = max(max(counts) for counts in pressure(problem, schedule).values())
    found = allocated(problem, schedule, usable(problem, most + 2))
    assert found is not None
    assert misplaced(problem, schedule, found) == []
    assert max(found.values()) < most + 2
    if most > 1:
        assert allocated(problem, schedule, usable(problem, most - 1)) is None


def test_pairs_are_an_even_register_and_the_next() -> None:
    problem = loop(loads(), loads(), loads(), pairs=(((0, 0), (1, 0)),))
    schedule = Schedule(1, (0, 0, 0), (0, 0, 0))
    found = allocated(problem, schedule, {**usable(problem, 4), (2, 0): [0, 1, 2]})
    assert found is not None
    assert misplaced(problem, schedule, found) == []
    assert allocated(problem, schedule, {value: [1, 2, 5] for value in problem.values}) is None


def test_a_value_with_few_registers_comes_first() -> None:
    problem = loop(loads(), loads(), loads())
    schedule = Schedule(1, (0, 0, 0), (0, 0, 0))
    found = allocated(problem, schedule, {**usable(problem, 3), (2, 0): [0]})
    assert found is not None
    assert found[2, 0] == 0
