"""Words moved by an amount that is not known: in limbs, to either side, the same bits and their values."""

from __future__ import annotations

import random

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of, known
from finalist.prove.evaluate import Valuation
from finalist.prove.words import Words

AMOUNT = 31


def product(words: Words, width: int = 64) -> Bits:
    """A word whose bits are gates."""
    return bits_of(words.apply(Op.AND, [words.symbol("a", width), words.symbol("b", width)], width), width)


def halves(word: Bits) -> tuple[Word, Word]:
    return word[:32], word[32:]


def in_limbs(words: Words, word: Bits, amount: Word) -> Word:
    """A word of 64 bits to the left, by up to 31, on a processor of 32 bits."""
    low, high = halves(word)
    do = words.apply
    over = do(Op.SHR, [do(Op.SHR, [low, 1], 32), do(Op.XOR, [amount, AMOUNT], 32)], 32)
    upper = do(Op.OR, [do(Op.SHL, [high, amount], 32), over], 32)
    return known(bits_of(do(Op.SHL, [low, amount], 32), 32) + bits_of(upper, 32))


def test_a_shift_in_limbs_is_the_shift() -> None:
    words = Words()
    word, amount = product(words), words.symbol("n", 5)
    whole = words.apply(Op.SHL, [word, amount], 64)
    assert in_limbs(words, word, amount) == whole


def chosen_limbs(words: Words, word: Bits, amount: Word) -> Word:
    """The same by up to 63: bit 5 of the amount chooses among the limbs first."""
    do = words.apply
    low, high = halves(word)
    far = do(Op.AND, [do(Op.SHR, [amount, 5], 32), 1], 32)
    none, all_ = do(Op.ADD, [far, 0xFFFFFFFF], 32), do(Op.SUB, [0, far], 32)
    low_, both = do(Op.AND, [low, none], 32), do(Op.XOR, [low, high], 32)
    high_ = do(Op.XOR, [high, do(Op.AND, [both, all_], 32)], 32)
    return in_limbs(words, bits_of(low_, 32) + bits_of(high_, 32), do(Op.AND, [amount, AMOUNT], 32))


def test_limbs_that_the_amount_chooses() -> None:
    words = Words()
    word = product(words)
    amount = words.apply(Op.ADD, [words.apply(Op.AND, [words.symbol("n", 8), AMOUNT], 32), 22], 32)
    whole = words.apply(Op.SHL, [word, amount], 64)
    assert chosen_limbs(words, word, amount) == whole


@pytest.mark.parametrize("op", [Op.SHL, Op.SHR, Op.ROL, Op.ROR])
def test_values(op: Op) -> None:
    words = Words()
    amount = words.symbol("n", 5)
    word = product(words, 32)
    moved = words.apply(op, [word, amount], 32)
    mixed = words.apply(Op.XOR, [moved, words.apply(Op.SHL, [word, amount], 32)], 32)
    source = random.Random(op.name)
    for _ in range(20):
        given = {"a": source.getrandbits(32), "b": source.getrandbits(32), "n": source.getrandbits(5)}
        found, number = Valuation(words, given), given["a"] & given["b"]
        plain = Words()
        wanted = plain.apply(op, [number, given["n"]], 32)
        shifted = plain.apply(Op.SHL, [number, given["n"]], 32)
        assert found.word(moved) == wanted
        assert found.word(mixed) == plain.apply(Op.XOR, [wanted, shifted], 32)


def test_an_amount_that_is_part_of_the_word() -> None:
    """Bits of the index are known at each point."""
    words = Words()
    word = words.symbol("a", 32)
    mixed = bits_of(words.apply(Op.ADD, [word, words.symbol("b", 32)], 32), 32)
    moved = words.apply(Op.SHL, [mixed, mixed[:5]], 32)
    source = random.Random(1)
    for _ in range(20):
        given = {"a": source.getrandbits(32), "b": source.getrandbits(32)}
        total = given["a"] + given["b"] & 0xFFFFFFFF
        assert Valuation(words, given).word(moved) == total << (total & 31) & 0xFFFFFFFF


def test_a_choice_of_what_it_is_made_of() -> None:
    """``b`` where it may be ``a``, and ``a`` chosen of ``b``: bits that are there already, one by way of the
    other; moved by an amount whose highest bit chooses."""
    words = Words()
    do, a = words.apply, words.symbol("a", 32)
    total = bits_of(do(Op.ADD, [bits_of(words.symbol("n", 5), 32), 22], 32), 32)
    first = do(Op.SHL, [a, total], 32)
    b = do(Op.SELECT, [total[5:6], a, do(Op.XOR, [a, 0xF0], 32)], 32)
    back = do(Op.SELECT, [total[5:6], b, do(Op.XOR, [b, 0xF0], 32)], 32)
    assert back == a
    assert do(Op.SHL, [back, total], 32) == first
    given: dict[object, int] = {"a": 0x12345678, "n": 9}
    assert Valuation(words, given).word(first) == 0x12345678 << 31 & 0xFFFFFFFF
