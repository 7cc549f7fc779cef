"""Comparisons of words in limbs are those of the words; what is nearly one is none."""

from __future__ import annotations

import random

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of
from finalist.prove.evaluate import Valuation
from finalist.prove.words import Words

LIMB = 16


def symbols(words: Words, names: str, width: int) -> list[Bits]:
    return [words.symbol(name, width) for name in names]


def less(words: Words, a: Bits, b: Bits) -> Word:
    return words.apply(Op.LT, [a, b], len(a))


def joined(words: Words, upper: Word, equal: Word, lower: Word, width: int = 1) -> Word:
    """Less above, or equal above and less below, in registers of some width."""
    both = words.apply(Op.AND, [lower, equal], width)
    return words.apply(Op.OR, [both, upper], width)


def limbs(words: Words, a: Bits, b: Bits, width: int = 1) -> Word:
    """Whether a word is less than another, from the lowest limbs upwards."""
    found = less(words, a[:LIMB], b[:LIMB])
    for start in range(LIMB, len(a), LIMB):
        x, y = a[start : start + LIMB], b[start : start + LIMB]
        equal = words.apply(Op.EQ, [y, x], LIMB)
        found = joined(words, less(words, x, y), equal, found, width)
    return found


@pytest.mark.parametrize("width", [1, 32])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_limbs_are_compared_as_the_whole(count: int, width: int) -> None:
    words = Words()
    a, b = symbols(words, "ab", count * LIMB)
    whole = bits_of(less(words, a, b), width)
    assert bits_of(limbs(words, a, b, width), width) == whole


def test_the_carry_of_a_sum_in_limbs() -> None:
    """As a comparison of the sum with what was added; and added up itself."""
    words = Words()
    a, b, c = symbols(words, "abc", 2 * LIMB)
    total = bits_of(words.apply(Op.ADD, [a, b], 2 * LIMB), 2 * LIMB)
    carry = bits_of(limbs(words, total, b), 2 * LIMB)
    exact = bits_of(words.apply(Op.ADD, [bits_of(a, 4 * LIMB), bits_of(b, 4 * LIMB)], 4 * LIMB), 4 * LIMB)
    assert carry[0] == exact[2 * LIMB]
    assert words.apply(Op.ADD, [c, carry], 2 * LIMB) != c


def test_what_is_nearly_a_comparison() -> None:
    """Other limbs are equal, or the wrong one is less: its values say what it is."""
    words = Words()
    a, b = symbols(words, "ab", 2 * LIMB)
    low, high = (a[:LIMB], b[:LIMB]), (a[LIMB:], b[LIMB:])
    whole = less(words, a, b)
    same_low, same_high = (words.apply(Op.EQ, [*pair], LIMB) for pair in (low, high))
    made = {
        "equal below": joined(words, less(words, *high), same_low, less(words, *low)),
        "more below": joined(words, less(words, *high), same_high, less(words, *low[::-1])),
        "limbs exchanged": joined(words, less(words, *low), same_low, less(words, *high)),
    }
    assert whole not in made.values()
    source = random.Random(1)
    for _ in range(50):
        x, y = (source.choice((1, 2, 0x10000, 0x10001, source.getrandbits(32))) for _ in "ab")
        value = Valuation(words, {"a": x, "b": y})
        (x1, x0), (y1, y0) = divmod(x, 1 << LIMB), divmod(y, 1 << LIMB)
        wanted = {
            "equal below": x1 < y1 or (x0 == y0 and x0 < y0),
            "more below": x1 < y1 or (x1 == y1 and y0 < x0),
            "limbs exchanged": x0 < y0 or (x0 == y0 and x1 < y1),
        }
        assert {name: value.word(word) for name, word in made.items()} == wanted
        assert value.word(whole) == (x < y)


def test_the_borrow_of_a_difference() -> None:
    """The highest bit of ``~a & b | (~a | b) & (a - b)``, in any order; of another difference it is not."""
    words = Words()
    a, b = symbols(words, "ab", LIMB)

    def do(op: Op, *values: Word) -> Word:
        return words.apply(op, list(values), LIMB)

    inverse = do(Op.NOT, a)
    masked, either = do(Op.AND, b, inverse), do(Op.OR, inverse, b)
    found = bits_of(do(Op.OR, do(Op.AND, do(Op.SUB, a, b), either), masked), LIMB)
    assert found[-1:] == bits_of(less(words, a, b), 1)
    other = bits_of(do(Op.OR, masked, do(Op.AND, either, do(Op.SUB, b, a))), LIMB)
    assert other[-1:] != bits_of(less(words, a, b), 1)
    for x, y in ((3, 5), (5, 3), (0, 0xFFFF), (0xFFFF, 0), (7, 7), (0x8000, 0x7FFF)):
        value, difference = Valuation(words, {"a": x, "b": y}), x - y & 0xFFFF
        assert value.word(found) == ~x & y & 0xFFFF | (~x | y) & difference
