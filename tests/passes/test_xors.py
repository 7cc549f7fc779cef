"""Short XOR programs: they compute their matrix, and share what can be shared."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.passes import xors
from finalist.passes.xors import Sums, shared_sums


def computed(program: xors.Sums) -> list[int]:
    """Which input bits each output of a program takes."""
    bits = [1 << place for place in range(program.inputs)]
    for a, b in program.steps:
        bits.append(bits[a] ^ bits[b])
    return [0 if output is None else bits[output] for output in program.outputs]


@given(st.integers(1, 20), st.lists(st.integers(0, (1 << 20) - 1), min_size=1, max_size=20))
@settings(deadline=None, max_examples=80)
def test_it_computes_its_matrix(inputs: int, rows: list[int]) -> None:
    wanted = [row & (1 << inputs) - 1 for row in rows]
    assert computed(xors.sums_of_rows(tuple(wanted), inputs)) == wanted


@pytest.mark.parametrize("size", [32, 64])
def test_dense_matrices_take_far_less_than_their_ones(size: int) -> None:
    source = random.Random(size)
    rows = tuple(source.getrandbits(size) for _ in range(size))
    made = xors.sums_of_rows(rows, size)
    assert computed(made) == list(rows)
    assert len(made.steps) < sum(row.bit_count() - 1 for row in rows) // 2


def test_what_rows_share_is_made_once() -> None:
    rows = (0b0111, 0b1011, 0b0011)
    assert len(xors.sums_of_rows(rows, 4).steps) == 3


def test_a_permutation_takes_nothing() -> None:
    made = xors.sums_of_rows((4, 1, 2, 0), 3)
    assert made.steps == () and made.outputs == (2, 0, 1, None)


def test_rows_of_several_operands() -> None:
    """Columns are images of input bits, rows what output bits take; operands stand in a row."""
    assert xors.rows_of([(0b01, 0b11), (0b10,)], 2) == (0b011, 0b110)


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
