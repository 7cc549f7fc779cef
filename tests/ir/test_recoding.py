"""Signed digits of integers: their sum, no two of them adjacent, the same modulo powers of two."""

from __future__ import annotations

from itertools import pairwise

import pytest

from finalist.ir.recoding import signed_digits

NUMBERS = [*range(-70, 71), 993, (1 << 44) - (1 << 22) + 1, (1 << 64) - 1, -(1 << 63)]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_digits_of_a_number(number: int) -> None:
    digits = signed_digits(number)
    exponents = [exponent for exponent, _ in digits]
    assert sum(digit << exponent for exponent, digit in digits) == number
    assert {digit for _, digit in digits} <= {1, -1}
    assert all(above - below > 1 for below, above in pairwise(exponents))


@pytest.mark.parametrize("bits", [1, 3, 8, 32])
def test_lowest_digits(bits: int) -> None:
    """Those of the number modulo a power of two, up to the sign of the highest."""
    for number in NUMBERS:
        first, second = (
            [(exponent, digit if exponent < bits - 1 else 1) for exponent, digit in digits if exponent < bits]
            for digits in map(signed_digits, (number, number % (1 << bits)))
        )
        assert first == second
