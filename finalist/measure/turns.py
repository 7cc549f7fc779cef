"""Several candidates measured side by side, in turns."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from finalist.measure import clock
from finalist.measure.arguments import MeasurementError, require_positive, require_seconds
from finalist.measure.clock import SECONDS, Measurement

Measurer: TypeAlias = Callable[..., Measurement]
"""A measuring function of which all but ``seconds`` is bound, as by ``functools.partial``."""

_LEAST_ROUNDS = 2


def measure_in_turns(
    candidates: Sequence[Measurer], *, seconds: float = SECONDS, rounds: int = 15
) -> list[Measurement]:
    """Measure several candidates side by side, so that a noisy machine is as noisy for each.

    The candidates take turns, ``rounds`` times, in alternating order; each gets ``seconds`` in all. The
    figures come in the order of ``candidates``: of each the minimum over its turns, or the median where a
    figure is a difference of two minima; and as ``median_ticks`` the median of the turns' medians.

    Raises:
        MeasurementError: there are no candidates, or ``seconds`` or ``rounds`` is not positive.
    """
    return [merged(taken) for taken in in_turns(candidates, seconds=seconds, rounds=rounds)]


def in_turns(
    candidates: Sequence[Measurer], *, seconds: float, rounds: int, limit: float = math.inf
) -> list[list[Measurement]]:
    """As `measure_in_turns`, but all figures that each candidate's turns gave.

    ``limit``: seconds after which no further round begins, but for the second one.
    """
    require_seconds(seconds)
    require_positive("rounds", rounds)
    if not candidates:
        raise MeasurementError("candidates is empty: expected at least one")
    turns: list[list[Measurement]] = [[] for _ in candidates]
    deadline = time.perf_counter() + limit
    for turn in range(rounds):
        if turn >= _LEAST_ROUNDS and time.perf_counter() > deadline:
            break
        order = range(len(candidates))
        for index in order if turn % 2 == 0 else reversed(order):
            turns[index].append(candidates[index](seconds=seconds / rounds))
    return turns


def merged(taken: Sequence[Measurement]) -> Measurement:
    """The figure of a candidate's turns."""
    ticks = [one.ticks for one in taken]
    is_difference = taken[0].unit == "per call"
    return Measurement(
        ticks=float(np.median(ticks)) if is_difference else min(ticks),
        unit=taken[0].unit,
        clock=taken[0].clock,
        ticks_per_cycle=min(one.ticks_per_cycle for one in taken),
        runs=sum(one.runs for one in taken),
        median_ticks=float(np.median([one.median_ticks for one in taken])),
    )


def times_of_first(turns: Sequence[Sequence[Measurement]]) -> list[float | None]:
    """How many times the first candidate's time each takes; None where the clock can't tell the first's.

    The median of the rounds' ratios: in a round, of a millisecond each, all have the core at nearly the same
    frequency and with the same neighbours, so that either is in both times and in no ratio.
    """
    base = np.array([one.ticks for one in turns[0]])
    if not (base > 0).any():
        return [None] * len(turns)
    ratios = [np.array([one.ticks for one in own])[base > 0] / base[base > 0] for own in turns]
    return [float(np.median(own)) for own in ratios]


#: Ticks of one run: so many that reading the clock from Python is below one per cent of it.
_LONG_RUN = 100_000
_READINGS = 200


def measure_python(work: Callable[[], object], data_bytes: int, *, seconds: float = SECONDS) -> Measurement:
    """Ticks a byte of a call that works on ``data_bytes``, the minimum of many runs of such calls.

    The loop around them is in the figure, some tens of nanoseconds a call. Raises MeasurementError.
    """
    require_positive("data_bytes", data_bytes)
    require_seconds(seconds)
    work()
    once = min(_ticks(work, 1) for _ in range(3))
    calls = max(1, _LONG_RUN // max(once, 1))
    empty = min(_ticks(work, 0) for _ in range(_READINGS))

    def batch(runs: int) -> Sequence[NDArray[np.uint64]]:
        taken = [max(_ticks(work, calls) - empty, 0) for _ in range(runs)]
        return [np.array(taken, np.uint64)]

    return clock.figure(batch, seconds, "per byte", calls * data_bytes, overhead=0)


def _ticks(work: Callable[[], object], calls: int) -> int:
    began = clock.read()
    for _ in itertools.repeat(None, calls):
        work()
    return clock.read() - began
