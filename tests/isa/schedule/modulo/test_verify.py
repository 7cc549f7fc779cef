"""What the verifier of pipelined loops finds: each rule broken once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.schedule.modulo.problem import Order, Read, Schedule
from finalist.isa.schedule.modulo.verify import misplaced, violations
from tests.loops import GOOD, adds, loads, loop, stores, sum_loop


def wrong(schedule: Schedule, **more: object) -> list[str]:
    return violations(replace(sum_loop(), **more), schedule)  # type: ignore[arg-type]


#: Loads on both sides in one cycle, the sum across, all in two cycles an iteration.
CROSSING = Schedule(2, (0, 0, 4, 5, 7), (0, 1, 1, 0, 0))


def test_a_schedule_that_keeps_all_rules() -> None:
    assert wrong(CROSSING) == []


@pytest.mark.parametrize(
    ("schedule", "told"),
    [
        (replace(CROSSING, interval=0), "interval is 0"),
        (replace(CROSSING, times=(0, 0)), "2 times"),
        (replace(CROSSING, choices=(9, 1, 1, 0, 0)), "no choice 9"),
        (replace(CROSSING, times=(-2, 0, 4, 5, 7)), "cycle -2"),
        (replace(CROSSING, times=(0, 0, 3, 5, 7)), "too early after"),
        (replace(CROSSING, times=(0, 0, 4, 4, 7)), "too early after 2"),
        (replace(CROSSING, choices=(0, 1, 0, 0, 0)), "reads from a what is in b"),
        (replace(CROSSING, times=(0, 0, 4, 6, 8)), "taken 2 times"),
        (replace(CROSSING, times=(0, 2, 6, 7, 9)), "beyond the interval"),
    ],
)
def test_rules(schedule: Schedule, told: str) -> None:
    assert any(told in line for line in wrong(schedule)), wrong(schedule)


def test_cycles_of_branches_and_counters() -> None:
    assert wrong(CROSSING, early=frozenset({0})) == []
    assert "not in the first stage" in wrong(CROSSING, early=frozenset({4}))[0]
    assert wrong(CROSSING, last={0: 2}) == []
    assert "1 cycles before" in wrong(CROSSING, last={0: 1})[0]


def test_orders_span_iterations() -> None:
    assert wrong(CROSSING, orders=(Order(4, 0, 1, 4),)) == []
    assert "too early after 4" in wrong(CROSSING, orders=(Order(4, 0, 2, 4),))[0]


def test_a_resource_that_is_taken_later() -> None:
    problem = sum_loop()
    one = problem.operations[3]
    later = replace(one.choices[0], later=(("l1", 1),))
    operations = list(problem.operations)
    operations[3] = replace(one, choices=(later, *one.choices[1:]))
    assert "l1 is taken 2 times" in violations(replace(problem, operations=tuple(operations)), CROSSING)[0]


def test_words_that_take_longer_across() -> None:
    """The sum reads its second operand across; by a cycle's wait it comes too early."""
    problem = sum_loop()
    one = problem.operations[2]
    choices = tuple(replace(c, waits=(0, 1)) if len(c.resources) > 1 else c for c in one.choices)
    slow = replace(
        problem, operations=(*problem.operations[:2], replace(one, choices=choices), *problem.operations[3:])
    )
    assert violations(slow, CROSSING) == ["operation 2 is issued before cycle 5, too early after 1"]
    assert violations(slow, Schedule(3, (0, 0, 5, 6, 7), CROSSING.choices)) == []


def test_issue() -> None:
    assert "3 operations are issued" in wrong(CROSSING, issue=1)[0]


def test_invariants_are_where_they_are_held() -> None:
    body = loop(adds(Read(-1, invariant=0)), stores(0), invariants=(frozenset({"b"}),))
    assert violations(body, Schedule(1, (0, 1), (2, 1))) == []
    assert "reads from a what is in b" in violations(body, Schedule(1, (0, 1), (0, 0)))[0]


def test_pairs_are_in_one_file() -> None:
    body = loop(loads(), loads(), pairs=(((0, 0), (1, 0)),))
    assert violations(body, Schedule(2, (0, 1), (0, 0))) == []
    assert "different files" in violations(body, Schedule(2, (0, 1), (0, 1)))[0]
    assert misplaced(body, Schedule(2, (0, 1), (0, 0)), {(0, 0): 3, (1, 0): 2}) == []
    for odd, even in ((2, 1), (4, 3), (5, 2)):
        assert "no pair" in misplaced(body, Schedule(2, (0, 1), (0, 0)), {(0, 0): odd, (1, 0): even})[0]


def test_registers() -> None:
    good = {(0, 0): 0, (1, 0): 0, (2, 0): 1, (3, 0): 2}
    assert misplaced(sum_loop(), CROSSING, good) == []
    assert "has no register" in misplaced(sum_loop(), CROSSING, {**good, (4, 0): 1} | {(0, 0): None})[0]  # type: ignore[dict-item]
    assert "are both in a2" in misplaced(sum_loop(), CROSSING, {**good, (2, 0): 2})[0]
    assert GOOD.stages == 5
