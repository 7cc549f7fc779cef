"""Arithmetic modulo a number that is no power of two, and division, as words compute it."""

from __future__ import annotations

from finalist.language.trace import fail
from finalist.language.word import Word, mulhi, select


def multiply_add(a: Word, x: Word, b: Word, modulus: int) -> Word:
    """((a x + b) mod ``modulus``) mod 2^n of words of n bits; ``modulus``: 2^n + c, c of less than n/2 bits.

    Reduction modulo a pseudo-Mersenne number without a division (Crandall 1992). With a x + b = Q 2^n + R,
    t = c (2^n - 1 - Q) + c (c + 1) + R is congruent to it; with t = Q' 2^n + R' so is R' - c Q', to which
    one modulus more is added if it is negative.
    """
    width = a.width
    c = modulus - (1 << width)
    if not 0 < c < 1 << width // 2 - 1:
        accepted = f"2^{width} + c with 0 < c < 2^{width // 2 - 1}, for words of {width} bits"
        raise fail(f"modulus {modulus}; accepted: {accepted}")
    low = a * x + b
    high = mulhi(a, x) + (low < b).extend(width)
    product = ~high * c
    t = product + c * (c + 1)
    t_low = t + low
    q = mulhi(~high, c) + (t < product).extend(width) + (t_low < low).extend(width)
    rest = t_low - c * q
    return select(t_low < c * q, rest + c, rest)


def inverse(b: Word) -> Word:
    """1 / b modulo 2^n, of an odd word of n bits; of an even one, which has none, meaningless.

    Newton's iteration (Dussé, Kaliski 1990): three bits of b b = 1 are right, twice as many after a step.
    """
    y, right = b, 3
    while right < b.width:
        y, right = y * (2 - b * y), 2 * right
    return y
