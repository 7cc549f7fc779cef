"""Reads that are opaque: one column at one index is one bit, and evaluates to its entry."""

from __future__ import annotations

import random

from finalist.ir.ops import Op
from finalist.prove.bits import Word, bits_of
from finalist.prove.evaluate import Valuation
from finalist.prove.reads import LARGE
from finalist.prove.words import Words


def table(words: Words, count: int = 256, width: int = 16) -> list[Word]:
    """Entries that are products of unknown words, and some that are known."""
    a, b = words.symbol("a", width), words.symbol("b", width)
    entries: list[Word] = []
    for k in range(count):
        factor = words.apply(Op.XOR, [b, 257 * k], width)
        entries.append(k if k % 5 == 0 else words.apply(Op.AND, [a, factor], width))
    return entries


def kinds(words: Words, word: Word) -> set[str]:
    """The kinds of the atoms that a word's bits are sums of."""
    bits = bits_of(word, 16)
    return {words.store.atoms[atom][0] for bit in bits for atom in words.store.sets[bit >> 1]}


def test_a_read_is_one_atom_a_bit() -> None:
    words = Words()
    read = words.lookup(table(words), words.symbol("x", 8), 16)
    assert kinds(words, read) == {"read"}
    assert len(words.reads.opaque) == 16


def test_a_small_table_is_none() -> None:
    words = Words()
    read = words.lookup(table(words, LARGE // 2), words.symbol("x", 8), 16)
    assert "read" not in kinds(words, read)


def test_a_table_of_inputs_is_none() -> None:
    """What is linear in the inputs stays so: a matrix goes through it."""
    words = Words()
    entries = [words.symbol(("entry", k), 16) for k in range(256)]
    read = words.lookup(entries, words.symbol("x", 8), 16)
    assert kinds(words, read) == {"function"}


def test_reads_have_the_values_of_the_entries() -> None:
    words = Words()
    entries = table(words)
    read = words.lookup(entries, words.symbol("x", 8), 16)
    source = random.Random(1)
    for _ in range(20):
        given = {"a": source.getrandbits(16), "b": source.getrandbits(16), "x": source.getrandbits(8)}
        found = Valuation(words, given)
        assert found.word(read) == found.word(entries[given["x"]])


def test_parts_of_entries_are_parts_of_the_read() -> None:
    """A table of bytes, at a complemented index or one in another order, is the same bits."""
    words = Words()
    entries, x = table(words), words.symbol("x", 8)
    read = bits_of(words.lookup(entries, x, 16), 16)
    upper = [bits_of(word, 16)[8:] for word in entries]
    assert words.lookup(upper, x, 8) == read[8:]
    complemented = [entries[k ^ 0x0F] for k in range(256)]
    assert words.lookup(complemented, words.apply(Op.XOR, [x, 0x0F], 8), 16) == read
    turned = [entries[k >> 1 | (k & 1) << 7] for k in range(256)]
    assert words.lookup(turned, (x[7], *x[:7]), 16) == read


def test_one_table_at_complemented_indices_is_stored_once() -> None:
    """And what is read has the values of its entries, with a number added to the index."""
    words = Words()
    a, x, names = words.symbol("a", 16), words.symbol("x", 8), [("entry", k) for k in range(256)]
    entries = [words.apply(Op.AND, [a, words.symbol(name, 16)], 16) for name in names]
    shifts = (0, 0x5A, 0xFF)
    for name in ("table", None):  # with a name it is looked at once
        read = [words.lookup(entries, words.apply(Op.XOR, [x, k], 8), 16, name) for k in shifts]
    assert (len(words.reads.opaque), len(words.reads.stored)) == (16 * len(shifts), 16)
    assert len(set(read)) == len(shifts)
    source = random.Random(2)
    for _ in range(20):
        given = {name: source.getrandbits(16) for name in ("a", *names)} | {"x": source.getrandbits(8)}
        found = Valuation(words, given)
        assert [found.word(one) for one in read] == [found.word(entries[given["x"] ^ k]) for k in shifts]


def test_a_column_with_its_greatest_bit_twice_has_one_name_at_each_complement() -> None:
    """Where it begins is not said by its bits."""
    words = Words()
    entries, x = table(words)[:128] * 2, words.symbol("x", 8)
    complemented = [entries[k ^ 0x81] for k in range(256)]
    for name, turned in (("a", "b"), (None, None)):
        read = words.lookup(entries, words.apply(Op.XOR, [x, 0x81], 8), 16, name)
        assert words.lookup(complemented, x, 16, turned) == read


def test_another_entry_is_another_read() -> None:
    words = Words()
    entries, x = table(words), words.symbol("x", 8)
    read = words.lookup(entries, x, 16)
    for place in (1, 100, 255):
        other = [*entries[:place], words.symbol("other", 16), *entries[place + 1 :]]
        assert words.lookup(other, x, 16) != read


def test_a_long_sum_that_is_kept_has_its_name_whoever_makes_it() -> None:
    words = Words()
    store = words.store
    inputs = words.symbol("x", 20)
    name = store.alias(store.total(inputs), 12)
    assert len(store.sets[name >> 1]) == 1
    total = 0
    for bit in reversed(inputs):
        total = store.xor(total, bit)
    assert total == store.total(inputs) == name
    assert Valuation(words, {"x": 0b111}).bit(name) == 1
    assert store.alias(inputs[0], 12) == inputs[0]
