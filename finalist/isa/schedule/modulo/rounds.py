"""The rounds of a loop's body folded: one round as the body of a loop, the iterations of which are rounds.

Where operation k + p is what operation k is, on operands p operations later, the body repeats itself with
period p. A modulo schedule of one period gives a schedule of all of them, and no schedule in which every
round is issued alike has rounds closer together than the least interval of the folded loop. Registers are
not renamed in a folded loop, since its rounds are written out: values can live longer than its interval.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from finalist.isa.schedule.modulo.greedy import Manner, greedy
from finalist.isa.schedule.modulo.problem import Operation, Problem, Read, Schedule

#: Rounds that have to be alike for a body to be said to repeat itself.
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Rounds:
    """``problem``: the folded loop; its round i is the ``period`` operations of the body from ``first`` + i
    ``period`` on, for ``count`` rounds."""

    problem: Problem
    first: int
    period: int
    count: int

    def operations(self, index: int) -> range:
        """The operations of the body that a round is."""
        begin = self.first + index * self.period
        return range(begin, begin + self.period)

    def unrolled(self, schedule: Schedule, begin: int) -> dict[int, tuple[int, int]]:
        """Cycle and choice by operation of the body: the rounds as in a schedule of the folded loop, from a
        cycle on."""
        return {
            operation: (begin + index * schedule.interval + time, choice)
            for index in range(self.count)
            for operation, time, choice in zip(
                self.operations(index), schedule.times, schedule.choices, strict=True
            )
        }


def written_out(problem: Problem, rounds: Rounds, schedule: Schedule, interval: int) -> Iterator[Schedule]:
    """Schedules of the body in so many cycles, in which rounds are as in one of the folded loop.

    What stands before and behind the rounds is scheduled greedily, and of the outermost ones none, one or
    two with it.
    """
    before = range(20, 20 + 2 * schedule.interval)  # cycles in which words of the key are fetched
    for begin in before:
        placed = rounds.unrolled(schedule, begin)
        for first, last in ((0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (1, 2)):
            inner = range(rounds.operations(first).start, rounds.operations(rounds.count - 1 - last).stop)
            given = {k: placed[k] for k in inner}
            for patience in (0, 1):
                made = greedy(problem, interval, Manner(0, 0.0, start=12, patience=patience), given)
                if made is not None:
                    yield made


def folded(problem: Problem) -> Rounds | None:
    """The longest repetition in a loop's body, of the shortest period; None where there is none."""
    shapes = [_shape(number, operation) for number, operation in enumerate(problem.operations)]
    best = None
    for period in range(2, len(shapes) // _LEAST + 1):
        first, length = _run(shapes, period)
        if length >= (_LEAST - 1) * period and (best is None or length + period > best[0]):
            best = length + period, first, period
    if best is None:
        return None
    length, first, period = best
    return Rounds(_folded(problem, first, period), first, period, length // period)


def _run(shapes: list[object], period: int) -> tuple[int, int]:
    """Where the longest run of operations that are alike at a distance begins, and its length."""
    best, begin = (0, 0), 0
    for place in range(len(shapes) - period + 1):
        if place == len(shapes) - period or shapes[place] != shapes[place + period]:
            if place - begin > best[1]:
                best = begin, place - begin
            begin = place + 1
    return best


def _shape(number: int, operation: Operation) -> object:
    """What is equal for operations that are alike in two rounds: operands by how far before they are made."""
    reads = tuple(
        ("invariant", r.invariant) if r.invariant >= 0 else (number - r.operation, r.result, r.distance)
        for r in operation.reads
    )
    return operation.name, operation.choices, operation.latencies, reads


def _folded(problem: Problem, first: int, period: int) -> Problem:
    """One period as the body of a loop: an operand of an earlier one is of as many iterations before."""

    def read(one: Read) -> Read:
        if one.invariant >= 0:
            return one
        before, source = divmod(one.operation - first, period)
        return Read(source, one.result, -before)

    operations = tuple(
        replace(o, reads=tuple(map(read, o.reads))) for o in problem.operations[first : first + period]
    )
    pairs = tuple(
        (((odd[0] - first), odd[1]), ((even[0] - first), even[1]))
        for odd, even in problem.pairs
        if first <= odd[0] < first + period
    )
    return replace(problem, operations=operations, orders=(), pairs=pairs, last={}, early=frozenset())
