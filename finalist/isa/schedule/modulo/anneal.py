"""A schedule of a loop, improved by many small changes until its registers suffice: simulated annealing.

One operation at a time moves to another cycle or is issued in another way; where its result then is in
another file, what reads it follows. Dependences always hold; a resource that is taken too often, or more
values in a file than it has registers, cost something that is to become nothing. (S. Kirkpatrick et al.,
"Optimization by Simulated Annealing", Science 1983; R. Leupers, "Instruction Scheduling for Clustered VLIW
DSPs", PACT 2000.)
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from finalist.isa.schedule.modulo.problem import Problem, Schedule

#: What one operation too many on a resource costs, and the square of how many registers are missing.
RESOURCE, REGISTER, LIFE = 8.0, 2.0, 0.02


@dataclass(frozen=True, slots=True)
class Cooling:
    """How long to try, and how: changes, and the temperature at the beginning and end."""

    steps: int = 200_000
    hot: float = 2.0
    cold: float = 0.05
    seed: int = 0


def annealed(
    problem: Problem,
    schedule: Schedule,
    cooling: Cooling,
    spare: int = 0,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[Schedule, int, int]:
    """A schedule like this one; by how much resources, and registers, are asked for too often in it.

    ``spare``: so many registers of each file are to be left over.
    """
    return _Annealer(problem, schedule, cooling, spare).run(stop)


class _Annealer:
    def __init__(self, problem: Problem, schedule: Schedule, cooling: Cooling, spare: int) -> None:
        self.problem, self.interval, self.cooling = problem, schedule.interval, cooling
        self.random = random.Random(cooling.seed)
        self.time, self.choice = list(schedule.times), list(schedule.choices)
        self._number(problem, spare)
        self._relate(problem)
        self.used = [[0] * self.interval for _ in self.capacity]
        self.live = [[0] * self.interval for _ in self.files]
        self.span = [(0, -1, 0)] * len(self.latency)
        self.excess = self.missing = 0
        self.cost = 0.0
        for operation in range(len(self.time)):
            self.cost += self._occupy(operation, 1)
        for value in range(len(self.latency)):
            self.cost += self._live(value)

    def _number(self, problem: Problem, spare: int) -> None:
        """Resources, files and values by number."""
        self.files = list(problem.registers)
        names = sorted({r for o in problem.operations for c in o.choices for r in c.resources})
        place = {name: k for k, name in enumerate(names)}
        self.capacity = [problem.units.get(name, problem.issue) for name in names]
        file = {name: k for k, name in enumerate(self.files)} | {"": -1}
        self.resources = [[[place[r] for r in c.resources] for c in o.choices] for o in problem.operations]
        self.reads = [[[file[f] for f in c.reads] for c in o.choices] for o in problem.operations]
        self.writes = [[tuple(file[f] for f in c.writes) for c in o.choices] for o in problem.operations]
        self.values = {value: k for k, value in enumerate(problem.values)}
        self.latency = [problem.latency(value) for value in problem.values]
        self.maker = [value[0] for value in problem.values]
        self.place = [value[1] for value in problem.values]
        self.price = []
        for name in self.files:
            room = problem.registers[name] - spare
            self.price.append([REGISTER * max(0, n - room) ** 2 for n in range(len(self.latency) + 2)])
        self.room = [problem.registers[name] - spare for name in self.files]

    def _relate(self, problem: Problem) -> None:
        """What reads what, and the orders of operations."""
        interval = self.interval
        self.users = [[(o, p, d * interval) for o, p, d in problem.uses[v]] for v in problem.values]
        self.made: list[list[int]] = [[] for _ in problem.operations]
        for k, maker in enumerate(self.maker):
            self.made[maker].append(k)
        self.taken = [
            [(p, self.values[r.value], r.distance * interval) for p, r in enumerate(o.reads) if r.invariant < 0]
            for o in problem.operations
        ]
        self.held = [
            [
                (p, {self.files.index(f) for f in problem.invariants[r.invariant]})
                for p, r in enumerate(o.reads)
                if r.invariant >= 0
            ]
            for o in problem.operations
        ]
        self.before: list[list[tuple[int, int]]] = [[] for _ in problem.operations]
        self.after: list[list[tuple[int, int]]] = [[] for _ in problem.operations]
        for one in problem.dependences:
            if one.source != one.target:
                gap = one.latency - one.distance * interval
                self.before[one.target].append((one.source, gap))
                self.after[one.source].append((one.target, gap))
        pairs = {value for pair in problem.pairs for value in pair}
        fixed = set(problem.last)
        self.movable = [k for k in range(len(problem.operations)) if k not in fixed]
        self.paired = {self.values[v] for v in pairs}
        self.twin = {self.values[a]: self.values[b] for a, b in problem.pairs}
        self.twin |= {b: a for a, b in self.twin.items()}

    # -- bookkeeping ----------------------------------------------------------------------------

    def _occupy(self, operation: int, by: int) -> float:
        """Takes an operation's resources, or gives them back; what that changes in the cost."""
        slot = self.time[operation] % self.interval
        over = 0
        for resource in self.resources[operation][self.choice[operation]]:
            used = self.used[resource]
            if by > 0:
                over += used[slot] >= self.capacity[resource]
                used[slot] += 1
            else:
                used[slot] -= 1
                over -= used[slot] >= self.capacity[resource]
        self.excess += over
        return RESOURCE * over

    def _live(self, value: int) -> float:
        """Enters a value's life as it now is."""
        maker = self.maker[value]
        first = last = self.time[maker] + self.latency[value]
        for user, _, distance in self.users[value]:
            time = self.time[user] + distance
            if time > last:
                last = time
        file = self.writes[maker][self.choice[maker]][self.place[value]]
        self.span[value] = (first, last, file)
        live, price, interval, cost = self.live[file], self.price[file], self.interval, LIFE * (last - first)
        room = self.room[file]
        for cycle in range(first, last + 1):
            slot = cycle % interval
            n = live[slot]
            if n >= room:
                cost += price[n + 1] - price[n]
                self.missing += 1
            live[slot] = n + 1
        return cost

    def _die(self, value: int) -> float:
        """Takes a value's life out."""
        first, last, file = self.span[value]
        live, price, interval, cost = self.live[file], self.price[file], self.interval, LIFE * (last - first)
        room = self.room[file]
        for cycle in range(first, last + 1):
            slot = cycle % interval
            n = live[slot] - 1
            if n >= room:
                cost += price[n + 1] - price[n]
                self.missing -= 1
            live[slot] = n
        return -cost

    # -- changes --------------------------------------------------------------------------------

    def run(self, stop: Callable[[], bool]) -> tuple[Schedule, int, int]:
        cooling = self.cooling
        best = (self.excess + self.missing, self.cost, list(self.time), list(self.choice), self.excess)
        ratio = math.log(cooling.cold / cooling.hot)
        for step in range(cooling.steps):
            if step % 256 == 0:
                temperature = cooling.hot * math.exp(ratio * step / cooling.steps)
                if stop():
                    break
            self._try(temperature)
            now = self.excess + self.missing
            if now < best[0] or (now == best[0] and self.cost < best[1] - 1e-6 and now == 0 and step % 64 == 0):
                best = (now, self.cost, list(self.time), list(self.choice), self.excess)
                if now == 0:
                    break
        total, _, times, choices, excess = best
        return Schedule(self.interval, tuple(times), tuple(choices)), excess, total - excess

    def _try(self, temperature: float) -> None:
        operation = self.movable[int(self.random.random() * len(self.movable))]
        if self.random.random() < 0.7 and not self._is_crowded(operation):
            operation = self.movable[int(self.random.random() * len(self.movable))]
        change = self._change(operation)
        if change is None:
            return
        before = [(k, self.time[k], self.choice[k]) for k, _, _ in change]
        delta = self._apply(change)
        if delta > 0 and self.random.random() >= math.exp(-delta / temperature):
            self._apply(before)
            self.cost += -delta - 0.0
            return
        self.cost += delta if delta <= 0 or True else 0.0

    def _is_crowded(self, operation: int) -> bool:
        """Whether something that an operation takes is asked for too often."""
        slot = self.time[operation] % self.interval
        return any(
            self.used[r][slot] > self.capacity[r] for r in self.resources[operation][self.choice[operation]]
        )

    def _apply(self, change: list[tuple[int, int, int]]) -> float:
        values = {v for k, _, _ in change for v in self.made[k]}
        values.update(v for k, _, _ in change for _, v, _ in self.taken[k])
        delta = 0.0
        for value in values:
            delta += self._die(value)
        for operation, time, choice in change:
            delta += self._occupy(operation, -1)
            self.time[operation], self.choice[operation] = time, choice
            delta += self._occupy(operation, 1)
        for value in values:
            delta += self._live(value)
        return delta

    def _change(self, operation: int) -> list[tuple[int, int, int]] | None:
        """An operation's new cycle and choice, and what that asks of those that read its results."""
        low, high = self._window(operation)
        if high < low:
            return None
        pick = self.random.random
        now = self.time[operation]
        choice = self.choice[operation]
        if pick() < 0.5:
            fitting = [k for k in range(len(self.resources[operation])) if self._fits(operation, k)]
            choice = fitting[int(pick() * len(fitting))]
        time = now
        if pick() < 0.8:
            low, high = max(low, now - 12), min(high, now + 12)
            for _ in range(6):
                time = low + int(pick() * (high - low + 1))
                if self._has_room(operation, choice, time):
                    break
        if time == now and choice == self.choice[operation]:
            return None
        own = self.writes[operation][choice]
        change = [(operation, time, choice)]
        if own != self.writes[operation][self.choice[operation]]:
            followed = self._follow(operation, own)
            if followed is None:
                return None
            change += followed
        return change

    def _has_room(self, operation: int, choice: int, time: int) -> bool:
        """Whether everything that a choice takes is free in a cycle."""
        slot = time % self.interval
        return all(self.used[r][slot] < self.capacity[r] for r in self.resources[operation][choice])

    def _window(self, operation: int) -> tuple[int, int]:
        """The cycles that dependences, and lives no longer than the interval, leave an operation."""
        time, interval = self.time, self.interval
        low, high = 0, 1 << 30
        for source, gap in self.before[operation]:
            low = max(low, time[source] + gap)
        for target, gap in self.after[operation]:
            high = min(high, time[target] - gap)
        for value in self.made[operation]:
            for user, _, distance in self.users[value]:
                if user != operation:
                    low = max(low, time[user] + distance - self.latency[value] - interval + 1)
        for _, value, distance in self.taken[operation]:
            if self.maker[value] != operation:
                arrives = time[self.maker[value]] + self.latency[value]
                high = min(high, arrives + interval - 1 - distance)
        return low, min(high, low + 4 * interval)

    def _fits(self, operation: int, choice: int) -> bool:
        """Whether operands are where a choice wants them."""
        reads = self.reads[operation][choice]
        for place, value, _ in self.taken[operation]:
            maker = self.maker[value]
            wanted = reads[place]
            if wanted >= 0 and maker != operation:
                if self.writes[maker][self.choice[maker]][self.place[value]] != wanted:
                    return False
            elif wanted >= 0 and self.writes[operation][choice][self.place[value]] != wanted:
                return False
        return all(reads[place] < 0 or reads[place] in held for place, held in self.held[operation])

    def _follow(self, operation: int, own: tuple[int, ...]) -> list[tuple[int, int, int]] | None:
        """New choices of the operations that read results that are now in other files."""
        moved = {v: own[self.place[v]] for v in self.made[operation]}
        if any(v in self.paired for v in moved):
            if any(self.twin[v] not in moved for v in moved if v in self.twin):
                return None
        users = {user for v in moved for user, _, _ in self.users[v] if user != operation}
        change = []
        for user in users:
            choice = self._adapted(user, moved)
            if choice is None:
                return None
            change.append((user, self.time[user], choice))
        return change

    def _adapted(self, user: int, moved: dict[int, int]) -> int | None:
        """A choice of an operation whose results stay where they are, of those that fit best one."""
        now = self.choice[user]
        writes = self.writes[user][now]
        slot = self.time[user] % self.interval
        best, least = None, 99.0
        for choice, reads in enumerate(self.reads[user]):
            if self.writes[user][choice] != writes:
                continue
            if not self._would_fit(user, reads, moved):
                continue
            over = sum(self.used[r][slot] >= self.capacity[r] for r in self.resources[user][choice])
            over += 0.5 * self.random.random()
            if over < least:
                best, least = choice, over
        return best

    def _would_fit(self, user: int, reads: list[int], moved: dict[int, int]) -> bool:
        for place, value, _ in self.taken[user]:
            wanted = reads[place]
            if wanted < 0:
                continue
            file = moved.get(value)
            if file is None:
                maker = self.maker[value]
                file = self.writes[maker][self.choice[maker]][self.place[value]]
            if file != wanted:
                return False
        return all(reads[place] < 0 or reads[place] in held for place, held in self.held[user])
