"""Short XOR programs: they compute their matrix, and share what can be shared."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.passes.bitslice import xors


def computed(program: xors.Program) -> list[int]:
    """Which input bits each output of a program takes."""
    bits = [1 << place for place in range(program.inputs)]
    for a, b in program.steps:
        bits.append(bits[a] ^ bits[b])
    return [0 if output is None else bits[output] for output in program.outputs]


@given(st.integers(1, 20), st.lists(st.integers(0, (1 << 20) - 1), min_size=1, max_size=20))
@settings(deadline=None, max_examples=80)
def test_it_computes_its_matrix(inputs: int, rows: list[int]) -> None:
    wanted = [row & (1 << inputs) - 1 for row in rows]
    assert computed(xors.program(tuple(wanted), inputs)) == wanted


@pytest.mark.parametrize("size", [32, 64])
def test_dense_matrices_take_far_less_than_their_ones(size: int) -> None:
    source = random.Random(size)
    rows = tuple(source.getrandbits(size) for _ in range(size))
    made = xors.program(rows, size)
    assert computed(made) == list(rows)
    assert len(made.steps) < sum(row.bit_count() - 1 for row in rows) // 2


def test_what_rows_share_is_made_once() -> None:
    rows = (0b0111, 0b1011, 0b0011)
    assert len(xors.program(rows, 4).steps) == 3


def test_a_permutation_takes_nothing() -> None:
    made = xors.program((4, 1, 2, 0), 3)
    assert made.steps == () and made.outputs == (2, 0, 1, None)


def test_rows_of_several_operands() -> None:
    """Columns are images of input bits, rows what output bits take; operands stand in a row."""
    assert xors.rows_of([(0b01, 0b11), (0b10,)], 2) == (0b011, 0b110)
