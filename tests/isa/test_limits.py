"""What bounds a loop: small ones counted by hand, and that more of anything never makes a bound longer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.limits import RECURRENCE, REGISTERS, Limit, both, limits, sooner
from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.problem import Problem, Read, Schedule
from tests.loops import GOOD, UNITS, adds, loads, loop, random_loop, scheduled, stores, sum_loop


def named(problem: Problem, schedule: Schedule) -> dict[str, Limit]:
    return {one.name: one for one in limits(problem, schedule).all}


def test_a_loop_by_hand() -> None:
    """Two loads and a store on two memory units bind; with a third, the sums and the accesses do."""
    found = limits(sum_loop(), GOOD)
    assert (found.interval, found.bound, found.binding) == (2, 2, "d")
    memory = next(one for one in found.all if one.name == "d")
    assert (memory.least, memory.used, memory.more) == (2, 0.75, 1)
    assert found.more("l") == 2 and found.more("none") is None


def test_what_depends_on_itself_binds() -> None:
    """A sum of the sum before, of latency 3: an interval of 3, and of 2 where it is there a cycle sooner."""
    problem = loop(adds(Read(0, distance=1), latency=3), stores(0))
    found = limits(problem, scheduled(problem))
    assert (found.bound, found.binding) == (3, RECURRENCE)
    assert found.more(sooner(3)) == 2 and found.more("l") == 3


def test_paths_that_all_choices_take() -> None:
    """What crosses in any case binds by the paths."""
    one = adds(Read(0))
    across = replace(one, choices=tuple(c for c in one.choices if len(c.resources) > 1))
    problem = loop(loads(), *[across] * 5)
    found = named(problem, scheduled(problem))
    assert (found["x"].least, found["x"].more) == (3, 2)
    assert not any(" and " in name for name in found)  # it is taken by several kinds of units


def test_a_unit_with_its_path() -> None:
    """Stores need a memory unit and the one path: more of one alone gives nothing."""
    one = stores(0)
    choices = tuple(replace(c, resources=(*c.resources, "t1")) for c in one.choices)
    problem = loop(loads(), *[replace(one, choices=choices)] * 4)
    problem = replace(problem, units={**UNITS, "t1": 2})
    found = named(problem, scheduled(problem))
    assert (found["d"].least, found["t"].least) == (3, 2)
    assert (found["d"].more, found["t"].more, found[both("d", "t")].more) == (2, 3, 2)


def test_words_that_wait_for_their_last_reader() -> None:
    """Of 12 words each is read at once, and again behind two others: four registers hold four a cycle."""
    operations = []
    for _ in range(12):
        first = len(operations)
        operations += [loads(), adds(Read(first)), adds(Read(first + 1)), adds(Read(first + 2), Read(first))]
    problem = loop(*operations, registers=2)
    # A word lives from when it is there until two cycles later; the other three values for a cycle each.
    assert named(problem, scheduled(problem))[REGISTERS].least == 12 * (3 + 3) // 4


@pytest.mark.parametrize("seed", range(8))
def test_bounds_hold_and_never_grow(seed: int) -> None:
    problem = random_loop(seed)
    schedule = scheduled(problem)
    found = limits(problem, schedule)
    assert least_interval(problem) <= found.bound
    assert all(one.more is None or one.more <= found.bound for one in found.all)
    assert all(one.least is None or one.least <= found.bound for one in found.all)
    assert all(one.used is None or one.name == REGISTERS or 0 <= one.used <= 1 for one in found.all)


def test_one_more_is_the_bound_of_that_processor() -> None:
    problem = random_loop(3)
    wider = replace(problem, units={**problem.units, "s1": 2}, issue=problem.issue + 1)
    assert limits(problem, scheduled(problem)).more("s") == limits(wider, scheduled(wider)).bound
