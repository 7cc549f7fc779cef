"""Schedulers of loops: what is stored is taken, what does not fit is made anew, and how greedily."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from finalist.errors import DataError
from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.schedule.modulo import schedulers
from finalist.isa.schedule.modulo.greedy import manners
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Order, Schedule
from finalist.isa.schedule.modulo.rounds import folded
from finalist.isa.schedule.modulo.schedulers import fits, quick, scheduler
from finalist.isa.schedule.modulo.stored import stored
from finalist.isa.schedule.modulo.verify import violations
from tests.isa.schedule.modulo.test_rounds import rounds_of
from tests.loops import sum_loop
from tools.loops.__main__ import loop_of


@pytest.fixture(scope="module")
def loop() -> Loop:
    return loop_of("c64x", "rc6", "encrypt")


@pytest.fixture(scope="module")
def slow(loop: Loop) -> Schedule:
    return quick(loop, 100)


def test_the_quick_schedule_fits_and_keeps_all_rules(loop: Loop, slow: Schedule) -> None:
    assert fits(loop, slow)
    assert violations(loop.problem, slow) == []
    assert 100 <= slow.interval < 120


def test_what_is_kept_is_taken(loop: Loop, slow: Schedule) -> None:
    assert scheduler({loop.problem.digest: stored(loop.problem, slow, "rc6")})(loop) is slow


def test_what_is_kept_and_wrong_is_an_error(loop: Loop, slow: Schedule) -> None:
    one = stored(loop.problem, slow, "rc6")
    wrong = replace(one, schedule=replace(slow, interval=60))
    with pytest.raises(DataError, match="the schedule stored for rc6"):
        scheduler({loop.problem.digest: wrong})(loop)


def test_any_number_of_rounds_by_the_schedule_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of a round serves loops of which nothing is kept; chained or not is all one to it."""
    monkeypatch.setattr(schedulers, "fits", lambda loop, schedule: True)
    monkeypatch.setattr(schedulers, "quick", lambda loop: "quick")
    own = Schedule(2, (0, 4, 5), (0, 0, 0))
    rounds = folded(rounds_of())
    assert rounds is not None
    kept = {rounds.problem.digest: stored(rounds.problem, own, "round", renamed=True)}
    for count in (5, 7, 9):
        loop = SimpleNamespace(problem=rounds_of(count), settle=lambda schedule: True)
        made = scheduler({}, rounds=kept)(loop)  # type: ignore[arg-type]
        assert violations(loop.problem, made) == []
        inside = folded(loop.problem)
        assert inside is not None
        for index in range(inside.count - 1):
            here, there = (made.times[inside.operations(k)[1]] for k in (index, index + 1))
            assert there - here == 2 or index in (0, inside.count - 2, inside.count - 3)
        assert scheduler({})(loop) == "quick"  # type: ignore[arg-type, comparison-overlap]
        with pytest.raises(NoRoomError, match="no schedule is kept"):
            schedulers.kept({})(loop)  # type: ignore[arg-type]
    other = SimpleNamespace(problem=sum_loop(), settle=lambda schedule: True)
    assert scheduler({}, rounds=kept)(other) == "quick"  # type: ignore[arg-type, comparison-overlap]


def test_registers_that_are_never_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedulers, "_MOST", 1)
    small = loop_of("c64x", "rc6", "encrypt")
    small.body.problem = replace(small.problem, registers={"a": 1, "b": 1})
    with pytest.raises(NoRoomError, match="does not fit the registers"):
        quick(small, 200)


def test_manners_depend_on_what_binds() -> None:
    """Where a recurrence binds some wait for the sake of registers, and others do not."""
    roomy = list(manners(sum_loop(), 2))
    tight = list(manners(replace(sum_loop(), orders=(Order(4, 0, 1, 1),)), 2))
    assert {one.seed for one in roomy} == {one.seed for one in tight} == {0, 1}
    assert all(one.patience for one in roomy) and not all(one.patience for one in tight)
