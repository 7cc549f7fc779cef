"""In which cycles operations of folded rounds can be at all, whatever the number of stages.

What depends on itself over iterations is at most so far from any other such operation as the longest ways
between them say; what depends on nothing, as words of the key, need not come more than an interval before it
has to: an interval later it takes the same units, and its words live shorter. As all operations can be issued
later by the same number of cycles, one of them is in a cycle that is given.
"""

from __future__ import annotations

from collections.abc import Mapping

from finalist.isa.schedule.modulo.problem import Order, Problem

#: By operation the first and the last cycle that it can be in.
Windows = Mapping[int, tuple[int, int]]


def windows(problem: Problem, interval: int) -> Windows | None:
    """By operation the first and last cycle; None where some operation would have to come after itself.

    Raises ValueError for a loop that has more than operations that depend on one another over iterations, and
    what these read that depends on nothing; those tied to the first stage are neither.
    """
    count = len(problem.operations)
    reverse = tuple(Order(o.target, o.source, o.latency, o.distance) for o in problem.dependences)
    for middle in range(count):
        after = _ways(problem.dependences, middle, interval, count)
        before = _ways(reverse, middle, interval, count)
        if after is None or before is None:
            return None
        ring = {k for k in after if k in before}
        if len(ring) > 1:
            break
    else:
        raise ValueError("problem: no operation depends on itself; accepted: rounds of a cipher")
    found = {k: (after[k], -before[k]) for k in ring}
    for number in set(range(count)) - ring:
        found[number] = _leaf(problem, number, interval, found)
    if problem.last or problem.early:
        raise ValueError("problem: operations are tied to the first stage; accepted: rounds of a cipher")
    least = min(low for low, _ in found.values())
    return {k: (low - least, high - least) for k, (low, high) in sorted(found.items())}


def _ways(orders: tuple[Order, ...], start: int, interval: int, count: int) -> dict[int, int] | None:
    """The longest way to each operation from one; None where one would come after itself."""
    found = {start: 0}
    for _ in range(count + 1):
        changed = False
        for one in orders:
            if one.source in found:
                cycle = found[one.source] + one.latency - interval * one.distance
                if cycle > found.get(one.target, cycle - 1):
                    found[one.target], changed = cycle, True
        if not changed:
            return found
    return None


def _leaf(problem: Problem, number: int, interval: int, ring: Windows) -> tuple[int, int]:
    """When an operation that depends on nothing can be issued."""
    orders = [one for one in problem.dependences if number in (one.source, one.target)]
    if not orders or any(one.source != number or one.target not in ring for one in orders):
        raise ValueError(f"problem: operation {number} is neither in its ring nor a leaf; accepted: rounds")
    gaps = [(one, one.latency - interval * one.distance) for one in orders]
    low = min(ring[one.target][0] - gap for one, gap in gaps)
    waits = max(
        (wait for choices in problem.operations for c in choices.choices for wait in c.waits), default=0
    )
    return low - waits - interval + 1, min(ring[one.target][1] - gap for one, gap in gaps)
