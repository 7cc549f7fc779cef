"""Schedulers of loops: the stored schedule, or else the first that is found without a solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.greedy import greedy, manners
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Schedule, pressure
from finalist.isa.schedule.modulo.stored import Stored, found

#: Intervals that are tried are this much longer each time, as a fraction; how long at most.
_STEP, _MOST = 64, 4


def scheduler(schedules: Mapping[str, Stored], chained: bool = False) -> Callable[[Loop], Schedule]:
    """What finds a schedule of a loop among those that are stored, or makes one.

    ``chained``: a block begins when the one before has been stored.
    """

    def schedule(loop: Loop) -> Schedule:
        if chained:
            loop.chain()
        one = found(loop.problem, schedules)
        if one is not None and loop.settle(one.schedule):
            return one.schedule
        return quick(loop)

    return schedule


def quick(loop: Loop, least: int = 0) -> Schedule:
    """The greedy schedule of the shortest interval, from ``least`` on, that fits. Raises NoRoomError."""
    bound = max(least, least_interval(loop.problem))
    interval, ways = bound, list(manners(loop.problem, 1))
    while interval <= _MOST * bound:
        for manner in ways:
            made = greedy(loop.problem, interval, manner)
            if made is not None and fits(loop, made):
                return made
        interval += 1 + interval // _STEP
    raise NoRoomError(f"a loop of {len(loop.problem.operations)} operations does not fit the registers")


def fits(loop: Loop, schedule: Schedule) -> bool:
    """Whether each value finds a register."""
    rooms = loop.problem.registers
    counts = pressure(loop.problem, schedule)
    return all(max(counts[file]) <= room for file, room in rooms.items()) and loop.settle(schedule)
