"""Sums over GF(2): few XORs that make several sums of the same signals.

Greedy, as Paar, "Optimized arithmetic for Reed-Solomon encoders" (ISIT 1997): what two signals occur
together most often is summed once; ties are decided at random, and the best of several trials is kept.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple


class Sums(NamedTuple):
    """Signals below ``inputs`` are given; step k makes signal ``inputs + k``, the sum of two earlier ones.

    ``outputs``: the signal of each sum; None for the empty sum.
    """

    inputs: int
    steps: tuple[tuple[int, int], ...]
    outputs: tuple[int | None, ...]


def shared_sums(masks: Sequence[int], inputs: int, trials: int = 1, seed: int = 0) -> Sums:
    """The sums of the inputs whose bits are set in each mask, in few steps."""
    if any(not 0 <= mask < 1 << inputs for mask in masks):
        raise ValueError(f"a sum of {inputs} signals is a mask of {inputs} bits")
    numbers = random.Random(seed)
    tried = (_greedy(list(masks), inputs, numbers) for _ in range(trials))
    return min(tried, key=lambda sums: len(sums.steps))


def _greedy(masks: list[int], inputs: int, numbers: random.Random) -> Sums:
    steps: list[tuple[int, int]] = []
    users = [sum((mask >> k & 1) << row for row, mask in enumerate(masks)) for k in range(inputs)]
    shared = {(a, b): (users[a] & users[b]).bit_count() for b in range(inputs) for a in range(b)}
    while shared and (most := max(shared.values())) > 0:
        a, b = numbers.choice([pair for pair, count in shared.items() if count == most])
        both = users[a] & users[b]
        users[a] ^= both
        users[b] ^= both
        steps.append((a, b))
        users.append(both)
        for pair in ((x, y) for y in range(len(users)) for x in range(y)):
            if pair[0] in (a, b) or pair[1] in (a, b, len(users) - 1):
                shared[pair] = (users[pair[0]] & users[pair[1]]).bit_count()
    return Sums(inputs, tuple(steps), tuple(_signal_of(users, row) for row in range(len(masks))))


def _signal_of(users: list[int], row: int) -> int | None:
    """The one signal that is left in a row."""
    return next((signal for signal, rows in enumerate(users) if rows >> row & 1), None)
