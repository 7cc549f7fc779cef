"""Registers for the values of a pipelined loop: a colouring of arcs on a circle of as many cycles as the
interval has.

From some cycle on, round the circle, each value takes the register that has been free for the shortest time;
of all cycles to begin with, and then of random orders, the first that does is taken (arcs: M. C. Golumbic,
"Algorithmic Graph Theory and Perfect Graphs", 1980, chapter 8).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from finalist.isa.schedule.modulo.problem import Problem, Schedule, Value, lives

#: Random orders that are tried.
_TRIES = 400


def allocated(
    problem: Problem, schedule: Schedule, usable: Mapping[Value, Sequence[int]], seed: int = 0
) -> dict[Value, int] | None:
    """A register of its file for each value; None where none is found. ``usable``: by value those it can be
    in."""
    found: dict[Value, int] = {}
    for file in problem.registers:
        own = {life.value: life.first for life in lives(problem, schedule) if life.file == file}
        masks = {
            life.value: sum(1 << slot for slot in life.slots(schedule.interval))
            for life in lives(problem, schedule)
            if life.file == file
        }
        made = _Colouring(problem, schedule.interval, own, masks, usable, seed).run()
        if made is None:
            return None
        found |= made
    return found


class _Colouring:
    def __init__(
        self,
        problem: Problem,
        interval: int,
        first: Mapping[Value, int],
        masks: Mapping[Value, int],
        usable: Mapping[Value, Sequence[int]],
        seed: int,
    ) -> None:
        self.interval, self.first, self.masks, self.usable = interval, first, masks, usable
        self.random = random.Random(seed)
        self.even = {odd: even for odd, even in problem.pairs if odd in first}
        self.second = set(self.even.values())
        #: Whether pairs get registers before all others.
        self.pairs_first = False

    def run(self) -> dict[Value, int] | None:
        for start, noise in self._starts():
            self.pairs_first = not self.pairs_first
            found = self._round(start, noise)
            if found is not None:
                return found
        return None

    def _starts(self) -> Iterator[tuple[int, float]]:
        for start in range(self.interval):
            yield start, 0.0
        for _ in range(_TRIES):
            yield self.random.randrange(self.interval), self.random.choice((1.0, 3.0, 8.0))

    def _round(self, start: int, noise: float) -> dict[Value, int] | None:
        """Registers from a cycle on."""
        taken: dict[int, int] = {}
        freed: dict[int, int] = {}
        found: dict[Value, int] = {}
        free_before = {value: len(self.usable[value]) for value in self.first}
        order = [value for value in self.first if value not in self.second]

        def key(value: Value) -> tuple[bool, bool, bool, float]:
            crossing = self.masks[value] >> start & 1
            place = (self.first[value] - start) % self.interval
            wide = free_before[value] < 3 or self.masks[value] == (1 << self.interval) - 1
            paired = self.pairs_first and value in self.even
            return not wide, not paired, not crossing, place + noise * self.random.random()

        for value in sorted(order, key=key):
            if not self._put(value, taken, freed, found):
                return None
        return found

    def _put(
        self, value: Value, taken: dict[int, int], freed: dict[int, int], found: dict[Value, int]
    ) -> bool:
        mask, begin = self.masks[value], self.first[value] % self.interval
        even = self.even.get(value)
        best, least = None, self.interval + 1
        for register in self.usable[value]:
            if taken.get(register, 0) & mask:
                continue
            if even is not None and not self._pairs(register, even, taken):
                continue
            idle = (begin - freed.get(register, begin - self.interval // 2)) % self.interval
            if even is not None and self.pairs_first:
                idle = register  # as few registers as possible
            if idle < least:
                best, least = register, idle
        if best is None:
            return False
        for one, register in ((value, best), *(() if even is None else ((even, best - 1),))):
            taken[register] = taken.get(register, 0) | self.masks[one]
            freed[register] = (begin + self.masks[one].bit_count()) % self.interval
            found[one] = register
        return True

    def _pairs(self, odd: int, even: Value, taken: Mapping[int, int]) -> bool:
        """Whether the other value of a pair can be in the register before."""
        fits = odd % 2 == 1 and odd - 1 in self.usable[even]
        return fits and not taken.get(odd - 1, 0) & self.masks[even]
