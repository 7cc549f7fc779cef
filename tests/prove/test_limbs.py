"""Sums in limbs of eight bits, with the carries of a processor that has one flag: the bits of the whole."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of
from finalist.prove.evaluate import Valuation
from finalist.prove.words import Words

LIMB, WIDTH = 8, 32
Add = Callable[[Bits, Bits], Bits]


class Both:
    """One store, and a sum in it as a whole or limb by limb."""

    def __init__(self) -> None:
        self.words = Words()

    def symbol(self, name: str) -> Bits:
        return self.words.symbol(name, WIDTH)

    def apply(self, op: Op, *values: Word, width: int = LIMB) -> Word:
        return self.words.apply(op, list(values), width)

    def whole(self, a: Bits, b: Bits) -> Bits:
        return bits_of(self.apply(Op.ADD, a, b, width=WIDTH), WIDTH)

    def limbs(self, a: Bits, b: Bits) -> Bits:
        """With the carry of ``x + y + c`` as those of ``x + y`` and of what that is with ``c``."""
        total: Bits = ()
        carry: Word = 0
        for x, y in ((word[k : k + LIMB] for word in (a, b)) for k in range(0, WIDTH, LIMB)):
            part = self.apply(Op.ADD, x, y)
            made = self.apply(Op.ADD, part, carry)
            total += bits_of(made, LIMB)
            over = [self.apply(Op.LT, part, y), self.apply(Op.LT, made, carry)]
            carry = bits_of(self.apply(Op.OR, *over, width=1), 1)
        return total


#: Sums of three words, each in an order of its own.
SUMS: dict[str, Callable[[Add, Bits, Bits, Bits], Bits]] = {
    "a + 2b": lambda add, a, b, k: add(a, (0, *b[:-1])),
    "(a + b) + b": lambda add, a, b, k: add(add(a, b), b),
    "b + (a + b)": lambda add, a, b, k: add(b, add(a, b)),
    "(a + b) + k": lambda add, a, b, k: add(add(a, b), k),
    "k + (a + b)": lambda add, a, b, k: add(k, add(a, b)),
    "k + (a + 2b)": lambda add, a, b, k: add(k, add(a, (0, *b[:-1]))),
    "(k + a) + 2b": lambda add, a, b, k: add(add(k, a), (0, *b[:-1])),
    "(k + b) + (a + b)": lambda add, a, b, k: add(add(k, b), add(a, b)),
    "((a + b) + b) + k": lambda add, a, b, k: add(add(add(a, b), b), k),
}


@pytest.mark.parametrize("name", SUMS)
def test_limbs_are_those_of_the_whole(name: str) -> None:
    both = Both()
    a, b, k = map(both.symbol, "abk")
    assert SUMS[name](both.limbs, a, b, k) == SUMS[name](both.whole, a, b, k)


def test_a_transform_of_sums() -> None:
    """The pseudo-Hadamard transform of what has come out of one, a round key added to each."""

    def twice(add: Add) -> list[Bits]:
        first, second = add(add(a, b), k), add(add(b, add(a, b)), k)
        return [add(first, second), add(second, add(first, second))]

    both = Both()
    a, b, k = map(both.symbol, "abk")
    assert twice(both.limbs) == twice(both.whole)


def test_what_was_added_up_before() -> None:
    """All in one store: what is known of one sum is no hindrance to the next."""
    both = Both()
    a, b, k = map(both.symbol, "abk")
    for name, made in SUMS.items():
        assert made(both.limbs, a, b, k) == made(both.whole, a, b, k), name


def test_no_word_is_a_sum_of_itself() -> None:
    """``s = x + 2z`` of eight bits, and the nine bits of ``s - 2z``, whose lowest are those of x."""
    both = Both()
    x, z = (both.symbol(name)[:LIMB] for name in "xz")
    double = (0, *z[:-1])
    total = bits_of(both.apply(Op.ADD, x, double), LIMB)
    wide = both.words.sums.add([(total, 1), ((0, *z), -1)], 0, LIMB + 1)
    assert bits_of(wide, LIMB) == x
    assert both.words.sums.origin(x) is None
    assert both.apply(Op.ADD, both.apply(Op.SUB, 0, x), total) == double


def test_sums_of_limbs_have_the_values_of_sums() -> None:
    """Of many sums of sums, also where limbs do not come out as the whole: each by numbers."""
    source = random.Random(1)
    for _ in range(4):
        both = Both()
        words = [both.symbol(name) for name in "abc"]
        known = [source.getrandbits(WIDTH) for _ in words]
        given = dict(zip("abc", known, strict=True))
        for _ in range(5):
            i, j = source.choices(range(len(words)), k=2)
            words.append(source.choice([both.limbs, both.whole])(words[i], words[j]))
            known.append((known[i] + known[j]) % (1 << WIDTH))
            assert Valuation(both.words, given).word(words[-1]) == known[-1]


def test_a_carry_is_one_bit_however_it_is_found() -> None:
    """``a + b < a``, ``a + b < b``."""
    both = Both()
    a, b = (both.symbol(name)[:LIMB] for name in "ab")
    total = both.apply(Op.ADD, a, b)
    assert both.apply(Op.LT, total, a) == both.apply(Op.LT, total, b)
    assert both.apply(Op.LT, total, a) != both.apply(Op.LT, a, total)


def product_plus(words: Words, x: Bits, a: Bits, b: Bits) -> tuple[Word, Word]:
    """The lower and the upper word of ``a x + b``."""
    low = words.apply(Op.ADD, [words.apply(Op.MUL, [x, a], WIDTH), b], WIDTH)
    carry = bits_of(words.apply(Op.LT, [low, b], WIDTH), WIDTH)
    return low, words.apply(Op.ADD, [words.apply(Op.MULHI, [x, a], WIDTH), carry], WIDTH)


def halves_plus(words: Words, x: Bits, a: Bits, b: Bits) -> tuple[Word, Word]:
    """The same with words that hold one half of them each, but products."""
    half = WIDTH // 2

    def add(*values: Word) -> Word:
        total = values[0]
        for value in values[1:]:
            total = words.apply(Op.ADD, [total, value], WIDTH)
        return total

    def parts(word: Word) -> list[Bits]:
        bits = bits_of(word, WIDTH)
        return [bits_of(part, WIDTH) for part in (bits[:half], words.sums.limbs.part(bits, half, half))]

    (x0, x1), (a0, a1), (b0, b1) = map(parts, (x, a, b))
    rows = [[words.apply(Op.MUL, [u, v], WIDTH) for v in (a0, a1)] for u in (x0, x1)]
    lowest, over = parts(add(rows[0][0], b0))
    middle, carried = parts(add(rows[0][1], add(b1, over)))
    upper, last = parts(add(rows[1][0], middle))
    return lowest[:half] + upper[:half], add(last, add(rows[1][1], carried))


def test_a_product_modulo_a_number_a_little_above_a_power_of_two() -> None:
    """``a x + b`` modulo 2^n + c, up to ``l + c (2^n - 1 - h)`` with l and h its words: by halves it is what
    it is by whole words, with the carries of the sum and of the multiple."""
    words = Words()
    x, a, b = (words.symbol(name, WIDTH) for name in "xab")
    low, high = product_plus(words, x, a, b)
    assert halves_plus(words, x, a, b) == (low, high)
    c, half = 13, WIDTH // 2

    def do(op: Op, *values: Word) -> Word:
        return words.apply(op, list(values), WIDTH)

    above = do(Op.NOT, high)
    times = do(Op.ADD, do(Op.MUL, above, c), 182)
    whole = do(Op.ADD, low, times)
    carries = [words.apply(Op.LT, [times, 182], WIDTH), words.apply(Op.LT, [whole, low], WIDTH)]
    top = do(Op.MULHI, above, c)
    for carry in carries:
        top = do(Op.ADD, top, bits_of(carry, WIDTH))

    def parts(word: Word) -> list[Bits]:
        bits = bits_of(word, WIDTH)
        return [bits_of(part, WIDTH) for part in (bits[:half], words.sums.limbs.part(bits, half, half))]

    (l0, l1), (h0, h1) = parts(low), parts(above)
    first, over = parts(do(Op.ADD, do(Op.ADD, do(Op.MUL, h0, c), 182), l0))
    second, rest = parts(do(Op.ADD, do(Op.MUL, h1, c), do(Op.ADD, l1, over)))
    assert (first[:half] + second[:half], bits_of(rest, WIDTH)) == (whole, bits_of(top, WIDTH))
    source, mask = random.Random(1), (1 << WIDTH) - 1
    for _ in range(20):
        given = {name: source.choice((source.getrandbits(WIDTH), mask, 0, 1)) for name in "xab"}
        value, exact = Valuation(words, given), given["a"] * given["x"] + given["b"]
        total = (exact & mask) + c * (mask - (exact >> WIDTH)) + 182
        assert (value.word(low), value.word(high)) == (exact & mask, exact >> WIDTH)
        assert (value.word(whole), value.word(top)) == (total & mask, total >> WIDTH)
    assert max(bits_of(top, WIDTH)[5:]) == 0  # no more than 13 2^32 + 2^32
