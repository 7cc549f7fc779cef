"""Words in two halves, each with the carry or borrow of the one below: the bits of the whole words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of
from finalist.prove.words import Words

HALF = 32
WIDTH = 2 * HALF


class Whole:
    """Whole words over a store."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def do(self, op: Op, *values: Word, width: int = WIDTH) -> Bits:
        return bits_of(self.words.apply(op, list(values), width), width)

    def add(self, a: Bits, b: Bits) -> Bits:
        return self.do(Op.ADD, a, b)

    def subtract(self, a: Bits, b: Bits) -> Bits:
        return self.do(Op.SUB, a, b)

    def left(self, a: Bits, amount: int) -> Bits:
        return self.do(Op.SHL, a, amount)

    def right(self, a: Bits, amount: int) -> Bits:
        return self.do(Op.SHR, a, amount)

    def invert(self, a: Bits, constant: int) -> Bits:
        return self.do(Op.XOR, a, constant)

    def move(self, a: Bits, amount: Bits) -> Bits:
        """To the left by 22 more than a number of five bits."""
        return self.do(Op.SHL, a, self.do(Op.ADD, bits_of(amount, WIDTH), 22))


class Halves(Whole):
    """The same in halves, as processors of half the width do it; amounts below the half, but for `move`."""

    def half(self, op: Op, *values: Word) -> Bits:
        return self.do(op, *values, width=HALF)

    def add(self, a: Bits, b: Bits) -> Bits:
        low = self.half(Op.ADD, a[:HALF], b[:HALF])
        carry = self.half(Op.LT, low, b[:HALF])
        return low + self.half(Op.ADD, self.half(Op.ADD, a[HALF:], b[HALF:]), carry)

    def subtract(self, a: Bits, b: Bits) -> Bits:
        borrow = self.half(Op.LT, a[:HALF], b[:HALF])
        high = self.half(Op.SUB, self.half(Op.SUB, a[HALF:], b[HALF:]), borrow)
        return self.half(Op.SUB, a[:HALF], b[:HALF]) + high

    def left(self, a: Bits, amount: int) -> Bits:
        over = self.half(Op.SHR, a[:HALF], HALF - amount)
        high = self.half(Op.OR, self.half(Op.SHL, a[HALF:], amount), over)
        return self.half(Op.SHL, a[:HALF], amount) + high

    def right(self, a: Bits, amount: int) -> Bits:
        over = self.half(Op.SHL, a[HALF:], HALF - amount)
        low = self.half(Op.OR, self.half(Op.SHR, a[:HALF], amount), over)
        return low + self.half(Op.SHR, a[HALF:], amount)

    def invert(self, a: Bits, constant: int) -> Bits:
        return self.half(Op.XOR, a[:HALF], constant % (1 << HALF)) + self.half(
            Op.XOR, a[HALF:], constant >> HALF
        )

    def move(self, a: Bits, amount: Bits) -> Bits:
        """Bit 5 of the amount says which halves are moved, its other bits how far."""
        total = self.half(Op.ADD, bits_of(amount, HALF), 22)
        low = self.half(Op.SELECT, total[5:6], 0, a[:HALF])
        high = self.half(Op.SELECT, total[5:6], a[:HALF], a[HALF:])
        least = self.half(Op.AND, total, HALF - 1)
        over = self.half(Op.SHR, self.half(Op.SHR, low, 1), self.half(Op.XOR, least, HALF - 1))
        return self.half(Op.SHL, low, least) + self.half(Op.OR, self.half(Op.SHL, high, least), over)


Made = Callable[[Whole, Bits, Bits, Bits], Bits]
MADE: dict[str, Made] = {
    "a - (b + c)": lambda s, a, b, c: s.subtract(a, s.add(b, c)),
    "a - (b - c)": lambda s, a, b, c: s.subtract(a, s.subtract(b, c)),
    "a - (b - (c + (a >> 13)))": lambda s, a, b, c: s.subtract(a, s.subtract(b, s.add(c, s.right(a, 13)))),
    "a - ((b + c) ^ 183)": lambda s, a, b, c: s.subtract(a, s.invert(s.add(b, c), 183)),
    "a << (22 + n)": lambda s, a, b, c: s.move(a, b[:5]),
    "a << (22 + its own bits)": lambda s, a, b, c: s.move(a, a[:5]),
    "a - (a << (22 + n))": lambda s, a, b, c: s.subtract(a, s.move(a, b[:5])),
    "the inverse of a + (a << (22 + its own bits))": lambda s, a, b, c: s.subtract(
        a, s.move(s.subtract(a, s.move(a, a[:5])), a[:5])
    ),
}


def inverse(amount: int, s: Whole, a: Bits, b: Bits, c: Bits) -> Bits:
    """Of ``a + (a << amount)``, as far as a word of three times that goes."""
    word = s.do(Op.XOR, a, b)
    return s.subtract(word, s.left(s.subtract(word, s.left(word, amount)), amount))


MADE |= {f"the inverse of a + (a << {k})": partial(inverse, k) for k in (5, 11, 22)}


@pytest.mark.parametrize("name", MADE)
def test_halves_are_those_of_the_whole(name: str) -> None:
    """What is made of whole words first, as of a definition."""
    words = Words()
    a, b, c = (words.symbol(name, WIDTH) for name in "abc")
    whole, halves = (MADE[name](kind(words), a, b, c) for kind in (Whole, Halves))
    assert halves == whole
