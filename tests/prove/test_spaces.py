"""Functions of an index: one basis, whatever way leads there."""

from __future__ import annotations

from finalist.prove.evaluate import Valuation
from finalist.prove.spaces import linear
from finalist.prove.store import FALSE, TRUE
from finalist.prove.words import Words

SBOX = [7, 4, 10, 9, 1, 15, 2, 0, 12, 14, 3, 5, 11, 8, 13, 6]


def test_the_bits_of_an_index_are_functions_of_it() -> None:
    assert [linear(3, k) for k in range(3)] == [0b10101010, 0b11001100, 0b11110000]
    words = Words()
    index = words.symbol("x", 4)
    assert words.lookup(range(16), index, 4) == index
    assert words.lookup([5] * 16, index, 4) == 5


def test_a_circuit_ends_in_the_bits_of_its_table() -> None:
    words = Words()
    store, index = words.store, words.symbol("x", 4)
    made = words.lookup(SBOX, index, 4)
    for k in range(4):
        total = FALSE
        for value, entry in enumerate(SBOX):
            point = TRUE
            for j, bit in enumerate(index):
                point = store.both(point, bit if value >> j & 1 else bit ^ 1)
            total = store.xor(total, point) if entry >> k & 1 else total
        assert total == made[k]


def test_a_table_at_a_complement_and_in_another_order() -> None:
    words = Words()
    x = words.symbol("x", 4)
    plain = words.lookup(SBOX, x, 4)
    flipped = [SBOX[value ^ 5] for value in range(16)]
    assert words.lookup(flipped, (x[0] ^ 1, x[1], x[2] ^ 1, x[3]), 4) == plain
    turned = [SBOX[(value << 1 | value >> 3) & 15] for value in range(16)]
    assert words.lookup(turned, (x[1], x[2], x[3], x[0]), 4) == plain


def test_tables_of_words_that_are_not_known_are_linear() -> None:
    """A matrix goes through a table that a key schedule has filled."""
    words = Words()
    entries = [words.symbol(("entry", k), 2) for k in range(4)]
    x = words.symbol("x", 2)
    read = words.lookup(entries, x, 2)
    sums = [(words.store.xor(a, b), a) for a, b in entries]
    assert words.lookup(sums, x, 2) == (words.store.xor(*read), read[0])
    inputs = {("entry", k): value for k, value in enumerate((2, 3, 1, 0))}
    for point in range(4):
        assert Valuation(words, inputs | {"x": point}).word(read) == (2, 3, 1, 0)[point]


def test_different_tables_are_different_bits() -> None:
    words = Words()
    x = words.symbol("x", 4)
    for place in range(16):
        other = list(SBOX)
        other[place] ^= 1
        assert words.lookup(other, x, 4) != words.lookup(SBOX, x, 4)
