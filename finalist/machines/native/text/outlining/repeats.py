"""Repeated runs of numbers: suffix array (Manber, Myers 1993), common prefixes (Kasai et al. 2001)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def repeats(numbers: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Runs that stand at several places and can't be longer at all of them: their length and their places.

    Negative numbers are in no run. The places are in order and may overlap.
    """
    if len(numbers) < 2:
        return
    text = _separated(np.asarray(numbers, np.int64))
    order = _suffixes(text)
    common = _common(text, order)
    for length, low, high in _intervals(common):
        places = sorted(int(order[at]) for at in range(low, high))
        before = {int(text[place - 1]) if place else -1 for place in places}
        if len(before) > 1 or -1 in before:
            yield length, places


def _separated(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Negative numbers each as a number of its own, so that no run has any."""
    out = numbers.copy()
    negative = np.flatnonzero(numbers < 0)
    out[negative] = np.max(numbers, initial=0) + 1 + np.arange(len(negative))
    return out


def _suffixes(text: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of all suffixes in their order, by doubling."""
    size, step = len(text), 1
    rank = np.unique(text, return_inverse=True)[1].astype(np.int64)
    while True:
        second = np.full(size, -1, np.int64)
        second[: size - step] = rank[step:] if step < size else []
        order = np.lexsort((second, rank))
        new = np.concatenate(([0], np.cumsum((np.diff(rank[order]) != 0) | (np.diff(second[order]) != 0))))
        rank[order] = new
        if new[-1] == size - 1 or step >= size:
            return order
        step *= 2


def _common(text: NDArray[np.int64], order: NDArray[np.int64]) -> list[int]:
    """For each suffix in the order how many numbers it begins with that the one before it does."""
    size = len(text)
    rank = np.empty(size, np.int64)
    rank[order] = np.arange(size)
    values, at, found, length = text.tolist(), rank.tolist(), [0] * size, 0
    places = order.tolist()
    for place in range(size):
        if at[place] == 0:
            length = 0
            continue
        other = places[at[place] - 1]
        limit = size - max(place, other)
        while length < limit and values[place + length] == values[other + length]:
            length += 1
        found[at[place]] = length
        length = max(0, length - 1)
    return found


def _intervals(common: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Ranges of suffixes that begin alike: the length that they have in common, and from where to where."""
    stack: list[tuple[int, int]] = []
    for at, length in enumerate([*common[1:], 0], start=1):
        low = at - 1
        while stack and stack[-1][0] > length:
            found, low = stack.pop()
            yield found, low, at
        if length and (not stack or stack[-1][0] < length):
            stack.append((length, low))
