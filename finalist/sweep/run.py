"""A sweep: points measured in parallel, each kept as soon as it is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from finalist import workers
from finalist.measure import store
from finalist.sweep.measure import Outcome, is_timed, measured
from finalist.sweep.points import Point


def left(points: Sequence[Point], path: Path | None = None) -> list[Point]:
    """The points that the results file has nothing of. Raises ResultsError."""
    done = {row.point for row in store.read(path).rows}
    return [point for point in points if point.name not in done]


def sweep(
    points: Sequence[Point],
    path: Path | None = None,
    *,
    seconds: float,
    at_once: int | None = None,
    scheduler: str = "",
) -> Iterator[tuple[Point, Outcome]]:
    """Measure points, and give each once it is kept; those that are timed come last, one after the other.

    Raises ResultsError and WorkersError.
    """
    timed = [point for point in points if is_timed(point.machine)]
    others = [point for point in points if not is_timed(point.machine)]
    take = partial(measured, seconds=seconds)
    # A cluster's workers may share a computer, so it is given one point that is timed at a time.
    alone = [[point] for point in timed] if scheduler else [timed]
    for own, count in ((others, at_once), *((one, 1) for one in alone)):
        for point, outcome in workers.work(take, own, at_once=count, scheduler=scheduler):
            store.append(outcome.figures, path)
            yield point, outcome
