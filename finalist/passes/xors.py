"""Sums over GF(2) as few XORs: what several sums have in common is made once.

Paar's greedy algorithm: the pair of signals that most sums have in common is added, and its sum is a new
signal in place of both; ties are broken at random, several times, and the shortest program is kept. (C. Paar,
"Optimized Arithmetic for Reed-Solomon Encoders", ISIT 1997.)
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from finalist.ir.graph import Matrix

#: Pairs of input bits times tries: some tenths of a second's worth.
_EFFORT = 8_000
_TRIES = 8


class Sums(NamedTuple):
    """Signals below ``inputs`` are given; step k makes signal ``inputs + k``, the sum of two earlier ones.

    ``outputs``: the signal of each sum; None for the empty sum.
    """

    inputs: int
    steps: tuple[tuple[int, int], ...]
    outputs: tuple[int | None, ...]


@cache
def sums_of_rows(rows: tuple[int, ...], inputs: int) -> Sums:
    """Few steps for sums given as masks: bit i of ``rows[k]`` says whether output k takes bit i. More is
    tried where there are few bits."""
    tries = max(1, min(_TRIES, _EFFORT // max(1, inputs * inputs)))
    found = (_greedy(rows, inputs, random.Random(seed)) for seed in range(tries))
    return min(found, key=lambda made: len(made.steps))


def shared_sums(masks: Sequence[int], inputs: int, trials: int = 1, seed: int = 0) -> Sums:
    """The sums of the inputs whose bits are set in each mask, in few steps."""
    if any(not 0 <= mask < 1 << inputs for mask in masks):
        raise ValueError(f"a sum of {inputs} signals is a mask of {inputs} bits")
    numbers = random.Random(seed)
    tried = (_greedy(masks, inputs, numbers) for _ in range(trials))
    return min(tried, key=lambda sums: len(sums.steps))


def rows_of(matrices: Sequence[Matrix], width: int) -> tuple[int, ...]:
    """For each of ``width`` output bits the mask of input bits, those of all operands in a row."""
    columns = [column for matrix in matrices for column in matrix]
    return tuple(sum((c >> bit & 1) << place for place, c in enumerate(columns)) for bit in range(width))


class _Sums:
    """The sums that are still to be made: for each bit there is, the mask of outputs that take it."""

    def __init__(self, rows: Sequence[int], inputs: int) -> None:
        self.takers = [
            sum((row >> place & 1) << output for output, row in enumerate(rows)) for place in range(inputs)
        ]
        self.common: dict[tuple[int, int], int] = {}
        for bit in range(inputs):
            self._compare(bit, range(bit))

    def _compare(self, bit: int, others: Sequence[int]) -> None:
        """Count anew what a bit has in common with others."""
        takers = self.takers
        for other in others:
            pair = (other, bit) if other < bit else (bit, other)
            count = (takers[bit] & takers[other]).bit_count()
            if count:
                self.common[pair] = count
            else:
                self.common.pop(pair, None)

    def commonest(self, source: random.Random) -> tuple[int, int] | None:
        """A pair that most sums take; None when each sum is one bit."""
        if not self.common:
            return None
        most = max(self.common.values())
        return source.choice([pair for pair, count in self.common.items() if count == most])

    def add(self, pair: tuple[int, int]) -> None:
        """The sum of a pair as a new bit, wherever both are taken."""
        a, b = pair
        both = self.takers[a] & self.takers[b]
        self.takers[a] ^= both
        self.takers[b] ^= both
        self.takers.append(both)
        new = len(self.takers) - 1
        self._compare(a, [k for k in range(new) if k != a])
        self._compare(b, [k for k in range(new) if k != b])
        self._compare(new, range(new))


def _greedy(rows: Sequence[int], inputs: int, source: random.Random) -> Sums:
    sums, steps = _Sums(rows, inputs), []
    while (pair := sums.commonest(source)) is not None:
        sums.add(pair)
        steps.append(pair)
    outputs: list[int | None] = [None] * len(rows)
    for bit, takers in enumerate(sums.takers):
        for output in range(len(rows)):
            if takers >> output & 1:
                outputs[output] = bit
    return Sums(inputs, tuple(steps), tuple(outputs))
