"""Weights of a sum by least squares, constants of a law by a search along each of them; a group left out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import log, sqrt
from typing import TypeVar

import numpy as np

_Row = TypeVar("_Row")
Constants = dict[str, float]


def weights(counts: Sequence[Mapping[str, float]], targets: Sequence[float]) -> Constants:
    """The weights of ``counts`` whose sums are nearest to the targets: least squares of relative errors."""
    names = list(counts[0])
    pairs = zip(counts, targets, strict=True)
    matrix = np.array([[row[name] / target for name in names] for row, target in pairs])
    found, *_ = np.linalg.lstsq(matrix, np.ones(len(targets)), rcond=None)
    return dict(zip(names, map(float, found), strict=True))


def rms(pairs: Sequence[tuple[float, float]]) -> float:
    """Root mean square of log(ours / theirs)."""
    return sqrt(sum(log(ours / theirs) ** 2 for ours, theirs in pairs) / len(pairs))


def searched(
    start: Constants, error: Callable[[Constants], float], *, step: float = 0.08, least: float = 0.01
) -> Constants:
    """The constants of the least error that steps along one at a time reach, each smaller than the last.

    A step changes a constant by a fraction; a round without a better one halves it. Coordinate search
    (Hooke, Jeeves 1961, without its moves along patterns).
    """
    best, known = dict(start), error(start)
    while step >= least:
        before = known
        for name in start:
            for factor in (1 + step, 1 / (1 + step)):
                other = {**best, name: best[name] * factor}
                now = error(other)
                if now < known:
                    best, known = other, now
                    break
        if known == before:
            step /= 2
    return best


def left_out(
    rows: Sequence[_Row],
    group: Callable[[_Row], Hashable],
    fit: Callable[[Sequence[_Row]], Constants],
    error: Callable[[Constants, Sequence[_Row]], float],
) -> dict[Hashable, tuple[Constants, float]]:
    """By group: the constants that all others give, and how far these are from the group itself."""
    found = {}
    for one in dict.fromkeys(map(group, rows)):
        constants = fit([row for row in rows if group(row) != one])
        found[one] = constants, error(constants, [row for row in rows if group(row) == one])
    return found
