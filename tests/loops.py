"""Small loops for the tests of software pipelining: two sides, two files, units that both have."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import count

from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.greedy import greedy, manners
from finalist.isa.schedule.modulo.problem import Choice, Operation, Problem, Read, Schedule

UNITS = {unit + side: 1 for unit in "lsdx" for side in "12"}
SIDES = (("1", "a", "b"), ("2", "b", "a"))


def adds(*reads: Read, units: str = "ls", latency: int = 1) -> Operation:
    """An operation of up to two operands, the last of which may come across."""
    choices = []
    for unit in units:
        for number, here, there in SIDES:
            for crossing in (False, True) if reads else (False,):
                files = [here] * len(reads)
                if crossing:
                    files[-1] = there
                paths = (f"x{number}",) if crossing else ()
                choices.append(Choice((unit + number, *paths), tuple(files), (here,)))
    return Operation("add", tuple(choices), reads, (latency,))


def loads(latency: int = 4) -> Operation:
    """A load of no operand."""
    choices = tuple(Choice(("d" + number,), (), (file,)) for number, file, _ in SIDES)
    return Operation("load", choices, (), (latency,))


def stores(value: int) -> Operation:
    """A store of a result."""
    choices = tuple(Choice(("d" + number,), (file,)) for number, file, _ in SIDES)
    return Operation("store", choices, (Read(value),), ())


def loop(*operations: Operation, registers: int = 4, **more: object) -> Problem:
    """A loop of these operations."""
    return Problem(operations, UNITS, 8, {"a": registers, "b": registers}, **more)  # type: ignore[arg-type]


def sum_loop(registers: int = 4) -> Problem:
    """Two words loaded, added to each other and to the sum so far, which is stored."""
    return loop(
        loads(),
        loads(),
        adds(Read(0), Read(1)),
        adds(Read(2), Read(3, distance=1)),
        stores(3),
        registers=registers,
    )


def random_loop(seed: int, count: int = 30, registers: int = 8) -> Problem:
    """Operations on results of some that stand before."""
    rng = random.Random(seed)
    operations: list[Operation] = [loads(), loads()]
    while len(operations) < count:
        if rng.random() < 0.2:
            operations.append(loads())
            continue
        first, second = (Read(rng.randrange(max(0, len(operations) - 6), len(operations))) for _ in range(2))
        same = first == second
        operations.append(adds(first) if same else adds(first, second, units=rng.choice(("l", "s", "ls"))))
    return loop(*operations, registers=registers)


#: Of `sum_loop` in two cycles an iteration, all on side 1, whose one unit for memory is one too few for that.
GOOD = Schedule(2, (0, 1, 5, 6, 8), (0, 0, 0, 0, 0))


def slow_across(wait: int = 1) -> Problem:
    """A chain of sums on one side and the other in turns; a word that is read across must have been there for
    so many cycles more."""
    operations = [loads()]
    for k in range(8):
        one = adds(Read(k))
        choices = (c for c in one.choices if c.writes == ("ab"[k % 2],))
        slow = (replace(c, waits=(wait,)) if k and len(c.resources) > 1 else c for c in choices)
        operations.append(replace(one, choices=tuple(slow)))
    return loop(*operations)


def scheduled(problem: Problem, effort: int = 2) -> Schedule:
    """A schedule of the shortest interval for which the greedy one, tried in so many manners, finds any."""
    for interval in count(least_interval(problem)):
        for manner in manners(problem, effort):
            if (made := greedy(problem, interval, manner)) is not None:
                return made
    raise AssertionError("there are intervals without end")
