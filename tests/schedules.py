"""Legal ones among random schedules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from finalist.errors import ScheduleError
from finalist.schedule import Schedule

#: Random schedules that a program is given until one is legal; most are not.
_TRIES = 8
Made = TypeVar("Made")


def scheduled(make: Callable[[Schedule], Made], draw: Callable[[], Schedule]) -> Made:
    """What is made by the first drawn schedule that is legal, or with all left open."""
    for _ in range(_TRIES):
        try:
            return make(draw())
        except ScheduleError:
            continue
    return make(Schedule())
