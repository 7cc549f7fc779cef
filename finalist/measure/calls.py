"""How long a call from Python takes, its overhead included: what a user of an object has of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from finalist.measure import clock
from finalist.measure.clock import SECONDS, Measurement, require_positive, require_seconds

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
