"""Words that a mask keeps apart: one choice, by OR or by a sum, as a gate of three inputs has it."""

from __future__ import annotations

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of
from finalist.prove.ternary import gate
from finalist.prove.words import Words

WIDTH = 8
#: Of a mask, and what is taken where it is 1 and where it is 0, as bits of an entry's number.
CHOICE = sum(((p >> 1 & 1) if p & 1 else p >> 2 & 1) << p for p in range(8))


def masked(words: Words, mask: Bits, a: Bits, b: Bits) -> tuple[Word, Word]:
    inverse = words.apply(Op.NOT, [mask], WIDTH)
    return words.apply(Op.AND, [a, mask], WIDTH), words.apply(Op.AND, [inverse, b], WIDTH)


def chosen(words: Words, mask: Bits, a: Bits, b: Bits) -> Word:
    return tuple(gate(words.store, CHOICE, column) for column in zip(mask, a, b, strict=True))


def test_sums_and_ors_are_choices() -> None:
    words = Words()
    mask, a, b, x = (words.symbol(name, WIDTH) for name in ("mask", "a", "b", "x"))
    first, second = masked(words, mask, a, b)
    choice = chosen(words, mask, a, b)
    assert words.apply(Op.OR, [first, second], WIDTH) == choice
    one_by_one = words.apply(Op.ADD, [words.apply(Op.ADD, [x, first], WIDTH), second], WIDTH)
    assert words.apply(Op.ADD, [choice, x], WIDTH) == one_by_one
    less = words.apply(Op.SUB, [words.apply(Op.SUB, [x, second], WIDTH), first], WIDTH)
    assert words.apply(Op.SUB, [x, choice], WIDTH) == less


def test_words_that_may_have_bits_in_common_are_none() -> None:
    words = Words()
    mask, a, b, x = (words.symbol(name, WIDTH) for name in ("mask", "a", "b", "x"))
    first, _ = masked(words, mask, a, b)
    other = words.apply(Op.AND, [mask, b], WIDTH)
    total = words.apply(Op.ADD, [words.apply(Op.ADD, [x, first], WIDTH), other], WIDTH)
    either = words.apply(Op.OR, [first, other], WIDTH)
    assert words.apply(Op.ADD, [x, either], WIDTH) != total
    assert bits_of(either, WIDTH) != chosen(words, mask, a, b)


def test_terms_that_count_differently_stay_apart() -> None:
    words = Words()
    mask, a, b = (words.symbol(name, WIDTH) for name in ("mask", "a", "b"))
    first, second = masked(words, mask, a, b)
    thrice = words.apply(Op.MUL, [second, 3], WIDTH)
    total = words.apply(Op.ADD, [first, thrice], WIDTH)
    again = words.apply(Op.ADD, [thrice, first], WIDTH)
    assert total == again != words.apply(Op.ADD, [first, second], WIDTH)
