"""Arrays written at unknown positions: what their entries are, and what is read out of them."""

from __future__ import annotations

import random

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import Word
from finalist.prove.evaluate import Valuation
from finalist.prove.memory import Memory
from finalist.prove.words import NotCoveredError, TooWideError, Words

#: Bits of an index: of tables that are functions of it, and of such as are opaque.
WIDTHS = [2, 3, 5]


def swapped(words: Words, array: tuple[Word, ...], x: Word, y: Word, width: int = 8) -> tuple[Word, ...]:
    """The array with two entries swapped, one store after the other."""
    a, b = (words.lookup(array, k, width, array) for k in (x, y))
    return words.stored(words.stored(array, x, b, width), y, a, width)


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("length", [3, 4, 32])
def test_stores_and_reads_are_those_of_a_list(bits: int, length: int) -> None:
    """Some stores and reads, at positions that are known and such as are not, at values at random."""
    words, source = Words(), random.Random(bits)
    sizes: dict[object, int] = {f"x{k}": bits for k in range(3)} | {f"v{k}": 8 for k in range(3)}
    entries = {("e", k): 8 for k in range(0, length, 2)}
    symbols: dict[object, Word] = {name: words.symbol(name, n) for name, n in (sizes | entries).items()}
    start = array = tuple(symbols.get(("e", k), k) for k in range(length))
    places, values = ["x0", "x1", "x2", 1], ["v0", "v1", "v2", 7]
    steps = [tuple(map(source.choice, (places, values, places))) for _ in range(6)]
    read: list[Word] = []
    for at, value, there in steps:
        array = words.stored(array, symbols.get(at, 1), symbols.get(value, 7), 8)
        read.append(words.lookup(array, symbols.get(there, 1), 8, array))
    for _ in range(20):
        given = {name: source.getrandbits(n) for name, n in (sizes | entries).items()}
        found = Valuation(words, given)
        plain = [found.word(word) for word in start]
        for (at, value, there), word in zip(steps, read, strict=True):
            plain[given.get(at, 1) % length] = given.get(value, 7)
            assert found.word(word) == plain[given.get(there, 1) % length]
        assert [found.word(word) for word in array] == plain


@pytest.mark.parametrize("bits", WIDTHS)
def test_after_a_swap_each_index_has_what_was_at_the_other(bits: int) -> None:
    words = Words()
    array = tuple(words.symbol(("e", k), 8) for k in range(1 << bits))
    x, y = words.symbol("x", bits), words.symbol("y", bits)
    after = swapped(words, array, x, y)
    assert words.lookup(after, x, 8, after) == words.lookup(array, y, 8, array)
    assert words.lookup(after, y, 8, after) == words.lookup(array, x, 8, array)


@pytest.mark.parametrize("bits", WIDTHS)
def test_two_stores_that_are_no_swap_are_not_taken_for_one(bits: int) -> None:
    """What was stored at the first index may have been overwritten, with another word."""
    words = Words()
    array = tuple(words.symbol(("e", k), 8) for k in range(1 << bits))
    x, y = words.symbol("x", bits), words.symbol("y", bits)
    first = words.lookup(array, y, 8, array)
    after = words.stored(words.stored(array, x, first, 8), y, words.symbol("v", 8), 8)
    assert words.lookup(after, x, 8, after) != first


def test_a_swap_with_a_known_position_is_one_in_either_order() -> None:
    """Of entries that are opaque where they are read, as those of an array that was shuffled before."""
    words = Words()
    pairs = ([words.symbol((name, k), 8) for name in "ab"] for k in range(32))
    array = tuple(words.apply(Op.AND, pair, 8) for pair in pairs)
    x = words.symbol("x", 5)
    assert swapped(words, array, 1, x) == swapped(words, array, x, 1)


def test_a_store_is_overwritten_by_the_next_one_there() -> None:
    words = Words()
    array = tuple(words.symbol(("e", k), 8) for k in range(4))
    x, y = words.symbol("x", 2), words.symbol("y", 2)
    once = words.stored(array, x, 1, 8)
    assert words.stored(words.stored(array, x, 2, 8), x, 1, 8) == once
    assert words.stored(words.stored(array, y, 2, 8), x, 1, 8) != once


def test_what_was_there_changes_nothing() -> None:
    words = Words()
    array = tuple(words.symbol(("e", k), 8) for k in range(4))
    x, y = words.symbol("x", 2), words.symbol("y", 2)
    read = words.lookup(array, x, 8, array)
    assert words.stored(array, x, read, 8) == array
    assert words.stored(array, y, read, 8) != array


def test_an_index_of_too_many_bits_is_refused() -> None:
    words = Words()
    with pytest.raises(TooWideError, match="more than 13 bits that are not known"):
        words.stored((0,) * (1 << 14), words.symbol("x", 14), 1, 8)


def memory(words: Words) -> Memory:
    found = Memory(words, "little", 64, aligned=False)
    found.fill(0, [words.symbol(("m", k), 8) for k in range(32)])
    return found


@pytest.mark.parametrize("size", [1, 4])
def test_memory_is_written_as_an_array_is(size: int) -> None:
    """Words at an unknown address: the entries of an array of such words, and what is read there."""
    words = Words()
    one = memory(words)
    index, value = words.symbol("x", 3), words.symbol("v", 8 * size)
    array = tuple(one.load(size, k * size) for k in range(8))
    one.store(size, (0,) * (size // 2) + index, value)
    after = words.stored(array, index, value, 8 * size)
    assert tuple(one.load(size, k * size) for k in range(8)) == after
    assert one.load(size, (0,) * (size // 2) + index) == value


def test_what_one_memory_has_is_not_read_from_another() -> None:
    """Written to as often as the other, at the same places."""
    words = Words()
    one, other = (Memory(words, "little", 64, aligned=False) for _ in range(2))
    one.fill(0, [words.symbol(("one", k), 8) for k in range(8)])
    other.fill(0, [words.symbol(("other", k), 8) for k in range(8)])
    index = words.symbol("x", 3)
    assert one.load(1, index) != other.load(1, index)


def test_words_that_overlap_are_refused() -> None:
    words = Words()
    with pytest.raises(NotCoveredError, match="a store of words that overlap"):
        memory(words).store(4, words.symbol("x", 3), 1)


def test_a_store_past_the_end_is_refused() -> None:
    words = Words()
    with pytest.raises(NotCoveredError, match="an access to memory at 0x40, past 64 bytes"):
        memory(words).store(1, words.symbol("x", 7), 1)
