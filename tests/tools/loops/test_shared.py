"""Operations shared out among sides: small loops counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.errors import DataError
from finalist.isa.schedule.modulo.bounds import resource_bound
from finalist.isa.schedule.modulo.problem import Choice, Operation, Problem, Read, Schedule
from tests.loops import GOOD, loads, loop, random_loop, scheduled, stores, sum_loop
from tools.loops import shared
from tools.loops.exact import Effort

pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")

EFFORT = Effort(10.0, workers=1)
PATHS = ("x1", "x2")


def test_a_sum_needs_a_path() -> None:
    """Of three accesses in two cycles one is on the other side, and a word of it goes across."""
    found = shared.shared(sum_loop(), GOOD, PATHS, EFFORT, "sum")
    assert (found.name, found.shortest, found.interval, found.kind, found.paths) == ("sum", 2, 2, "x", 2)
    assert (found.crossing, found.enough, found.bound) == (1, 1, 1)
    slow = shared.shared(sum_loop(), replace(GOOD, interval=3), PATHS, EFFORT)
    assert (slow.shortest, slow.crossing) == (2, 0)


def confined(count: int) -> Problem:
    """Loads to one file alone, each of which is stored by the unit of the other side: it has to be moved."""
    left = Operation("load", (Choice(("d1",), (), ("a",)),), (), (4,))
    operations: list[Operation] = []
    for _ in range(count):
        moved = Read(len(operations))
        operations.append(left)
        operations.append(Operation("move", (Choice(("l2", "x2"), ("a",), ("b",)),), (moved,), (1,)))
        operations.append(Operation("store", (Choice(("d2",), ("b",)),), (Read(len(operations) - 1),), ()))
    return loop(*operations, registers=12)


def test_operands_that_have_to_cross() -> None:
    problem = confined(3)
    found = shared.shared(problem, scheduled(problem), PATHS, EFFORT)
    assert (found.shortest, found.crossing, found.enough, found.bound) == (3, 3, 3, 2)


def test_a_side_that_has_more_to_do() -> None:
    """Loads by an invariant that is held on one side are all done there, whatever both could do together."""
    choices = tuple(Choice(("d" + number,), (file,), (file,)) for number, file in (("1", "a"), ("2", "b")))
    by_index = Operation("load", choices, (Read(-1, invariant=0),), (4,))
    problem = loop(*[by_index] * 6, invariants=(frozenset("a"),), registers=12)
    assert resource_bound(problem) == 3
    assert shared.shortest(problem, scheduled(problem), EFFORT) == 6
    either = replace(problem, invariants=(frozenset("ab"),))
    assert shared.shortest(either, scheduled(either), EFFORT) == 3


@pytest.mark.parametrize("seed", range(4))
def test_no_schedule_is_shorter_or_crosses_less(seed: int) -> None:
    problem = random_loop(seed)
    schedule = scheduled(problem)
    found = shared.shared(problem, schedule, PATHS, EFFORT)
    crossing = sum(
        resource in PATHS
        for number in range(len(problem.operations))
        for resource in schedule.choice(problem, number).resources
    )
    assert resource_bound(problem) <= found.shortest <= schedule.interval
    assert found.crossing <= found.enough <= crossing


def test_a_schedule_that_is_none_has_no_shares() -> None:
    """Three accesses by two units do not go into one cycle."""
    problem = loop(loads(), loads(), stores(0))
    with pytest.raises(DataError, match="there are none"):
        shared.shared(problem, Schedule(1, (0, 0, 4), (0, 1, 0)), PATHS, EFFORT)
