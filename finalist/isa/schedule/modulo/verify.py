"""What is wrong with a schedule of a loop, from the problem alone: it knows no scheduler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from finalist.isa.schedule.modulo.problem import Life, Problem, Schedule, Value, lives


def violations(problem: Problem, schedule: Schedule, *, renamed: bool = False) -> list[str]:
    """Lines that say what is wrong; nothing where all is right. Registers are `misplaced`'s matter.

    ``renamed``: whether iterations are written out, so that values can live longer than the interval.
    """
    shape = list(_shape(problem, schedule))
    if shape:
        return shape
    found = [*_times(problem, schedule), *_files(problem, schedule), *_resources(problem, schedule)]
    return found if renamed else [*found, *_lives(problem, schedule)]


def _shape(problem: Problem, schedule: Schedule) -> Iterator[str]:
    count = len(problem.operations)
    if schedule.interval < 1:
        yield f"the interval is {schedule.interval}; accepted: at least 1"
    if len(schedule.times) != count or len(schedule.choices) != count:
        yield f"{len(schedule.times)} times and {len(schedule.choices)} choices of {count} operations"
        return
    for number, (operation, choice) in enumerate(zip(problem.operations, schedule.choices, strict=True)):
        if not 0 <= choice < len(operation.choices):
            yield f"operation {number} has no choice {choice}; accepted: under {len(operation.choices)}"


def _times(problem: Problem, schedule: Schedule) -> Iterator[str]:
    for number, time in enumerate(schedule.times):
        if time < 0:
            yield f"operation {number} is issued in cycle {time}"
    for number in problem.early:
        if schedule.times[number] >= schedule.interval:
            yield f"operation {number} is not in the first stage"
    for one in problem.orders:
        yield from _late(schedule, one.source, one.target, one.latency, one.distance)
    for target, operation in enumerate(problem.operations):
        for read in operation.reads:
            if read.invariant < 0:
                latency = problem.operations[read.operation].latencies[read.result]
                yield from _late(schedule, read.operation, target, latency, read.distance)
    for number, choice in enumerate(schedule.choices):
        for one in problem.delayed(number, choice):
            yield from _late(schedule, one.source, one.target, one.latency, one.distance)
    for number, before in problem.last.items():
        if schedule.times[number] != schedule.interval - before:
            yield f"operation {number} is not issued {before} cycles before the interval's end"


def _late(schedule: Schedule, source: int, target: int, latency: int, distance: int) -> Iterator[str]:
    least = schedule.times[source] + latency
    if schedule.times[target] + schedule.interval * distance < least:
        yield f"operation {target} is issued before cycle {least}, too early after {source}"


def _files(problem: Problem, schedule: Schedule) -> Iterator[str]:
    for number, operation in enumerate(problem.operations):
        for read, file in zip(operation.reads, schedule.choice(problem, number).reads, strict=True):
            if read.invariant >= 0:
                held = problem.invariants[read.invariant]
            else:
                held = frozenset({schedule.file(problem, read.value)})
            if file and file not in held:
                yield f"operation {number} reads from {file} what is in {' and '.join(sorted(held))}"
    for odd, even in problem.pairs:
        if schedule.file(problem, odd) != schedule.file(problem, even):
            yield f"values {odd} and {even} are a pair in different files"


def _resources(problem: Problem, schedule: Schedule) -> Iterator[str]:
    used: Counter[tuple[str, int]] = Counter()
    issued: Counter[int] = Counter()
    for number, time in enumerate(schedule.times):
        slot = time % schedule.interval
        issued[slot] += 1
        for resource, later in schedule.choice(problem, number).all_resources:
            used[resource, (time + later) % schedule.interval] += 1
    for (resource, slot), count in used.items():
        if count > problem.units.get(resource, problem.issue):
            yield f"{resource} is taken {count} times in cycle {slot} of the interval"
    for slot, count in issued.items():
        if count > problem.issue:
            yield f"{count} operations are issued in cycle {slot} of the interval"


def _lives(problem: Problem, schedule: Schedule) -> Iterator[str]:
    for life in lives(problem, schedule):
        if life.last - life.first >= schedule.interval:
            yield f"value {life.value} lives for {life.last - life.first + 1} cycles, beyond the interval"


def misplaced(problem: Problem, schedule: Schedule, registers: Mapping[Value, int]) -> list[str]:
    """What is wrong with the registers of values: two in one at once, pairs that are none, unknown ones."""
    found = []
    taken: dict[tuple[str, int, int], Life] = {}
    for life in lives(problem, schedule):
        register = registers.get(life.value)
        if register is None:
            found.append(f"value {life.value} has no register")
            continue
        for slot in life.slots(schedule.interval):
            other = taken.setdefault((life.file, register, slot), life)
            if other is not life:
                where = f"{life.file}{register} in cycle {slot} of the interval"
                found.append(f"values {other.value} and {life.value} are both in {where}")
    for odd, even in problem.pairs:
        low, high = registers.get(even), registers.get(odd)
        if low is not None and high is not None and (low % 2 or high != low + 1):
            found.append(f"values {odd} and {even} are in no pair of registers")
    return found
