"""Sums, products, limbs and comparisons of words at random: their bits are those of the integers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of
from finalist.prove.evaluate import Valuation
from finalist.prove.words import Words
from tests.prove.test_halves import Halves

CHECK = (pytest.mark.slow, pytest.mark.check)
NAMES = "abcd"
#: Constants by which words are multiplied: with few bits that are 1, and with many.
FACTORS = (2, 3, 5, 7, 10, 13, 11, 182, 255, 993, (1 << 20) - (1 << 10) + 1)
#: What two words and a number make, as a word of some bits and as an integer.
Made = Callable[["Store", Word, Word, int], Word]
Meant = Callable[[int, int, int, int], int]


class Store:
    """Words of ``width`` bits, an even number."""

    def __init__(self, width: int) -> None:
        self.words, self.width, self.half = Words(), width, width // 2

    def do(self, op: Op, *values: Word, width: int = 0) -> Word:
        return self.words.apply(op, list(values), width or self.width)

    def low(self, word: Word) -> Bits:
        return bits_of(bits_of(word, self.width)[: self.half], self.width)

    def high(self, word: Word) -> Bits:
        whole = bits_of(word, self.width)
        return bits_of(self.words.sums.limbs.part(whole, self.half, self.half), self.width)

    def halves(self, made: Callable[[Halves, Bits, Bits], Bits], a: Word, b: Word) -> Bits:
        """What two words make in halves."""
        return made(Halves(self.words, self.width), bits_of(a, self.width), bits_of(b, self.width))

    def less(self, a: Word, b: Word) -> Bits:
        return bits_of(self.do(Op.LT, a, b), self.width)

    def wide_less(self, a: Word, b: Word, lower: Word) -> Bits:
        """Less above, or equal above and less below."""
        both = self.do(Op.AND, self.do(Op.LT, lower, b), self.do(Op.EQ, a, b), width=1)
        return bits_of(self.do(Op.OR, both, self.do(Op.LT, a, b), width=1), self.width)


def _half(width: int) -> int:
    return (1 << width // 2) - 1


OPERATIONS: dict[str, tuple[Made, Meant]] = {
    "add": (lambda s, a, b, k: s.do(Op.ADD, a, b), lambda x, y, k, n: x + y),
    "subtract": (lambda s, a, b, k: s.do(Op.SUB, a, b), lambda x, y, k, n: x - y),
    "add halves": (lambda s, a, b, k: s.halves(Halves.add, a, b), lambda x, y, k, n: x + y),
    "subtract halves": (lambda s, a, b, k: s.halves(Halves.subtract, a, b), lambda x, y, k, n: x - y),
    "invert": (lambda s, a, b, k: s.do(Op.XOR, a, k), lambda x, y, k, n: x ^ k),
    "multiple": (lambda s, a, b, k: s.do(Op.MUL, a, k), lambda x, y, k, n: x * k),
    "product": (lambda s, a, b, k: s.do(Op.MUL, a, b), lambda x, y, k, n: x * y),
    "upper half": (lambda s, a, b, k: s.do(Op.MULHI, a, b), lambda x, y, k, n: x * y >> n),
    "not": (lambda s, a, b, k: s.do(Op.NOT, a), lambda x, y, k, n: ~x),
    "and": (lambda s, a, b, k: s.do(Op.AND, a, b), lambda x, y, k, n: x & y),
    "xor": (lambda s, a, b, k: s.do(Op.XOR, a, b), lambda x, y, k, n: x ^ y),
    "left": (lambda s, a, b, k: s.do(Op.SHL, a, k % s.width), lambda x, y, k, n: x << k % n),
    "less": (lambda s, a, b, k: s.less(a, b), lambda x, y, k, n: x < y),
    "wide less": (lambda s, a, b, k: s.wide_less(a, b, k), lambda x, y, k, n: x < y or (x == y and k < y)),
    "low": (lambda s, a, b, k: s.low(a), lambda x, y, k, n: x & _half(n)),
    "high": (lambda s, a, b, k: s.high(a), lambda x, y, k, n: x >> n // 2),
    "joined": (
        lambda s, a, b, k: s.low(a)[: s.half] + s.low(b)[: s.half],
        lambda x, y, k, n: x & _half(n) | (y & _half(n)) << n // 2,
    ),
}
#: Sums are what all of this is about.
DRAWN = [*OPERATIONS, "add", "add", "subtract halves"]


def checked(width: int, steps: Sequence[tuple[str, int, int, int]], source: random.Random) -> None:
    """Steps, each an operation on two of the words before it, and a number."""
    store, mask = Store(width), (1 << width) - 1
    words: list[Word] = [store.words.symbol(name, width) for name in NAMES]
    for name, i, j, k in steps:
        words.append(OPERATIONS[name][0](store, words[i], words[j], k & mask))
    for _ in range(6):
        values = [source.choice((source.getrandbits(width), 0, mask, 1)) for _ in NAMES]
        value = Valuation(store.words, dict(zip(NAMES, values, strict=True)))
        for name, i, j, k in steps:
            values.append(OPERATIONS[name][1](values[i], values[j], k & mask, width) & mask)
        assert [value.word(word) for word in words] == values


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=CHECK) for k in range(1, 12))])
def test_random_arithmetic(part: int) -> None:
    for seed in range(30 * part, 30 * part + 30):
        source = random.Random(f"arithmetic {seed}")
        count = source.randint(3, 14)
        steps = [
            (source.choice(DRAWN), source.randrange(4 + k), source.randrange(4 + k), source.choice(FACTORS))
            for k in range(count)
        ]
        checked(source.choice((8, 16, 24, 32)), steps, source)


def test_limbs_within_limbs_come_to_an_end() -> None:
    """A carry added to a carry, each of a comparison of words that others are compared with."""
    steps = [
        ("less", 1, 3, 0),
        ("and", 4, 1, 0),
        ("less", 3, 2, 0),
        ("add", 3, 0, 0),
        ("less", 6, 0, 0),
        ("add", 5, 6, 0),
        ("add", 6, 8, 0),
        ("add", 4, 2, 0),
    ]
    checked(16, steps, random.Random(1))
