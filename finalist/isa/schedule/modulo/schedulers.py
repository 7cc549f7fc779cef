"""Schedulers of loops: the stored schedule; or one of rounds, however many, that are as a stored one of a
round says; or else the first that is found without a solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.greedy import greedy, manners
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Schedule, pressure
from finalist.isa.schedule.modulo.rounds import Rounds, folded, written_out
from finalist.isa.schedule.modulo.stored import Stored, found

#: Intervals that are tried are this much longer each time, as a fraction; how long at most.
_STEP, _MOST = 64, 4
#: Intervals by which a body may be longer than its rounds; so many ways to write rounds out are tried.
_OTHERS, _TRIES = 6, 24


def scheduler(
    schedules: Mapping[str, Stored], chained: bool = False, rounds: Mapping[str, Stored] | None = None
) -> Callable[[Loop], Schedule]:
    """What finds a schedule of a loop among those that are stored, or makes one.

    ``chained``: a block begins when the one before has been stored; ``rounds``: schedules of folded rounds.
    """

    begin = kept(schedules, chained, rounds)

    def schedule(loop: Loop) -> Schedule:
        try:
            return begin(loop)
        except NoRoomError:
            return quick(loop)

    return schedule


def kept(
    schedules: Mapping[str, Stored], chained: bool = False, rounds: Mapping[str, Stored] | None = None
) -> Callable[[Loop], Schedule]:
    """As `scheduler`, but nothing is looked for: what it makes raises NoRoomError where nothing is stored."""

    def schedule(loop: Loop) -> Schedule:
        if chained:
            loop.chain()
        one = found(loop.problem, schedules)
        if one is not None and loop.settle(one.schedule):
            return one.schedule
        made = _of_rounds(loop, rounds or {})
        if made is None:
            raise NoRoomError("no schedule is kept that fits the registers")
        return made

    return schedule


def _of_rounds(loop: Loop, schedules: Mapping[str, Stored]) -> Schedule | None:
    """The shortest that a few tries find with rounds as in a stored schedule; None where there is none."""
    rounds = folded(loop.problem) if schedules else None
    one = found(rounds.problem, schedules, renamed=True) if rounds is not None else None
    if rounds is None or one is None:
        return None
    best = None
    for best in in_rounds(loop, rounds, one.schedule, _TRIES):  # noqa: B007  # the last is the shortest
        pass
    if best is not None:
        loop.settle(best)
    return best


def in_rounds(loop: Loop, rounds: Rounds, schedule: Schedule, tries: int | None = None) -> Iterator[Schedule]:
    """Ever shorter schedules that fit in which rounds are as in a schedule of one; ``tries``: for each."""
    length = (rounds.count + _OTHERS) * schedule.interval
    while made := next(
        (
            one
            for one in islice(written_out(loop.problem, rounds, schedule, length), tries)
            if fits(loop, one)
        ),
        None,
    ):
        yield made
        length = made.interval - 1


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
