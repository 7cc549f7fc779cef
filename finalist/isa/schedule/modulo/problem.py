"""A loop to be software pipelined, as data: operations, the ways to issue each, values, dependences.

A schedule gives each operation a cycle and a choice; iteration i + 1 begins ``interval`` cycles after
iteration i (the initiation interval, II), so that a resource taken in cycle t is taken in all cycles that
are t modulo the interval. Values live in registers of files; each is in one register of one file for all
of its life, which is at most the interval long: no value of the next iteration overtakes it.
(B. R. Rau, "Iterative Modulo Scheduling", MICRO 1994; for clustered processors M. Eriksson and C. Kessler,
"Integrated Code Generation for Loops", ACM TECS 2012.)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

#: A value: the operation that makes it, and which of its results it is.
Value = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to issue an operation.

    ``resources``: units and paths that it takes for a cycle; ``reads``: by operand the file that it must be
    in, ``""`` for any; ``writes``: the same by result. ``later``: resources taken so many cycles later.
    ``waits``: by operand how many cycles it must have been there, where it takes longer to be read so.
    """

    resources: tuple[str, ...]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    later: tuple[tuple[str, int], ...] = ()
    waits: tuple[int, ...] = ()

    @property
    def all_resources(self) -> tuple[tuple[str, int], ...]:
        """Each resource, and how many cycles later it is taken."""
        return (*((resource, 0) for resource in self.resources), *self.later)


@dataclass(frozen=True, slots=True)
class Read:
    """An operand: a result of an operation, of so many iterations before; or an invariant of the loop."""

    operation: int
    result: int = 0
    distance: int = 0
    #: The number of an invariant; the rest counts for nothing then.
    invariant: int = -1

    @property
    def value(self) -> Value:
        """The value that is read."""
        return self.operation, self.result


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the loop's body. ``latencies``: by result, cycles until it can be read."""

    name: str
    choices: tuple[Choice, ...]
    reads: tuple[Read, ...] = ()
    latencies: tuple[int, ...] = (1,)


@dataclass(frozen=True, slots=True)
class Order:
    """``target``, ``distance`` iterations later, is issued at least ``latency`` cycles after ``source``."""

    source: int
    target: int
    latency: int
    distance: int = 0


@dataclass(frozen=True)
class Problem:
    """A loop.

    ``units``: how many there are of each resource; ``issue``: operations a cycle. ``registers``: by file,
    for the values of operations. ``invariants``: of each the files in which it is held. ``pairs``: values
    (odd, even) that share a pair of registers. ``last``: operations that are issued so many cycles before
    the end of the interval, in the first stage: the branch; ``early``: those that are in the first stage.
    """

    operations: tuple[Operation, ...]
    units: Mapping[str, int]
    issue: int
    registers: Mapping[str, int]
    orders: tuple[Order, ...] = ()
    invariants: tuple[frozenset[str], ...] = ()
    pairs: tuple[tuple[Value, Value], ...] = ()
    last: Mapping[int, int] = field(default_factory=dict)
    early: frozenset[int] = frozenset()

    @cached_property
    def uses(self) -> dict[Value, tuple[tuple[int, int, int], ...]]:
        """By value what reads it: operation, place of the operand, distance."""
        found: dict[Value, list[tuple[int, int, int]]] = {value: [] for value in self.values}
        for number, operation in enumerate(self.operations):
            for place, read in enumerate(operation.reads):
                if read.invariant < 0:
                    found[read.value].append((number, place, read.distance))
        return {value: tuple(uses) for value, uses in found.items()}

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """All values."""
        return tuple(
            (number, result)
            for number, operation in enumerate(self.operations)
            for result in range(len(operation.latencies))
        )

    @cached_property
    def dependences(self) -> tuple[Order, ...]:
        """What must come after what: reads after results, and the orders that are asked for."""
        found = list(self.orders)
        for target, operation in enumerate(self.operations):
            for read in operation.reads:
                if read.invariant < 0:
                    latency = self.latency(read.value)
                    found.append(Order(read.operation, target, latency, read.distance))
        return tuple(dict.fromkeys(found))

    def delayed(self, operation: int, number: int) -> Iterator[Order]:
        """Reads that take longer by a choice: what must then come how long after what."""
        one = self.operations[operation]
        for read, wait in zip(one.reads, one.choices[number].waits, strict=False):
            if wait and read.invariant < 0:
                yield Order(read.operation, operation, self.latency(read.value) + wait, read.distance)

    def latency(self, value: Value) -> int:
        """Cycles from the issue of its operation until it can be read."""
        return self.operations[value[0]].latencies[value[1]]

    @cached_property
    def digest(self) -> str:
        """What a schedule is stored under: everything that it depends on."""
        told = (
            *((o.choices, o.reads, o.latencies) for o in self.operations),
            sorted(self.units.items()),
            self.issue,
            sorted(self.registers.items()),
            self.orders,
            tuple(tuple(sorted(files)) for files in self.invariants),
            self.pairs,
            sorted(self.last.items()),
            sorted(self.early),
        )
        return hashlib.sha256(repr(told).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Schedule:
    """When each operation of iteration 0 is issued, and by which of its choices."""

    interval: int
    times: tuple[int, ...]
    choices: tuple[int, ...]

    @property
    def stages(self) -> int:
        """Iterations that are under way at once."""
        return max(self.times, default=0) // self.interval + 1

    def choice(self, problem: Problem, operation: int) -> Choice:
        """How an operation is issued."""
        return problem.operations[operation].choices[self.choices[operation]]

    def file(self, problem: Problem, value: Value) -> str:
        """The file of a value."""
        return self.choice(problem, value[0]).writes[value[1]]


@dataclass(frozen=True, slots=True)
class Life:
    """A value's file, and the cycles of iteration 0 in which its register is taken: ``first`` to ``last``."""

    value: Value
    file: str
    first: int
    last: int

    def slots(self, interval: int) -> Iterator[int]:
        """The cycles modulo the interval."""
        for cycle in range(self.first, self.last + 1):
            yield cycle % interval


def lives(problem: Problem, schedule: Schedule) -> Iterator[Life]:
    """From when each value arrives to when it is read last; what nothing reads lives for a cycle."""
    for value in problem.values:
        first = schedule.times[value[0]] + problem.latency(value)
        reads = [schedule.times[o] + schedule.interval * d for o, _, d in problem.uses[value]]
        yield Life(value, schedule.file(problem, value), first, max([first, *reads]))


def pressure(problem: Problem, schedule: Schedule) -> dict[str, list[int]]:
    """By file and cycle modulo the interval, how many values live."""
    found = {file: [0] * schedule.interval for file in problem.registers}
    for life in lives(problem, schedule):
        for slot in life.slots(schedule.interval):
            found[life.file][slot] += 1
    return found
