"""A schedule of a loop, operation after operation, each as early as it can be.

Operations are placed in the order of how late they could be; what depends on nothing that is computed (words
of the key) as late as what reads it allows. Files and cycles are decided together (E. Ozer, S. Banerjia,
T. Conte, "Unified Assign and Schedule", MICRO 1998; J. Llosa et al., "Swing Modulo Scheduling", PACT 1996,
for placing operations next to those they share values with). With no dependence from one iteration to the
next but counters there is always a cycle that is free; what limits an interval is how long values live.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from finalist.isa.schedule.modulo.bounds import longest, recurrence_bound, resource_bound
from finalist.isa.schedule.modulo.files import Files
from finalist.isa.schedule.modulo.problem import Problem, Schedule, Value
from finalist.isa.schedule.modulo.verify import violations


@dataclass(frozen=True, slots=True)
class Manner:
    """How a schedule is looked for. ``pace``: by how much of a way through the operations each waits."""

    seed: int = 0
    pace: float = 1.0
    start: int = 60
    #: How many cycles later an operation may be issued for the sake of registers.
    patience: int = 2
    #: What a unit costs that has been taken in all cycles: so that both sides of a processor fill evenly.
    balance: float = 0.0


def manners(problem: Problem, seeds: int) -> Iterator[Manner]:
    """Ways to look for a schedule. Where the longest way through the body binds, nothing may wait."""
    tight = recurrence_bound(problem) >= resource_bound(problem)
    for seed in range(seeds):
        if tight:
            for patience in (0, 1):
                yield from (Manner(seed, pace, start=12, patience=patience) for pace in (0.0, 0.9, 1.0))
        else:
            yield from (Manner(seed, pace) for pace in (1.0, 1.3))
            yield from (Manner(seed, pace, patience=5, balance=20.0) for pace in (1.0, 1.15, 1.3, 1.6))


def greedy(
    problem: Problem, interval: int, manner: Manner, given: Mapping[int, tuple[int, int]] | None = None
) -> Schedule | None:
    """A schedule that keeps all rules but, possibly, the number of registers; None where it finds none.

    ``given``: cycle and choice of operations that are placed already.
    """
    return _Greedy(problem, interval, manner, given or {}).run()


class _Greedy:
    def __init__(
        self, problem: Problem, interval: int, manner: Manner, given: Mapping[int, tuple[int, int]]
    ) -> None:
        self.problem, self.interval, self.manner, self.given = problem, interval, manner, given
        self.random = random.Random(manner.seed)
        self.files = Files(problem)
        self.used: dict[str, list[int]] = {}
        self.taken: dict[str, int] = {}
        self.issued = [0] * interval
        self.live = {file: [0] * interval for file in problem.registers}
        self.times: dict[int, int] = {}
        self.chosen: dict[int, int] = {}
        self.until: dict[Value, int] = {}
        self.before: list[list[tuple[int, int, int]]] = [[] for _ in problem.operations]
        self.after: list[list[tuple[int, int, int]]] = [[] for _ in problem.operations]
        for one in problem.dependences:
            if one.source != one.target:
                self.before[one.target].append((one.source, one.latency, one.distance))
                self.after[one.source].append((one.target, one.latency, one.distance))
        self.weight = self._weights()
        self.delayed = {
            (k, c): tuple(problem.delayed(k, c))
            for k, operation in enumerate(problem.operations)
            for c, choice in enumerate(operation.choices)
            if choice.waits
        }
        self.leaf = [self._is_leaf(k) for k in range(len(problem.operations))]

    def _is_leaf(self, operation: int) -> bool:
        placed = operation in self.problem.early or operation in self.problem.last
        return not placed and not self.before[operation] and bool(self.after[operation])

    def _weights(self) -> dict[str, float]:
        """How scarce each resource is: what is asked of it, if operations spread over their choices."""
        found: dict[str, float] = {}
        for operation in self.problem.operations:
            for choice in operation.choices:
                for resource in choice.resources:
                    found[resource] = found.get(resource, 0) + 1 / len(operation.choices)
        return {
            r: n / self.problem.units.get(r, self.problem.issue) / self.interval for r, n in found.items()
        }

    # -- order ----------------------------------------------------------------------------------

    def run(self) -> Schedule | None:
        if not self.files.possible or not all(map(self._place_given, self.given)):
            return None
        if not all(map(self._place_leaves, self.given)):
            return None
        within = tuple(one for one in self.problem.dependences if not one.distance)
        early = longest(self.problem, within, self.interval)
        if early is None:
            return None
        end = max(early, default=0)
        late = [end] * len(early)
        for k in sorted(range(len(early)), key=lambda k: -early[k]):
            for target, latency, distance in self.after[k]:
                if not distance:
                    late[k] = min(late[k], late[target] - latency)
        self.paced = [self.manner.start + int(time * self.manner.pace) for time in late]
        noise = [self.random.random() for _ in early]

        def turn(operation: int) -> tuple[bool, bool, int, float]:
            """The branch, what depends on something by how late it can be, and counters."""
            first = operation not in self.problem.last
            return first, operation in self.problem.early, late[operation], noise[operation]

        for operation in sorted(range(len(early)), key=turn):
            if not self.leaf[operation] and not self._place(operation):
                return None
        return self._result()

    # -- placing --------------------------------------------------------------------------------

    def _place_given(self, operation: int) -> bool:
        time, choice = self.given[operation]
        if not self.files.decide(operation, [choice]) or not self._is_free(operation, choice, time):
            return False
        self._take(operation, choice, time)
        return True

    def _place(self, operation: int) -> bool:
        """A cycle and a choice for an operation, and for the leaves that it reads."""
        if operation in self.times:
            return True
        low, high = self._window(operation)
        best = None
        for time in range(low, high + 1):
            if best is not None and time > best[1] + self.manner.patience:
                break
            for choice in self.files.left[operation]:
                if self._is_free(operation, choice, time):
                    cost = self._cost(operation, choice, time) + (time - low)
                    if best is None or cost < best[0]:
                        best = (cost, time, choice)
        while best is not None:
            _, time, choice = best
            if self.files.decide(operation, [choice]):
                self._take(operation, choice, time)
                return self._place_leaves(operation)
            best = self._next(operation, low, high, choice)
        return False

    def _next(self, operation: int, low: int, high: int, wrong: int) -> tuple[float, int, int] | None:
        """The first possibility after a choice has turned out to leave another operation none."""
        left = [k for k in self.files.left[operation] if k != wrong]
        if not left or not self.files.decide(operation, left):
            return None
        for time in range(low, high + 1):
            for choice in self.files.left[operation]:
                if self._is_free(operation, choice, time):
                    return 0.0, time, choice
        return None

    def _window(self, operation: int) -> tuple[int, int]:
        low, high = 0, 1 << 30
        if operation in self.problem.last:
            low = high = self.interval - self.problem.last[operation]
        elif not self.before[operation] and operation not in self.problem.early:
            low = self.manner.start
        for source, latency, distance in self.before[operation]:
            if source in self.times:
                low = max(low, self.times[source] + latency - self.interval * distance)
            elif self.leaf[source]:
                low = max(low, latency + 1)
        if operation in self.problem.early:
            high = self.interval - 1
        elif self.before[operation] and operation not in self.problem.last:
            low = max(low, self.paced[operation])
        for target, latency, distance in self.after[operation]:
            if target in self.times:
                high = min(high, self.times[target] + self.interval * distance - latency)
        for read in self.problem.operations[operation].reads:
            if read.invariant < 0 and read.operation in self.times:
                arrives = self.times[read.operation] + self.problem.latency(read.value)
                high = min(high, arrives + self.interval - 1 - self.interval * read.distance)
        return low, min(high, low + self.interval - 1)

    def _is_free(self, operation: int, choice: int, time: int) -> bool:
        units, slot = self.problem.units, time % self.interval
        if self.issued[slot] >= self.problem.issue or not self._arrived(operation, choice, time):
            return False
        for resource, later in self.problem.operations[operation].choices[choice].all_resources:
            taken, room = self.used.get(resource), units.get(resource, self.problem.issue)
            if taken is not None and taken[(slot + later) % self.interval] >= room:
                return False
        return True

    def _arrived(self, operation: int, choice: int, time: int) -> bool:
        """Whether operands that take longer by a choice are there, and its results for such readers."""
        for one in self.delayed.get((operation, choice), ()):
            made = self.times.get(one.source, -one.latency)
            if made + one.latency > time + self.interval * one.distance:
                return False
        return all(
            time + one.latency <= self.times[one.target] + self.interval * one.distance
            for reader, _, _ in (self.after[operation] if self.delayed else ())
            for one in self.delayed.get((reader, self.chosen.get(reader, -1)), ())
            if one.source == operation
        )

    def _cost(self, operation: int, number: int, time: int) -> float:
        """What a choice takes that others will want: scarce units, paths, registers where many are taken."""
        choice = self.problem.operations[operation].choices[number]
        cost = sum(self.weight[resource] for resource in choice.resources)
        cost += 0.3 * (len(choice.resources) - 1)
        if self.manner.balance:
            taken = sum(self.taken.get(resource, 0) for resource in choice.resources)
            cost += self.manner.balance * taken / self.interval
        for place, file in enumerate(choice.writes):
            arrives = (time + self.problem.operations[operation].latencies[place]) % self.interval
            over = self.live[file][arrives] / self.problem.registers[file]
            cost += 3 * over * over
        return cost + 0.1 * self.random.random()

    def _take(self, operation: int, number: int, time: int) -> None:
        self.times[operation], self.chosen[operation] = time, number
        slot = time % self.interval
        self.issued[slot] += 1
        choice = self.problem.operations[operation].choices[number]
        for resource, later in choice.all_resources:
            self.taken[resource] = self.taken.get(resource, 0) + 1
            self.used.setdefault(resource, [0] * self.interval)[(slot + later) % self.interval] += 1
        for place, file in enumerate(choice.writes):
            value = operation, place
            first = time + self.problem.latency(value)
            self.until[value] = first
            self.live[file][first % self.interval] += 1
            for user, _, distance in self.problem.uses[value]:
                if user in self.times:
                    self._extend(value, self.times[user] + distance * self.interval)
        for read in self.problem.operations[operation].reads:
            if read.invariant < 0 and read.operation in self.times:
                self._extend(read.value, time + read.distance * self.interval)

    def _extend(self, value: Value, last: int) -> None:
        """A value lives until a cycle."""
        number = self.chosen[value[0]]
        file = self.problem.operations[value[0]].choices[number].writes[value[1]]
        for cycle in range(self.until[value] + 1, last + 1):
            self.live[file][cycle % self.interval] += 1
        self.until[value] = max(self.until[value], last)

    def _place_leaves(self, operation: int) -> bool:
        """What an operation reads that depends on nothing, as late as possible."""
        for source, latency, distance in self.before[operation]:
            if self.leaf[source] and source not in self.times:
                high = self.times[operation] + self.interval * distance - latency
                if not self._place_late(source, high):
                    return False
        return True

    def _place_late(self, operation: int, high: int) -> bool:
        for time in range(high, max(high - self.interval, -self.interval * 4), -1):
            choices = [k for k in self.files.left[operation] if self._is_free(operation, k, time)]
            choices.sort(key=lambda k: self._cost(operation, k, time))
            for choice in choices:
                if self.files.decide(operation, [choice]):
                    self._take(operation, choice, time)
                    return True
        return False

    def _result(self) -> Schedule | None:
        if any(time < 0 for time in self.times.values()):
            return None
        every = range(len(self.problem.operations))
        times, choices = (tuple(of[k] for k in every) for of in (self.times, self.chosen))
        made = Schedule(self.interval, times, choices)
        return None if violations(self.problem, made) else made
