"""Greedy schedules keep all rules but the number of registers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.greedy import Manner, greedy
from finalist.isa.schedule.modulo.problem import Read
from finalist.isa.schedule.modulo.verify import violations
from tests.loops import adds, loads, loop, random_loop, slow_across


@pytest.mark.parametrize("seed", range(8))
def test_random_loops(seed: int) -> None:
    problem = random_loop(seed)
    least = least_interval(problem)
    found = [greedy(problem, interval, Manner(seed)) for interval in range(least, least + 16)]
    assert any(found)
    assert all(violations(problem, one) == [] for one in found if one is not None)


def test_what_depends_on_nothing_comes_late() -> None:
    chain = [adds(Read(k), latency=2) for k in range(6)]
    problem = loop(loads(), *chain, loads(), adds(Read(6), Read(7)))
    found = greedy(problem, 30, Manner())
    assert found is not None
    assert found.times[8] - 4 - found.times[7] <= 1


def test_the_branch_and_counters() -> None:
    problem = loop(adds(), adds(), loads(), adds(Read(2)), last={0: 3}, early=frozenset({1}))
    found = greedy(problem, 8, Manner())
    assert found is not None
    assert violations(problem, found) == []
    assert found.times[0] == 5


def test_none_where_values_would_live_too_long() -> None:
    ring = loop(adds(Read(1, distance=1), latency=3), adds(Read(0), latency=2))
    assert greedy(ring, 4, Manner()) is None
    assert greedy(ring, 5, Manner()) is not None


@pytest.mark.parametrize("seed", range(6))
def test_words_that_take_longer_across(seed: int) -> None:
    """Schedules keep the wait, and some schedule made without it does not."""
    problem = slow_across()
    found = [greedy(problem, interval, Manner(seed)) for interval in range(8, 20)]
    assert any(found)
    assert all(violations(problem, one) == [] for one in found if one is not None)
    careless = greedy(slow_across(0), 9, Manner(seed))
    assert careless is not None and violations(problem, careless)


#: Nothing waits, so that what is placed early is reached.
AT_ONCE = Manner(0, 0.0, start=12)


def test_what_is_placed_already_stays() -> None:
    problem = random_loop(3)
    first = greedy(problem, 24, AT_ONCE)
    assert first is not None
    given = {k: (first.times[k], first.choices[k]) for k in range(20)}
    found = greedy(problem, 24, replace(AT_ONCE, seed=2), given)
    assert found is not None and violations(problem, found) == []
    assert all((found.times[k], found.choices[k]) == at for k, at in given.items())


def test_what_is_placed_in_one_cycle_on_one_unit_is_refused() -> None:
    problem = loop(loads(), loads(), adds(Read(0), Read(1)))
    assert greedy(problem, 8, AT_ONCE, {0: (20, 0), 1: (20, 1)}) is not None
    assert greedy(problem, 8, AT_ONCE, {0: (20, 0), 1: (20, 0)}) is None


def test_both_sides_fill_evenly() -> None:
    """A chain stays on one side, where nothing needs to cross, unless that fills up."""
    problem = loop(adds(), *(adds(Read(k)) for k in range(39)))

    def most(balance: float) -> int:
        found = greedy(problem, 40, Manner(balance=balance))
        assert found is not None and violations(problem, found) == []
        return max(Counter(found.file(problem, value) for value in problem.values).values())

    assert most(0.0) == 40 and most(20.0) <= 24
