"""What bounds the initiation interval of a software pipelined loop, and what one more of each resource would
give.

Resource and recurrence bounds (B. R. Rau, "Iterative Modulo Scheduling", MICRO 1994), and one by registers:
the least live ranges of all values over the registers there are. Resources are data: a bound of the loop with
one more unit or path (and one more instruction a cycle), one more register a file, or results that are there
a cycle sooner, is a bound of the same instructions on that processor. Whether a schedule reaches it is
another question, which a search answers in minutes: what it found is data, as is how many operands have to
cross from side to side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from math import ceil

from finalist.isa.schedule.modulo.bounds import recurrence_bound, resource_bound
from finalist.isa.schedule.modulo.problem import Order, Problem, Schedule, pressure
from finalist.isa.schedule.modulo.shares import Share
from finalist.isa.schedule.modulo.stored import Stored

#: What stands for resources that are no units or paths.
RECURRENCE, REGISTERS = "recurrence", "registers"
#: What stands for the units and paths of both sides together, between which operations are shared out.
SIDES = "sides"


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing that bounds an interval: the ``least`` that it allows by itself, the share of it that is
    ``used`` by the schedule, the least interval with one ``more`` of it, and the shortest for which a
    schedule was ``found`` then, in so many ``seconds``; None where there is no such figure."""

    name: str
    least: int | None = None
    used: float | None = None
    more: int | None = None
    found: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Known:
    """What solvers have found out, by the digest of a loop: ``schedules`` of loops with one more of
    something, and how its operations can be shared out among sides (``shares``)."""

    schedules: Mapping[str, Stored] = field(default_factory=dict)
    shares: Mapping[str, Share] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    """Of a loop scheduled in ``interval`` cycles: no schedule has fewer than ``bound``, which ``binding``
    imposes; and all that could bind, kinds of units and paths by the names that their sides share.
    ``again``: what the search for the other figures found with nothing more than there is."""

    interval: int
    bound: int
    binding: str
    all: tuple[Limit, ...]
    again: Limit | None = None

    def more(self, name: str) -> int | None:
        """The least interval with one more; None where the processor has no such thing."""
        one = self.of(name)
        return None if one is None else one.more

    def of(self, name: str) -> Limit | None:
        """What is known of one thing; None where the processor has no such thing."""
        return next((one for one in self.all if one.name == name and one.more is not None), None)


def sooner(latency: int) -> str:
    """What results of a latency are called that are there a cycle sooner."""
    return f"latency {latency - 1}, not {latency}"


def both(unit: str, path: str) -> str:
    """What one more of a kind of units is called that comes with one more of the paths that it takes."""
    return f"{unit} and {path}"


def limits(problem: Problem, schedule: Schedule, known: Known | None = None) -> Limits:
    """What bounds a loop."""
    known = known or Known()
    units, lives = _shares(problem), _lives(problem)
    most = max(units, key=lambda kinds: (units[kinds], -len(kinds)))
    alone = {
        "+".join(kind for kind in _kinds(problem) if kind in most): max(
            ceil(units[most]), resource_bound(problem)
        ),
        RECURRENCE: recurrence_bound(problem),
        REGISTERS: _by_registers(problem, lives),
        **{kind: ceil(share) for kind, share in _paths(problem).items()},
    }
    share = known.shares.get(problem.digest)
    if share is not None:
        alone[share.kind] = max(alone.get(share.kind, 0), share.bound)
        alone[SIDES] = share.shortest
    bound, used = max(alone.values()), _used(problem, schedule)
    binding = max(alone, key=lambda name: alone[name])
    found = [Limit(name, value) for name, value in alone.items() if "+" in name]
    found += [Limit(name, alone[name]) for name in (SIDES, RECURRENCE) if name in alone]
    for name, relaxed in with_one_more(problem):
        least = alone.get(name) if name == REGISTERS else _alone(name, units, alone)
        found.append(_relaxed(Limit(name, least, used.get(name)), relaxed, lives, known))
    again = _relaxed(Limit("", bound, more=bound), problem, lives, known)
    searched = again if again.found is not None else None
    return Limits(schedule.interval, bound, binding, tuple(found), searched)


def _relaxed(limit: Limit, problem: Problem, lives: int, known: Known) -> Limit:
    """With the figures of the loop that has more."""
    least, made = _least(problem, lives), known.schedules.get(problem.digest)
    if made is None:
        return replace(limit, more=least)
    return replace(limit, more=max(least, made.bound), found=made.schedule.interval, seconds=made.seconds)


def with_one_more(problem: Problem) -> Iterator[tuple[str, Problem]]:
    """By name the loop with one more unit or path of each kind, with both where they go together, with
    results a cycle sooner, and with one more register a file."""
    for kind in _kinds(problem):
        yield kind, _with_one_more(problem, kind)
    for unit, path in _together(problem):
        yield both(unit, path), _with_one_more(_with_one_more(problem, unit), path)
    yield from _sooner(problem)
    yield REGISTERS, replace(problem, registers={file: n + 1 for file, n in problem.registers.items()})


