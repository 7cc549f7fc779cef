"""The search for a schedule that fits: which operations are free in a window, and where windows are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from finalist.isa.schedule.modulo.problem import Order, Problem, Schedule
from tests.loops import GOOD, loads, loop, random_loop, sum_loop
from tools.loops import neighbourhood as module
from tools.loops.exact import Answer, Effort
from tools.loops.neighbourhood import Windows, missing, search, squeezed, start


class Asked:
    """In place of the constraint model: what it was asked, and an answer."""

    def __init__(self, answer: Schedule | None) -> None:
        self.answer, self.free, self.given = answer, list[list[int]](), list[tuple[object, ...]]()

    def __call__(
        self, problem: Problem, schedule: Schedule, free: Collection[int], reach: int, **more: object
    ) -> Asked:
        self.free.append(list(free))
        self.given.append((schedule, reach, more))
        return self

    def solve(self, effort: Effort) -> Answer:
        return Answer("feasible" if self.answer else "unknown", self.answer)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked(None)
    monkeypatch.setattr(module, "Model", made)
    return made


#: Six loads on one side, one in each cycle of the interval.
ROW = loop(*(loads() for _ in range(6)), registers=1)
SIX = Schedule(6, tuple(range(6)), (0,) * 6)


def test_registers_that_are_lacking_are_summed_over_cycles() -> None:
    """Three live at once in both cycles of `GOOD`."""
    assert [missing(sum_loop(registers=count), GOOD) for count in (1, 2, 3, 4)] == [4, 2, 0, 0]


def test_the_first_schedule_lacks_the_fewest() -> None:
    problem = random_loop(1, 16, registers=2)
    first = start(problem, 12)
    assert first is not None and first.interval == 12
    assert start(loop(loads(), loads(), loads()), 1) is None


@pytest.mark.parametrize(
    ("width", "middle", "free"),
    [(2, 0, [0, 5]), (2, 3, [2, 3]), (3, 0, [0, 1, 5]), (3, 4, [3, 4, 5]), (6, 2, [0, 1, 2, 3, 4, 5])],
)
def test_what_is_free_lies_around_the_middle(
    asked: Asked, width: int, middle: int, free: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    windows = Windows(ROW, SIX, width=width, reach=7)
    monkeypatch.setattr(windows, "random", Middle(middle))
    windows.step()
    assert asked.free == [free]
    assert asked.given == [(SIX, 7, {})]
    assert windows.schedule is SIX


class Middle:
    def __init__(self, at: int) -> None:
        self.at = at

    def choices(self, cycles: range, weights: list[float]) -> list[int]:
        assert len(cycles) == len(weights)
        return [self.at]


def test_windows_are_where_registers_are_missing() -> None:
    """Squares of what is lacking, within half a window; and a little everywhere. Of one register 1, 2 and 1
    are lacking in cycles 4, 5 and 6."""
    problem = sum_loop(registers=1)
    later = replace(GOOD, interval=8, times=(0, 1, 5, 6, 7))
    weights = Windows(problem, later, width=2)._weights()
    assert weights == [0.5, 0.5, 0.5, 1.5, 5.5, 6.5, 5.5, 1.5]
    assert Windows(problem, later, width=0)._weights() == [0.5, 0.5, 0.5, 0.5, 1.5, 4.5, 1.5, 0.5]


def test_a_better_schedule_is_taken(asked: Asked) -> None:
    asked.answer = replace(SIX, choices=(1,) * 6)
    windows = Windows(ROW, SIX)
    assert windows.step().schedule is windows.schedule is asked.answer


def test_the_search_ends_where_nothing_is_missing_and_it_is_enough(asked: Asked) -> None:
    roomy = replace(ROW, registers={"a": 9, "b": 9})
    assert list(search(roomy, SIX, lambda schedule: True, 60)) == [SIX]
    said = iter((False, False, True))
    assert len(list(search(roomy, SIX, lambda schedule: next(said), 60))) == 3
    assert list(search(roomy, SIX, lambda schedule: True, 0)) == []


def test_a_cycle_is_taken_out(asked: Asked) -> None:
    """What is issued behind it comes a cycle earlier; what is less than the width away from it is free."""
    asked.answer = Schedule(5, (0, 1, 2, 3, 4, 4), (0, 0, 0, 0, 0, 1))
    made = squeezed(ROW, SIX, 3, 2)
    assert asked.given[0] == (
        Schedule(5, (0, 1, 2, 2, 3, 4), (0,) * 6),
        4,
        {"hard": True, "any_will_do": True},
    )
    assert asked.free == [[2, 3, 4]]
    assert made is asked.answer
    squeezed(ROW, SIX, 0, 2)
    assert asked.free[1] == [0, 1, 5]
    assert asked.given[1][0] == Schedule(5, (0, 0, 1, 2, 3, 4), (0,) * 6)


def test_what_the_solver_does_not_find_is_none(asked: Asked) -> None:
    assert squeezed(ROW, SIX, 3, 2) is None
    asked.answer = Schedule(5, (0,) * 6, (0,) * 6)  # six loads in one cycle
    assert squeezed(ROW, SIX, 3, 2) is None


def test_the_branch_stays_where_it_is(asked: Asked) -> None:
    """No cycle behind what has to be so many cycles before the end."""
    asked.answer = Schedule(5, (0, 1, 2, 3, 4, 4), (0, 0, 0, 0, 0, 1))
    branch = replace(ROW, last={2: 4})
    assert squeezed(branch, SIX, 3, 2) is None and not asked.free
    squeezed(branch, SIX, 2, 2)
    assert asked.free


def test_orders_hold_in_what_is_found(asked: Asked) -> None:
    asked.answer = Schedule(5, (0, 1, 2, 3, 4, 4), (0, 0, 0, 0, 0, 1))
    assert squeezed(replace(ROW, orders=(Order(0, 1, 2),)), SIX, 3, 2) is None
