"""Lower bounds on the interval of a loop: from its resources, and from what depends on itself."""

from __future__ import annotations

from itertools import combinations

from finalist.isa.schedule.modulo.problem import Order, Problem


def least_interval(problem: Problem) -> int:
    """No schedule has a shorter interval than this."""
    return max(resource_bound(problem), recurrence_bound(problem))


def resource_bound(problem: Problem) -> int:
    """For each set of units, the operations that are confined to it, over the units in it.

    Of each choice the first resource counts, its unit (the others are paths).
    """
    confined: dict[frozenset[str], int] = {}
    for operation in problem.operations:
        units = frozenset(choice.resources[0] for choice in operation.choices if choice.resources)
        if all(choice.resources for choice in operation.choices):
            confined[units] = confined.get(units, 0) + 1
    total = -(-len(problem.operations) // problem.issue)
    return max([1, total, *(_least(union, confined, problem) for union in _unions(confined))])


def _unions(sets: dict[frozenset[str], int]) -> set[frozenset[str]]:
    """Unions of up to four sets: with more, none binds on the processors at hand."""
    distinct = sorted(sets, key=sorted)
    return {frozenset().union(*some) for count in (1, 2, 3, 4) for some in combinations(distinct[:24], count)}


def _least(units: frozenset[str], confined: dict[frozenset[str], int], problem: Problem) -> int:
    inside = sum(count for own, count in confined.items() if own <= units)
    return -(-inside // sum(problem.units.get(unit, problem.issue) for unit in units))


def recurrence_bound(problem: Problem) -> int:
    """The longest cycle of dependences, over the iterations that it spans, rounded up."""
    most = 1
    while _has_positive_cycle(problem, most):
        most *= 2
    least = most // 2 + 1
    while least < most:
        middle = (least + most) // 2
        if _has_positive_cycle(problem, middle):
            least = middle + 1
        else:
            most = middle
    return most


def _has_positive_cycle(problem: Problem, interval: int) -> bool:
    """Whether some operation would have to come after itself (Bellman and Ford's algorithm)."""
    return longest(problem, problem.dependences, interval) is None


def longest(problem: Problem, orders: tuple[Order, ...], interval: int) -> list[int] | None:
    """The earliest cycle of each operation as far as dependences go; None where there is none.

    A pass takes everything forwards, in the order of operations, so that of passes with a change there are
    no more than operations from which something goes back, and one.
    """
    times = [0] * len(problem.operations)
    ordered = sorted(orders, key=lambda one: one.target)
    back = {one.source for one in orders if one.source >= one.target}
    for _ in range(len(back) + 2):
        changed = False
        for one in ordered:
            least = times[one.source] + one.latency - interval * one.distance
            if times[one.target] < least:
                times[one.target] = least
                changed = True
        if not changed:
            return times
    return None
