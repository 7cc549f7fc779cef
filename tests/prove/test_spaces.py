"""Functions of an index: one basis, whatever way leads there."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

import pytest

from finalist.ir.ops import Op
from finalist.prove.basis import linear
from finalist.prove.bits import Bits, bits_of, known
from finalist.prove.evaluate import Valuation
from finalist.prove.store import FALSE, TRUE
from finalist.prove.words import Words

#: Makes of a condition and two words the one that it says.
Choose: TypeAlias = Callable[[Words, int, Bits, Bits], Bits]
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


def test_a_table_that_repeats_is_of_the_bits_that_it_needs() -> None:
    """Whatever comes along with the index: above it, and between."""
    words = Words()
    x, more = words.symbol("x", 4), words.symbol("more", 2)
    plain = words.lookup(SBOX, x, 4)
    assert words.lookup(SBOX * 4, (*x, *more), 4) == plain
    spread = [SBOX[value & 3 | value >> 1 & 12] for value in range(32)]
    assert words.lookup(spread, (x[0], x[1], more[0], x[2], x[3]), 4) == plain
    other = [entry ^ (value == 63) for value, entry in enumerate(SBOX * 4)]
    assert words.lookup(other, (*x, *more), 4) != plain


def test_a_function_of_three_bits_within_a_box() -> None:
    """Gates of a box's circuit stay functions of the box's index."""
    words = Words()
    store, x = words.store, words.symbol("x", 4)
    plain = words.lookup(SBOX, x, 4)
    gate = words.lookup([0, 1, 1, 0, 1, 0, 0, 0], x[:3], 1)
    assert not isinstance(gate, int)
    rest = [(entry ^ (0x16 >> (value & 7))) & 1 for value, entry in enumerate(SBOX)]
    found = words.lookup(rest, x, 1)
    assert not isinstance(found, int)
    assert store.xor(gate[0], found[0]) == plain[0]


def test_a_table_after_one_that_a_key_has_filled() -> None:
    """As the key's table through the second one, whether that is looked up or made of two halves' gates."""
    words = Words()
    x, last = words.symbol("x", 3), words.symbol("last", 4)
    keyed = [words.symbol(("entry", k), 4) for k in range(8)]
    xor = [words.apply(Op.XOR, [entry, last], 4) for entry in keyed]
    wanted = words.lookup([words.lookup(SBOX, entry, 4) for entry in xor], x, 4)
    index = words.apply(Op.XOR, [words.lookup(keyed, x, 4), last], 4)
    assert not isinstance(index, int)
    assert words.lookup(SBOX, index, 4) == wanted
    high = words.lookup([1 if value >> 2 else 0 for value in range(16)], index, 1)
    assert not isinstance(high, int)
    halves = [words.lookup([entry if value >> 2 == 0 else 0 for value, entry in enumerate(SBOX)], index, 4)]
    halves.append(words.lookup([entry if value >> 2 else 0 for value, entry in enumerate(SBOX)], index, 4))
    assert words.apply(Op.XOR, halves, 4) == wanted
    assert words.lookup(SBOX[::-1], index, 4) != wanted


def test_sums_of_functions_are_functions() -> None:
    """A linear map before a table, as one table."""
    words = Words()
    x = words.symbol("x", 4)
    rows = [3, 6, 12, 9]  # by bit of the argument, the bits of the result
    mixed = words.linear([rows], [words.lookup(SBOX, x, 4)], 4)
    once = [
        sum((sum(row >> k & 1 for j, row in enumerate(rows) if e >> j & 1) & 1) << k for k in range(4))
        for e in SBOX
    ]
    assert words.lookup(SBOX, mixed, 4) == words.lookup([SBOX[e] for e in once], x, 4)  # type: ignore[arg-type]


def test_an_index_that_is_a_sum_is_that_of_its_term() -> None:
    """An entry of a table is that of the part of it that begins where the index does; of bits that a longer
    word is a sum of, those alone are the index."""
    words = Words()
    table = tuple(words.symbol(("t", k), 8) for k in range(300))
    x, y = words.symbol("x", 8), words.symbol("y", 8)
    index = words.apply(Op.XOR, [x, y], 8)
    further = words.apply(Op.ADD, [index, 16], 32)
    assert words.lookup(table, further, 8) == words.lookup(table[16:272], index, 8)
    words.apply(Op.ADD, [x, 3], 8)
    found = words.values(x[:2], fewer=True)
    assert found is not None
    assert len(words.spaces.indices[found[0]]) == 2


def test_a_table_that_repeats_is_the_same_again() -> None:
    """Also after the index has got functions of its own."""
    words = Words()
    index = words.symbol("index", 5)
    repeats = [0, 1, 1, 0, 1, 0, 0, 0] * 4
    other = [1 if value in (3, 17, 29) else 0 for value in range(32)]
    first = words.lookup(repeats, index, 1, "repeats")
    assert words.lookup(other, index, 1, "other") != first
    assert words.lookup(repeats, index, 1, "repeats") == first
    assert words.lookup([value ^ 1 for value in repeats], index, 1, "complement") == (first[0] ^ 1,)


def test_a_circuit_of_a_table_that_needs_fewer_bits() -> None:
    """By gates on an index of which the table has a part, and after other functions of the whole index."""
    words = Words()
    store, index = words.store, words.symbol("index", 5)
    table = [(p & p >> 1 ^ p >> 2 & p >> 3) & 1 for p in range(32)]
    parity = [p.bit_count() & 1 ^ (p == 31) for p in range(32)]
    (plain,) = words.lookup(table, index, 1, "table")
    words.lookup(parity, index, 1, "parity")
    a, b, c, d, _ = index
    assert store.xor(store.both(a, b), store.both(c, d)) == plain
    assert store.xor(store.both(a, b), store.both(c, d ^ 1)) == store.xor(plain, c)


def test_an_index_of_which_one_bit_is_read_from_unknown_entries_is_an_index_of_its_own() -> None:
    """To go through these entries would say nothing of the others; where all bits are read so it does."""
    words = Words()
    entries = [words.symbol(("entry", k), 4) for k in range(4)]
    read = words.lookup(entries, words.symbol("x", 2), 4)
    words.lookup(SBOX, read, 4)
    assert len(words.spaces.decompositions) == 1
    words.lookup(SBOX, (read[0], *words.symbol("y", 3)), 4)
    assert len(words.spaces.decompositions) == 1


# -- tables in pages -----------------------------------------------------------------------------------


def by_masks(words: Words, condition: int, a: Bits, b: Bits) -> Bits:
    """Chosen as by a processor that has no instruction for it."""
    differing = words.apply(Op.XOR, [a, b], len(a))
    masked = words.apply(Op.AND, [differing, (condition,) * len(a)], len(a))
    made = words.chosen([masked, b], len(a)) or words.apply(Op.XOR, [masked, b], len(a))
    again = words.apply(Op.AND, [differing, (condition,) * len(a)], len(a))
    assert words.apply(Op.XOR, [again, b], len(a)) == known(made), "as a program does it, which nobody tells"
    return bits_of(made, len(a))


def in_pages(words: Words, choose: Choose, pages: list[list[int]], index: Bits, width: int) -> Bits:
    found = [
        bits_of(words.lookup(page, index[: len(pages[0]).bit_length() - 1], width), width) for page in pages
    ]
    for bit in index[len(pages[0]).bit_length() - 1 :]:
        found = [choose(words, bit, found[k + 1], found[k]) for k in range(0, len(found), 2)]
    return found[0]


def by_selecting(words: Words, condition: int, a: Bits, b: Bits) -> Bits:
    return bits_of(words.apply(Op.SELECT, [(condition,), a, b], len(a)), len(a))


@pytest.mark.parametrize("choose", [by_masks, by_selecting])
@pytest.mark.parametrize("bits", [3, 6, 9])
@pytest.mark.parametrize("whole_first", [False, True])
def test_a_table_in_pages_is_the_table(choose: Choose, bits: int, whole_first: bool) -> None:
    """Whichever of the two comes first, also one with an index of sums and complements."""
    draw = random.Random(bits)
    table = [draw.randrange(32) for _ in range(1 << bits)]
    words = Words()
    x, y = words.symbol("x", bits), words.symbol("y", bits)
    index = tuple(words.store.xor(a, b) ^ draw.randrange(2) for a, b in zip(x, y, strict=True))
    pages = [table[k : k + 4] for k in range(0, len(table), 4)]
    whole = words.lookup(table, index, 5) if whole_first else None
    made = in_pages(words, choose, pages, index, 5)
    assert made == (whole or words.lookup(table, index, 5))


@pytest.mark.parametrize("choose", [by_masks, by_selecting])
def test_pages_that_are_not_the_table(choose: Choose) -> None:
    """An entry is another one, two pages are exchanged, or a bit of the index is complemented."""
    table = [random.Random(7).randrange(32) for _ in range(64)]
    pages = [table[k : k + 4] for k in range(0, 64, 4)]
    words = Words()
    index = words.symbol("x", 6)
    whole = words.lookup(table, index, 5)
    exchanged = [pages[k] for k in (1, 0, *range(2, 16))]
    for place in range(64):
        other = list(table)
        other[place] ^= 1 << place % 5
        assert in_pages(words, choose, [other[k : k + 4] for k in range(0, 64, 4)], index, 5) != whole
    assert in_pages(words, choose, exchanged, index, 5) != whole
    for k in range(2, 6):
        turned = tuple(bit ^ (k == at) for at, bit in enumerate(index))
        assert in_pages(words, choose, pages, turned, 5) != whole


@pytest.mark.parametrize("choose", [by_masks, by_selecting])
def test_what_a_choice_of_functions_is(choose: Choose) -> None:
    """Of the same index and of others, where the condition is of the index, too, and where one is known."""
    draw = random.Random(3)
    for _ in range(60):
        words = Words()
        x, y = words.symbol("x", 3), words.symbol("y", 3)
        index = tuple((*x, *y)[draw.randrange(6)] ^ draw.randrange(2) for _ in range(3))
        tables = [[draw.randrange(4) for _ in range(8)] for _ in range(2)]
        a, b = (bits_of(words.lookup(table, index, 2), 2) for table in tables)
        b = draw.choice([b, (FALSE, b[0]), x[:2], bits_of(words.lookup(tables[1], y, 2), 2)])
        condition = words.store.xor(draw.choice(x), draw.choice([*y, FALSE, TRUE]))
        made = choose(words, condition, a, b)
        for _ in range(8):
            value = Valuation(words, {"x": draw.randrange(8), "y": draw.randrange(8)})
            assert value.word(made) == value.word(a if value.word((condition,)) else b)