def _least(problem: Problem, lives: int) -> int:
    bounds = (resource_bound(problem), recurrence_bound(problem), _by_registers(problem, lives))
    return max([*bounds, *map(ceil, _paths(problem).values())])


# -- units and paths -----------------------------------------------------------------------------------


def _kind(resource: str) -> str:
    """The name that the resources of all sides share."""
    return resource.rstrip("0123456789") or resource


def _kinds(problem: Problem) -> list[str]:
    return list(dict.fromkeys(map(_kind, problem.units)))


def _count(problem: Problem, kind: str) -> int:
    return sum(count for resource, count in problem.units.items() if _kind(resource) == kind)


def _shares(problem: Problem) -> dict[frozenset[str], Fraction]:
    """By kinds of units the operations that are confined to them, over how many of these units there are."""
    confined: dict[frozenset[str], int] = {}
    for operation in problem.operations:
        kinds = frozenset(_kind(choice.resources[0]) for choice in operation.choices if choice.resources)
        confined[kinds] = confined.get(kinds, 0) + 1
    sets = [kinds for kinds in confined if kinds]
    unions = {frozenset[str]().union(*some) for k in (1, 2, 3, 4) for some in combinations(sets, k)}
    return {
        union: Fraction(
            sum(count for kinds, count in confined.items() if kinds and kinds <= union),
            sum(_count(problem, kind) for kind in union),
        )
        for union in unions
    }


def _paths(problem: Problem) -> dict[str, Fraction]:
    """By kind of what is taken beside units the operations that need it in any case, over how many there
    are."""
    found: dict[str, int] = {}
    for operation in problem.operations:
        taken = [{_kind(name) for name, _ in choice.all_resources[1:]} for choice in operation.choices]
        for kind in set[str]().union(*taken):
            found[kind] = found.get(kind, 0) + all(kind in one for one in taken)
    return {kind: Fraction(count, _count(problem, kind)) for kind, count in found.items()}


def _together(problem: Problem) -> Iterator[tuple[str, str]]:
    """Kinds of units and of paths where operations that need the path in any case need that unit."""
    found: dict[str, set[str]] = {}
    for operation in problem.operations:
        taken = [{_kind(name) for name, _ in choice.all_resources[1:]} for choice in operation.choices]
        for kind in set[str].intersection(*taken) if taken else ():
            units = {_kind(choice.resources[0]) for choice in operation.choices}
            found.setdefault(kind, set()).update(units)
    for path, kinds in found.items():
        if len(kinds) == 1:
            yield next(iter(kinds)), path


def _alone(kind: str, units: Mapping[frozenset[str], Fraction], alone: Mapping[str, int]) -> int | None:
    share = units.get(frozenset({kind}))
    return alone.get(kind) if share is None else ceil(share)


def _with_one_more(problem: Problem, kind: str) -> Problem:
    first = next(resource for resource in problem.units if _kind(resource) == kind)
    return replace(problem, units={**problem.units, first: problem.units[first] + 1}, issue=problem.issue + 1)


def _used(problem: Problem, schedule: Schedule) -> dict[str, float]:
    """Of each kind of resource, and of registers, the share that is taken."""
    taken = dict.fromkeys(_kinds(problem), 0)
    for number in range(len(problem.operations)):
        for resource, _ in schedule.choice(problem, number).all_resources:
            taken[_kind(resource)] += 1
    found = {kind: count / (schedule.interval * _count(problem, kind)) for kind, count in taken.items()}
    held = sum(map(sum, pressure(problem, schedule).values()))
    found[REGISTERS] = held / (schedule.interval * sum(problem.registers.values()))
    return found


# -- dependences ---------------------------------------------------------------------------------------


def _sooner(problem: Problem) -> Iterator[tuple[str, Problem]]:
    """By latency the loop in which results of that latency are there a cycle sooner."""
    known = sorted({latency for one in problem.operations for latency in one.latencies if latency > 1})
    for latency in known:
        operations = tuple(
            replace(one, latencies=tuple(n - (n == latency) for n in one.latencies))
            for one in problem.operations
        )
        yield sooner(latency), replace(problem, operations=operations)


def _by_registers(problem: Problem, lives: int) -> int:
    return -(-lives // max(1, sum(problem.registers.values())))


def _lives(problem: Problem) -> int:
    """Cycles that all values of an iteration live at least: from each until its last reader can be issued."""
    after: dict[int, list[Order]] = {}
    for one in problem.dependences:
        if not one.distance and one.source < one.target:
            after.setdefault(one.source, []).append(one)
    total = 0
    for (number, place), uses in problem.uses.items():
        readers = {user for user, _, distance in uses if not distance and user > number}
        latency = problem.latency((number, place))
        gaps = _gaps(number, max(readers), after) if len(readers) > 1 else {}
        total += 1 + max([0, *(gaps[user] - latency for user in readers & gaps.keys())])
    return total


def _gaps(source: int, last: int, after: Mapping[int, list[Order]]) -> dict[int, int]:
    """Cycles after an operation that those up to the last of its readers are issued at least."""
    found = {source: 0}
    for number in range(source, last + 1):
        if number in found:
            for one in after.get(number, ()):
                found[one.target] = max(found.get(one.target, 0), found[number] + one.latency)
    return found
