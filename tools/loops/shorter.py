"""Ever shorter schedules of a loop: drawn greedily, or one with single cycles taken out by the solver."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import inf
from time import monotonic

from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.greedy import greedy, manners
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Schedule
from finalist.isa.schedule.modulo.schedulers import fits
from tools.loops.exact import Effort
from tools.loops.neighbourhood import squeezed


def drawn(loop: Loop, interval: int, seeds: int, seconds: float = inf) -> Iterator[Schedule]:
    """Greedy schedules that fit, from an interval downwards."""
    end, least = monotonic() + seconds, least_interval(loop.problem)
    for manner in manners(loop.problem, seeds):
        while interval >= least and monotonic() < end:
            made = greedy(loop.problem, interval, manner)
            if made is None or not fits(loop, made):
                break
            yield made
            interval -= 1


def shortened(
    loop: Loop, schedule: Schedule, width: int, seconds: float, effort: Effort
) -> Iterator[Schedule]:
    """Schedules that are shorter by cycles taken out one by one, here and there.

    Where none can be taken out, more of what lies beside it is scheduled anew. ``effort``: for a cycle.
    """
    best, refuted, draw, end = schedule, set[int](), random.Random(effort.seed), monotonic() + seconds
    least = least_interval(loop.problem)
    while monotonic() < end and 2 * width < best.interval > least:
        cycles = sorted(set(range(best.interval)) - refuted)
        if not cycles:
            width, refuted = width + 1, set()
            continue
        cycle = draw.choice(cycles)
        made = squeezed(loop.problem, best, cycle, width, effort)
        if made is None or not fits(loop, made):
            refuted.add(cycle)
            continue
        best, refuted = made, {c - (c > cycle) for c in refuted if abs(c - cycle) > width}
        yield best
