"""Tables and linear maps at random, for tests."""

from __future__ import annotations

import random
from collections.abc import Sequence


def permutation(numbers: random.Random, size: int) -> tuple[int, ...]:
    return tuple(numbers.sample(range(size), size))


def invertible(numbers: random.Random, bits: int) -> list[int]:
    """The images of the bits under a random invertible linear map."""
    while True:
        columns = [numbers.randrange(1, 1 << bits) for _ in range(bits)]
        if len({image(columns, x) for x in range(1 << bits)}) == 1 << bits:
            return columns


def image(columns: Sequence[int], x: int) -> int:
    total = 0
    for k, column in enumerate(columns):
        total ^= column if x >> k & 1 else 0
    return total
