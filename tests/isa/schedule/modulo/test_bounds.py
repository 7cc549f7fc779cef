"""Lower bounds on the interval of a loop."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.schedule.modulo.bounds import least_interval, recurrence_bound, resource_bound
from finalist.isa.schedule.modulo.problem import Order, Read
from tests.loops import adds, loads, loop, sum_loop


def test_resources_by_sets_of_units() -> None:
    only_s = [adds(Read(0), units="s") for _ in range(5)]
    assert resource_bound(loop(loads(), *only_s)) == 3  # five on two units
    either = [adds(Read(0), units="ls") for _ in range(4)]
    assert resource_bound(loop(loads(), *only_s, *either)) == 3  # nine on four
    assert resource_bound(loop(loads(), *only_s, *either, *either)) == 4  # thirteen on four


def test_what_depends_on_itself() -> None:
    assert recurrence_bound(sum_loop()) == 1
    ring = loop(adds(Read(1, distance=1), latency=3), adds(Read(0), latency=2))
    assert recurrence_bound(ring) == 5
    ring = loop(adds(Read(1, distance=2), latency=3), adds(Read(0), latency=2))
    assert recurrence_bound(ring) == 3
    assert recurrence_bound(loop(loads(), orders=(Order(0, 0, 4, 1),))) == 4


def test_the_greater_one_counts() -> None:
    assert least_interval(sum_loop()) == 2  # three accesses to memory


def test_a_long_way_through_many_operations() -> None:
    """A chain that closes after an iteration, in the order of operations and against it."""
    chain = loop(loads(), *(adds(Read(k)) for k in range(60)), orders=(Order(60, 0, 1, 1),))
    assert recurrence_bound(chain) == 4 + 59 + 1
    backwards = loop(*(adds(Read(k + 1)) for k in range(60)), loads(), orders=(Order(0, 60, 1, 1),))
    assert recurrence_bound(backwards) == 4 + 59 + 1


def test_what_depends_on_nothing_of_an_iteration_before() -> None:
    assert recurrence_bound(loop(loads(), adds(Read(0)))) == 1


def test_units_that_are_all_taken() -> None:
    """One operation more takes a cycle more."""
    only_s = [adds(units="s") for _ in range(4)]
    assert resource_bound(loop(*only_s)) == 2
    assert resource_bound(loop(*only_s, adds(units="s"))) == 3


@pytest.mark.parametrize(("issue", "bound"), [(8, 2), (3, 2), (2, 3), (1, 5)])
def test_operations_that_are_issued_in_a_cycle(issue: int, bound: int) -> None:
    """Five operations, three of which go to memory by two units."""
    assert resource_bound(replace(sum_loop(), issue=issue)) == bound
    assert least_interval(replace(sum_loop(), issue=issue)) == bound
