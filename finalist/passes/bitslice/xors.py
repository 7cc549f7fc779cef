"""Linear maps on bits as few XORs: what several output bits have in common is made once.

Paar's greedy algorithm: the pair of bits that most sums have in common is added, and its sum is a new bit
in place of both; ties are broken at random, several times, and the shortest program is kept. (C. Paar,
"Optimized Arithmetic for Reed-Solomon Encoders", ISIT 1997.)
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from finalist.ir.graph import Matrix

#: Pairs of input bits times tries: some tenths of a second's worth.
_EFFORT = 8_000
_TRIES = 8


@dataclass(frozen=True, slots=True)
class Program:
    """XORs in order: step k makes bit ``inputs + k`` of two that are there; ``outputs`` name the results.

    An output that is the sum of no bits is None.
    """

    inputs: int
    steps: tuple[tuple[int, int], ...]
    outputs: tuple[int | None, ...]


@cache
def program(rows: tuple[int, ...], inputs: int) -> Program:
    """A short program for sums given as masks: bit i of ``rows[k]`` says whether output k takes bit i."""
    tries = max(1, min(_TRIES, _EFFORT // max(1, inputs * inputs)))
    found = (_greedy(rows, inputs, random.Random(seed)) for seed in range(tries))
    return min(found, key=lambda made: len(made.steps))


def rows_of(matrices: Sequence[Matrix], width: int) -> tuple[int, ...]:
    """For each of ``width`` output bits the mask of input bits, those of all operands in a row."""
    columns = [column for matrix in matrices for column in matrix]
    return tuple(sum((c >> bit & 1) << place for place, c in enumerate(columns)) for bit in range(width))


class _Sums:
    """The sums that are still to be made: for each bit there is, the mask of outputs that take it."""

    def __init__(self, rows: tuple[int, ...], inputs: int) -> None:
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


def _greedy(rows: tuple[int, ...], inputs: int, source: random.Random) -> Program:
    sums, steps = _Sums(rows, inputs), []
    while (pair := sums.commonest(source)) is not None:
        sums.add(pair)
        steps.append(pair)
    outputs: list[int | None] = [None] * len(rows)
    for bit, takers in enumerate(sums.takers):
        for output in range(len(rows)):
            if takers >> output & 1:
                outputs[output] = bit
    return Program(inputs, tuple(steps), tuple(outputs))
