"""Which program is taken where one is asked for whose time depends on no secret."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from finalist.errors import ScheduleError
from finalist.machines.constant_time import first_constant_time
from finalist.passes.timing import CONSTANT, TABLE, VARIABLE, Timing
from finalist.schedule import Schedule

FAST, MIDDLE, SLOW = (Schedule(blocks=n, constant_time=True) for n in (8, 4, 1))


@dataclass
class Made:
    schedule: Schedule
    parts: Timing
    cipher: str = "toy"


def chosen(labels: dict[Schedule, tuple[str, str] | None]) -> Schedule:
    """The schedule taken, where each has these labels, or is refused."""

    def build(candidate: Schedule) -> Made:
        found = labels[candidate]
        if found is None:
            raise ScheduleError(f"{candidate} is not legal")
        reasons = tuple("" if one == CONSTANT else f"a {one}" for one in found)
        return Made(candidate, Timing(*found, reasons))  # type: ignore[arg-type]

    return first_constant_time(build, [[one] for one in labels], cost=lambda made: 1.0).schedule


GOOD, BAD = (CONSTANT, CONSTANT), (CONSTANT, TABLE)


def test_the_first_that_has_the_label() -> None:
    assert chosen({FAST: GOOD, SLOW: GOOD}) == FAST
    assert chosen({FAST: BAD, MIDDLE: GOOD, SLOW: GOOD}) == MIDDLE
    assert chosen({FAST: (TABLE, CONSTANT), MIDDLE: (CONSTANT, VARIABLE), SLOW: GOOD}) == SLOW


def test_ways_that_are_not_legal_are_passed_over() -> None:
    assert chosen({FAST: BAD, MIDDLE: None, SLOW: GOOD}) == SLOW
    assert chosen({FAST: None, SLOW: GOOD}) == SLOW


def test_what_was_asked_for_is_refused_with_its_own_reason() -> None:
    with pytest.raises(ScheduleError, match=r"^blocks=8 constant-time is not legal$"):
        chosen({FAST: None, SLOW: None})


def test_no_way_at_all() -> None:
    said = "constant-time is not legal for toy: under blocks=4 its key schedule has a data-dependent time$"
    with pytest.raises(ScheduleError, match=said):
        chosen({FAST: (VARIABLE, TABLE), MIDDLE: (VARIABLE, CONSTANT), SLOW: None})


def test_within_a_group_the_cheapest() -> None:
    def build(candidate: Schedule) -> Made:
        return Made(candidate, Timing(CONSTANT, CONSTANT, ("", "")))

    def cost(made: Made) -> float:
        return float(made.schedule.blocks or 0)

    assert first_constant_time(build, [[FAST, SLOW, MIDDLE]], cost).schedule == SLOW
