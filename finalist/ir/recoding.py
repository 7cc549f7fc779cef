"""Signed-digit recoding of constants, for multiples by shifts, additions and subtractions."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=1 << 12)
def signed_digits(number: int) -> tuple[tuple[int, int], ...]:
    """The non-zero digits, 1 or -1, of an integer's non-adjacent form, each with its exponent, the lowest
    first; there is no form with fewer (Reitwiesner 1960; Knuth vol. 2, 4.1, exercise 34).

    Below 2^n they are those of the integer modulo 2^n, up to the sign of the digit of 2^(n - 1).
    """
    digits = []
    while number:
        exponent = (number & -number).bit_length() - 1
        digit = 2 - (number >> exponent & 3)
        digits.append((exponent, digit))
        number -= digit << exponent
    return tuple(digits)
