"""Schedules of a loop that fit its registers, found by improving one that does not.

A window of the interval is solved exactly with everything else as it is, again and again, where registers are
missing most (large neighbourhood search: P. Shaw, CP 1998). Each step leaves a schedule that keeps all rules
but the number of registers, so that the search can be ended at any time, and resumed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic

from finalist.isa.schedule.modulo.greedy import Manner, greedy
from finalist.isa.schedule.modulo.problem import Problem, Schedule, pressure
from finalist.isa.schedule.modulo.verify import violations
from tools.loops.exact import Answer, Effort, Model

#: For a window.
_EFFORT = Effort(8.0)


def missing(problem: Problem, schedule: Schedule) -> int:
    """Registers that are lacking, summed over the cycles of the interval."""
    return sum(
        max(0, count - problem.registers[file])
        for file, counts in pressure(problem, schedule).items()
        for count in counts
    )


def start(problem: Problem, interval: int) -> Schedule | None:
    """Of some greedy schedules the one that lacks fewest registers; None where there is none."""
    made = (greedy(problem, interval, manner) for manner in _manners())
    return min((one for one in made if one is not None), key=lambda one: missing(problem, one), default=None)


def _manners() -> Iterator[Manner]:
    for seed in range(6):
        for pace in (1.0, 1.15, 1.3, 1.5):
            yield Manner(seed, pace)


def search(
    problem: Problem,
    schedule: Schedule,
    enough: Callable[[Schedule], bool],
    seconds: float,
    effort: Effort = _EFFORT,
) -> Iterator[Schedule]:
    """Better and better schedules of one interval, the first after a window, until one is good enough.

    ``enough``: asked of those that lack no register; ``seconds``: after which no window is begun.
    """
    windows = Windows(problem, schedule, effort=effort)
    end = monotonic() + seconds
    while monotonic() < end:
        windows.step()
        yield windows.schedule
        if not missing(problem, windows.schedule) and enough(windows.schedule):
            return


def squeezed(
    problem: Problem, schedule: Schedule, cycle: int, width: int, effort: Effort = _EFFORT
) -> Schedule | None:
    """A schedule of an interval one cycle shorter, or None where none is found.

    ``cycle`` is taken out of the interval: what is issued behind it is issued a cycle earlier, in each stage;
    operations less than ``width`` cycles from it are scheduled anew, in an order that the solver finds.
    """
    interval = schedule.interval
    if any(time < cycle for time in map(schedule.times.__getitem__, problem.last)):
        return None
    stages = [divmod(time, interval) for time in schedule.times]
    times = tuple(stage * (interval - 1) + slot - (slot >= cycle) for stage, slot in stages)
    shorter = Schedule(interval - 1, tuple(max(0, time) for time in times), schedule.choices)
    free = [k for k, (_, slot) in enumerate(stages) if _apart(slot, cycle, interval) < width]
    model = Model(problem, shorter, free, 2 * width, hard=True, any_will_do=True)
    found = model.solve(effort).schedule
    return found if found is not None and not violations(problem, found) else None


def _apart(slot: int, other: int, interval: int) -> int:
    """How many cycles two slots are apart, round the interval."""
    return min((slot - other) % interval, (other - slot) % interval)


@dataclass
class Windows:
    """The search. ``width``: cycles of the interval in a window; ``reach``: how far operations move."""

    problem: Problem
    schedule: Schedule
    width: int = 14
    reach: int = 8
    effort: Effort = _EFFORT
    seed: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def step(self) -> Answer:
        """Solves one window; the schedule is then the better one."""
        interval = self.schedule.interval
        middle = self.random.choices(range(interval), self._weights())[0]
        free = [
            k
            for k, time in enumerate(self.schedule.times)
            if (time - middle + self.width // 2) % interval < self.width
        ]
        answer = Model(self.problem, self.schedule, free, self.reach).solve(self.effort)
        if answer.schedule is not None:
            self.schedule = answer.schedule
        return answer

    def _weights(self) -> list[float]:
        """How much there is to gain in a window round each cycle."""
        interval, half = self.schedule.interval, self.width // 2
        counts = pressure(self.problem, self.schedule)
        lacking = [
            sum(max(0, own[slot] - self.problem.registers[file]) ** 2 for file, own in counts.items())
            for slot in range(interval)
        ]
        return [
            0.5 + sum(lacking[(m + d) % interval] for d in range(-half, half + 1)) for m in range(interval)
        ]
