"""Words in two halves, each with the carry or borrow of the one below: the bits of the whole words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of
from finalist.prove.words import Words

WIDTH = 64


class Whole:
    """Whole words of ``width`` bits, an even number, over a store."""

    def __init__(self, words: Words, width: int = WIDTH) -> None:
        self.words, self.width, self.size = words, width, width // 2

    def do(self, op: Op, *values: Word) -> Bits:
        return bits_of(self.words.apply(op, list(values), self.width), self.width)

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
        return self.do(Op.SHL, a, self.do(Op.ADD, bits_of(amount, self.width), 22))


class Halves(Whole):
    """The same in halves, as processors of half the width do it; amounts below the half, but for `move`."""

    def half(self, op: Op, *values: Word) -> Bits:
        return bits_of(self.words.apply(op, list(values), self.size), self.size)

    def add(self, a: Bits, b: Bits) -> Bits:
        low = self.half(Op.ADD, a[: self.size], b[: self.size])
        carry = self.half(Op.LT, low, b[: self.size])
        return low + self.half(Op.ADD, self.half(Op.ADD, a[self.size :], b[self.size :]), carry)

    def subtract(self, a: Bits, b: Bits) -> Bits:
        borrow = self.half(Op.LT, a[: self.size], b[: self.size])
        high = self.half(Op.SUB, self.half(Op.SUB, a[self.size :], b[self.size :]), borrow)
        return self.half(Op.SUB, a[: self.size], b[: self.size]) + high

    def left(self, a: Bits, amount: int) -> Bits:
        over = self.half(Op.SHR, a[: self.size], self.size - amount)
        high = self.half(Op.OR, self.half(Op.SHL, a[self.size :], amount), over)
        return self.half(Op.SHL, a[: self.size], amount) + high

    def right(self, a: Bits, amount: int) -> Bits:
        over = self.half(Op.SHL, a[self.size :], self.size - amount)
        low = self.half(Op.OR, self.half(Op.SHR, a[: self.size], amount), over)
        return low + self.half(Op.SHR, a[self.size :], amount)

    def invert(self, a: Bits, constant: int) -> Bits:
        return self.half(Op.XOR, a[: self.size], constant % (1 << self.size)) + self.half(
            Op.XOR, a[self.size :], constant >> self.size
        )

    def move(self, a: Bits, amount: Bits) -> Bits:
        """Bit 5 of the amount says which halves are moved, its other bits how far."""
        total = self.half(Op.ADD, bits_of(amount, self.size), 22)
        low = self.half(Op.SELECT, total[5:6], 0, a[: self.size])
        high = self.half(Op.SELECT, total[5:6], a[: self.size], a[self.size :])
        least = self.half(Op.AND, total, self.size - 1)
        over = self.half(Op.SHR, self.half(Op.SHR, low, 1), self.half(Op.XOR, least, self.size - 1))
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
