"""A sweep: points measured in parallel, each kept as soon as it is done."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from finalist.measure import store
from finalist.measure.figure import Figure
from finalist.resumable import Resumable
from finalist.sweep.measure import Outcome, is_timed, measured
from finalist.sweep.points import Point


def sweep(points: Sequence[Point], path: Path | None, seconds: float) -> Resumable[Point, Outcome]:
    """The figures of points, kept in the results file; those that are timed are taken alone.

    Raises ResultsError, and its runs do.
    """
    kept: dict[str, list[Figure]] = {}
    for row in store.read(path).rows:
        kept.setdefault(row.point, []).append(row)
    return Resumable(
        partial(measured, seconds=seconds),
        points,
        known={point: Outcome(tuple(kept[point.name])) for point in points if point.name in kept},
        keep=lambda _, outcome: store.append(outcome.figures, path),
        alone=lambda point: is_timed(point.machine),
    )
