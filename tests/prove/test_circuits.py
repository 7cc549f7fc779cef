"""Sums by gates: the bits of the words' sums, whatever these are sums of; others are others."""

from __future__ import annotations

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of
from finalist.prove.words import Words

WIDTH = 16


def gates(words: Words, op: Op, *bits: Word) -> Word:
    return words.apply(op, bits, 1)


def added(words: Words, a: Bits, b: Bits, faulty: int = -1) -> list[Word]:
    """A sum bit by bit; ``faulty``: where a carry is another one."""
    total, carry = [gates(words, Op.XOR, a[:1], b[:1])], gates(words, Op.AND, a[:1], b[:1])
    for k, (x, y) in enumerate(zip(a[1:], b[1:], strict=True)):
        differ = gates(words, Op.XOR, (x,), (y,))
        total.append(gates(words, Op.XOR, differ, carry))
        other = (y,) if k == faulty else (x,)
        most = gates(words, Op.AND, differ, gates(words, Op.XOR, other, carry))
        carry = gates(words, Op.XOR, (x,), most)
    return total


def subtracted(words: Words, a: Bits, b: Bits) -> tuple[list[Word], Word]:
    """A difference bit by bit, and its borrow."""
    total = [gates(words, Op.XOR, a[:1], b[:1])]
    borrow = gates(words, Op.AND, gates(words, Op.NOT, a[:1]), b[:1])
    for x, y in zip(a[1:], b[1:], strict=True):
        differ = gates(words, Op.XOR, (x,), (y,))
        total.append(gates(words, Op.XOR, differ, borrow))
        most = gates(words, Op.AND, differ, gates(words, Op.XOR, (y,), borrow))
        borrow = gates(words, Op.XOR, borrow, most)
    return total, borrow


def alone(word: Word) -> list[Word]:
    return [(bit,) for bit in bits_of(word, WIDTH)]


def test_sums_of_sums() -> None:
    words = Words()
    a, b, c = (words.symbol(name, WIDTH) for name in "abc")
    first = bits_of(words.apply(Op.ADD, [a, b], WIDTH), WIDTH)
    second = bits_of(words.apply(Op.ADD, [c, first], WIDTH), WIDTH)
    third = words.apply(Op.ADD, [second, words.apply(Op.XOR, [a, first], WIDTH)], WIDTH)
    assert added(words, a, b) == alone(first)
    assert added(words, c, first) == alone(second)
    assert added(words, second, bits_of(words.apply(Op.XOR, [a, first], WIDTH), WIDTH)) == alone(third)


def test_differences_and_comparisons() -> None:
    words = Words()
    a, b, c = (words.symbol(name, WIDTH) for name in "abc")
    first = bits_of(words.apply(Op.ADD, [a, c], WIDTH), WIDTH)
    second = words.apply(Op.SUB, [first, b], WIDTH)
    less = words.apply(Op.LT, [first, b], WIDTH)
    total, borrow = subtracted(words, first, b)
    assert total == alone(second)
    assert borrow == less


@pytest.mark.parametrize("place", [3, 9])
def test_a_wrong_carry_shows(place: int) -> None:
    words = Words()
    a, b, c = (words.symbol(name, WIDTH) for name in "abc")
    first = bits_of(words.apply(Op.ADD, [a, b], WIDTH), WIDTH)
    wanted = alone(words.apply(Op.ADD, [c, first], WIDTH))
    made = added(words, c, first, faulty=place)
    assert made[: place + 2] == wanted[: place + 2]
    assert made[place + 2] != wanted[place + 2]


def test_what_is_added_after_gates_were_seen() -> None:
    words = Words()
    a, b = words.symbol("a", WIDTH), words.symbol("b", WIDTH)
    gates(words, Op.XOR, a[:1], b[:1])
    c = bits_of(words.apply(Op.ADD, [a, b], WIDTH), WIDTH)
    total = words.apply(Op.ADD, [c, a], WIDTH)
    assert added(words, c, a) == alone(total)


def rotated(words: Words, a: Bits, amount: Bits, left: bool, faulty: int = -1) -> list[Word]:
    """A word rotated by another one, bit by bit, a choice for each bit of the amount; ``faulty``: the bit of
    it that moves by one too many."""
    now: list[Word] = [(bit,) for bit in a]
    for k, moves in enumerate(amount):
        far = (1 << k) + (k == faulty)
        moved = [now[(j - far if left else j + far) % WIDTH] for j in range(WIDTH)]
        other = [gates(words, Op.XOR, old, new) for old, new in zip(now, moved, strict=True)]
        chosen = [gates(words, Op.AND, (moves,), one) for one in other]
        now = [gates(words, Op.XOR, old, one) for old, one in zip(now, chosen, strict=True)]
    return now


@pytest.mark.parametrize("op", [Op.ROL, Op.ROR])
def test_rotations_by_words(op: Op) -> None:
    """Whatever is rotated and however far; what is made of it by a table as well."""
    words = Words()
    a, b, n = (words.symbol(name, WIDTH) for name in "abn")
    size = WIDTH.bit_length() - 1
    total = bits_of(words.apply(Op.ADD, [a, b], WIDTH), WIDTH)
    amount = bits_of(words.apply(Op.XOR, [n, b], WIDTH), WIDTH)[:size]
    whole = words.apply(op, [total, bits_of(amount, WIDTH)], WIDTH)
    assert rotated(words, total, amount, op is Op.ROL) == alone(whole)
    later = words.apply(op, [a, n[:size]], WIDTH)  # noted when there are circuits already
    assert rotated(words, a, n[:size], op is Op.ROL) == alone(later)
    assert rotated(words, a, n[:size], op is Op.ROR) != alone(later)
    assert rotated(words, a, n[:size], op is Op.ROL, faulty=1) != alone(later)


def planes(words: Words, *given: Bits) -> list[Bits]:
    """Of each place the bits of all words, as one word, for a circuit to work on."""
    words.circuits.begin()
    return list(zip(*given, strict=True))


@pytest.mark.parametrize("fault", [None, 2])
def test_differences_of_several_words_at_once(fault: int | None) -> None:
    """Four in a word, a bit of each; of one the borrow is another at one place, or of none."""
    words = Words()
    a, b, c = ([words.symbol((name, k), WIDTH) for k in range(4)] for name in "abc")
    first = [bits_of(words.apply(Op.ADD, pair, WIDTH), WIDTH) for pair in zip(a, c, strict=True)]
    wanted = [words.apply(Op.SUB, pair, WIDTH) for pair in zip(first, b, strict=True)]
    made: list[Bits] = []
    borrow: Bits | None = None
    for k, (x, y) in enumerate(zip(planes(words, *first), planes(words, *b), strict=True)):
        differ = words.apply(Op.XOR, [x, y], 4)
        if borrow is None:
            made.append(bits_of(differ, 4))
            borrow = bits_of(words.apply(Op.AND, [words.apply(Op.NOT, [x], 4), y], 4), 4)
            continue
        made.append(bits_of(words.apply(Op.XOR, [differ, borrow], 4), 4))
        most = words.apply(Op.AND, [differ, words.apply(Op.XOR, [y, borrow], 4)], 4)
        borrow = bits_of(words.apply(Op.XOR, [borrow, most], 4), 4)
        if k == 5 and fault is not None:
            borrow = (*borrow[:fault], x[fault], *borrow[fault + 1 :])
    found = [bits_of(word, WIDTH) for word in zip(*made, strict=True)]
    assert [k for k in range(4) if found[k] != wanted[k]] == ([] if fault is None else [fault])
