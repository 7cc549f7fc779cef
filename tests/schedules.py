"""Random schedules, legal ones among them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from finalist.errors import ScheduleError
from finalist.schedule import Schedule, schedule_of

#: Random schedules that a program is given until one is legal; most are not.
_TRIES = 8
Made = TypeVar("Made")
Options = Mapping[str, tuple[Any, ...]]


def random_schedule(source: random.Random, options: Options) -> Schedule:
    """Some choices, most left open; whether it is legal is the machine's to say."""
    chosen = {name: source.choice(values) for name, values in options.items() if source.random() < 0.35}
    return schedule_of(**chosen)


def scheduled(make: Callable[[Schedule], Made], source: random.Random, options: Options) -> Made:
    """What is made by the first random schedule that is legal, or with all left open."""
    for _ in range(_TRIES):
        try:
            return make(random_schedule(source, options))
        except ScheduleError:
            continue
    return make(Schedule())
