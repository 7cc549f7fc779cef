"""Truth tables with some inputs known, without those that count for nothing, over many bits at once."""

from __future__ import annotations

import random

import pytest

from finalist.netlist.tables import halves, monomials, needed, over, with_known


def at(truth: int, bits: list[int]) -> int:
    return truth >> sum(bit << k for k, bit in enumerate(bits)) & 1


@pytest.mark.parametrize("seed", range(30))
def test_what_is_left_is_the_same_function(seed: int) -> None:
    draw = random.Random(seed)
    count = draw.randrange(1, 6)
    truth = draw.getrandbits(1 << count) & draw.choice([-1, 0x3333_3333, 0x0F0F_0F0F])
    pins = tuple(draw.choice([None, None, 0, 1]) for _ in range(count))
    rest, left = with_known(truth, pins)
    for _ in range(20):
        bits = [draw.getrandbits(1) if pin is None else pin for pin in pins]
        assert at(truth, bits) == at(rest, [bits[k] for k in left])
    for k in range(len(left)):
        assert len(set(halves(rest, k, len(left)))) == 2, "it depends on each input that is left"


def test_an_input_that_counts_for_nothing_is_left_out() -> None:
    assert needed(0b1100, (7, 9)) == (0b10, (9,))
    assert needed(0b1111, (7, 9)) == (1, ())


@pytest.mark.parametrize("seed", range(10))
def test_over_many_bits(seed: int) -> None:
    draw = random.Random(seed)
    truth, inputs = draw.getrandbits(16), [draw.getrandbits(64) for _ in range(4)]
    found = over(truth, tuple(inputs), (1 << 64) - 1)
    for lane in range(64):
        assert found >> lane & 1 == at(truth, [word >> lane & 1 for word in inputs])


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_a_table_is_the_sum_of_its_monomials(bits: int) -> None:
    for truth in range(1 << (1 << bits)):
        found = monomials(truth, bits)
        for point in range(1 << bits):
            products = sum(point & factors == factors for factors in found)
            assert products & 1 == truth >> point & 1


def test_monomials() -> None:
    assert set(monomials(0b1000, 2)) == {0b11}
    assert set(monomials(0b0110, 2)) == {0b01, 0b10}
