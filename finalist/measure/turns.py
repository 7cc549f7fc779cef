"""Several candidates measured side by side, in turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from finalist.measure.clock import SECONDS, Measurement, MeasurementError, require_positive, require_seconds

Measurer: TypeAlias = Callable[..., Measurement]
"""A measuring function of which all but ``seconds`` is bound, as by ``functools.partial``."""


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
    require_seconds(seconds)
    require_positive("rounds", rounds)
    if not candidates:
        raise MeasurementError("candidates is empty: expected at least one")
    turns: list[list[Measurement]] = [[] for _ in candidates]
    for turn in range(rounds):
        order = range(len(candidates))
        for index in order if turn % 2 == 0 else reversed(order):
            turns[index].append(candidates[index](seconds=seconds / rounds))
    return [_merged(taken) for taken in turns]


def _merged(taken: Sequence[Measurement]) -> Measurement:
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
