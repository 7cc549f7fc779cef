"""Truth tables of a few bits: with some of them known, what they depend on, and the sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache


@lru_cache(maxsize=1 << 16)
def with_known(truth: int, pins: tuple[int | None, ...]) -> tuple[int, tuple[int, ...]]:
    """The table with some inputs known: the truth table that is left, and the places of the inputs that it
    depends on. ``pins``: 0, 1, or None where it is not known."""
    left = tuple(k for k, value in enumerate(pins) if value is None)
    base = sum(value << k for k, value in enumerate(pins) if value)
    rest = 0
    for point in range(1 << len(left)):
        at = base | sum((point >> k & 1) << place for k, place in enumerate(left))
        rest |= (truth >> at & 1) << point
    return needed(rest, left)


def needed(truth: int, places: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """The table without the inputs that it does not depend on, and the places of those that are left."""
    for k in range(len(places)):
        low, high = halves(truth, k, len(places))
        if low == high:
            return needed(low, (*places[:k], *places[k + 1 :]))
    return truth, tuple(places)


@lru_cache(maxsize=1 << 16)
def halves(truth: int, k: int, bits: int) -> tuple[int, int]:
    """A table of ``bits`` bits where input ``k`` is 0, and where it is 1; the other inputs stay in order."""
    low = high = 0
    for point in range(1 << bits - 1):
        at = point & (1 << k) - 1 | point >> k << k + 1
        low |= (truth >> at & 1) << point
        high |= (truth >> (at | 1 << k) & 1) << point
    return low, high


@lru_cache(maxsize=1 << 14)
def monomials(truth: int, bits: int) -> tuple[int, ...]:
    """The products of inputs whose sum over GF(2) a table of ``bits`` bits is, each as the mask of its
    factors: the algebraic normal form."""
    values = [truth >> point & 1 for point in range(1 << bits)]
    for k in range(bits):
        values = [value ^ (values[p ^ 1 << k] if p >> k & 1 else 0) for p, value in enumerate(values)]
    return tuple(point for point, value in enumerate(values) if value)


def over(truth: int, inputs: Sequence[int], ones: int) -> int:
    """A table of numbers, bit by bit, the last input chosen first; ``ones``: the number with all bits."""
    if not truth:
        return 0
    if truth == (1 << (1 << len(inputs))) - 1:
        return ones
    *rest, last = inputs
    low, high = halves(truth, len(rest), len(inputs))
    if low == high:
        return over(low, rest, ones)
    return last & over(high, rest, ones) | ~last & ones & over(low, rest, ones)
