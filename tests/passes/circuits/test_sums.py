"""Shared sums: right for any matrix, and as few as can be for small ones."""

from __future__ import annotations

import random

import pytest

from finalist.passes.circuits.assembly import Assembly
from finalist.passes.circuits.sums import Sums, shared_sums


def values(sums: Sums) -> list[int]:
    """What each output is the sum of."""
    signals = [1 << k for k in range(sums.inputs)]
    for a, b in sums.steps:
        signals.append(signals[a] ^ signals[b])
    return [0 if output is None else signals[output] for output in sums.outputs]


@pytest.mark.parametrize("seed", range(20))
def test_random_matrices(seed: int) -> None:
    numbers = random.Random(seed)
    inputs, rows = numbers.randint(1, 12), numbers.randint(0, 12)
    masks = [numbers.randrange(1 << inputs) for _ in range(rows)]
    sums = shared_sums(masks, inputs, trials=3, seed=seed)
    assert values(sums) == masks
    assert len(sums.steps) <= sum(max(0, mask.bit_count() - 1) for mask in masks)


@pytest.mark.parametrize(
    ("masks", "steps"),
    [([], 0), ([0], 0), ([1, 2, 1], 0), ([3, 3], 1), ([3, 7, 15], 3), ([0b1100, 0b0011, 0b1111], 3)],
)
def test_sums_that_contain_each_other_are_shared(masks: list[int], steps: int) -> None:
    sums = shared_sums(masks, 4)
    assert values(sums) == masks
    assert len(sums.steps) == steps


def test_more_trials_are_never_worse() -> None:
    numbers = random.Random(5)
    masks = [numbers.randrange(1 << 10) for _ in range(14)]
    costs = [len(shared_sums(masks, 10, trials).steps) for trials in (1, 10)]
    assert costs[1] <= costs[0]


def test_a_mask_with_too_many_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="mask of 3 bits"):
        shared_sums([8], 3)


def test_assembled_sums_of_constants_vanish() -> None:
    make = Assembly(2)
    circuit = make.circuit(make.sums([7, 4, 3], [0, 1, None]))
    assert circuit.table() == tuple((x.bit_count() & 1) * 5 for x in range(4))
