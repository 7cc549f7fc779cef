"""The last that is accepted of each range, and the first that is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from finalist.errors import DefinitionError
from finalist.language import (
    Array,
    LinearMap,
    Table,
    bit_permutation,
    constant,
    join,
    loop,
    rol,
    select,
    tabulate,
    u8,
    words,
)
from finalist.language.trace import tracing
from finalist.language.word import Word, word_type

Case = Callable[[int], Any]


def word(bits: int, place: int = 0) -> Word:
    return constant(place, bits)


def linear(total: int) -> LinearMap:
    """A map of one bit to words of so many bits in all."""
    return LinearMap([[0]], [total])


def mapped(column: int) -> LinearMap:
    return LinearMap([[column]], [4])


def looped(bits: int) -> None:
    """A loop that writes to an array, from 0 to a word of so many bits."""
    array = Array(2, 8)
    for _ in loop(0, word(bits)):
        array[0] = array[0] + 1


#: What is made of a number, the least and the greatest that are accepted, and what is said beyond them.
RANGES: dict[str, tuple[Case, int, int, str]] = {
    "bits of a word": (word_type, 1, 64, "a word has 1 to 64 bits, not"),
    "extend": (lambda bits: word(9).extend(bits), 9, 64, "extend to .* bits; accepted: 9 to 64"),
    "the first bit": (lambda low: word(8)[low:8], 0, 7, "bits .*:8 of a word of 8 bits"),
    "the last bit": (lambda high: word(8)[2:high], 3, 8, "bits 2:.* of a word of 8 bits"),
    "one bit": (lambda bit: word(8)[bit], 0, 7, "bits .* of a word of 8 bits"),
    "a constant": (lambda value: constant(value, 4), -8, 15, "does not fit a word of 4 bits"),
    "an amount": (lambda amount: rol(word(8), amount), 0, 7, "rol of 8 bits by .*; accepted: 0 to 7"),
    "a shift": (lambda amount: word(8) << amount, 0, 7, "shl of 8 bits by .*; accepted: 0 to 7"),
    "an array": (lambda length: Array(length, 8), 1, 1 << 16, "an array of .* words; accepted: 1 to 65536"),
    "an entry": (lambda value: Array(2, 4, [0, value]), 0, 15, "can't hold these 2 values"),
    "entries": (lambda count: Array(2, 4, [1] * count), 2, 2, "can't hold these"),
    "an index": (lambda index: Array(3, 8)[index], 0, 2, "index .* of an array of 3 words"),
    "a written index": (lambda index: Array(3, 8).__setitem__(index, 0), 0, 2, "index .* of an array of 3"),
    "a table's entry": (lambda value: Table([0, value], 4), 0, 15, "a table entry does not fit 4 bits"),
    "a table's index": (lambda x: Table([1, 2, 3, 4])[x], 0, 3, "takes a word of 2 bits, not"),
    "a table's word": (lambda bits: Table([1, 2, 3, 4])[word(bits)], 2, 2, "takes a word of 2 bits, not"),
    "keyed functions": (lambda bits: tabulate(lambda x: x, bits), 1, 16, "tabulate over .* bits; accepted"),
    "bits of a map": (linear, 1, 64, "a linear map gives 1 to 64 bits, not"),
    "a column": (mapped, 0, 15, "a linear map gives 4 bits, so .* is none of its columns"),
    "a source": (lambda bit: bit_permutation([0, bit]), 0, 1, "a bit permutation takes source bits within"),
    "sources": (lambda n: bit_permutation([0] * n, 64), 1, 64, "a bit permutation takes source bits within"),
    "bits of sources": (lambda n: bit_permutation([3], n), 4, 64, "a bit permutation takes source bits"),
    "bits of a bound": (looped, 32, 32, "the bounds of a loop are words of 32 bits"),
    "words of a block": (lambda count: words(count, u8), 1, 99, "a block of .* words; accepted: a positive"),
    "a condition": (lambda bits: select(word(bits), word(8), word(8)), 1, 1, "a one-bit condition"),
    "one width": (lambda bits: word(8) + word(bits), 8, 8, "accepted: equal widths"),
    "a choice's width": (lambda bits: select(word(1), word(8), word(bits)), 8, 8, "two words of one width"),
    "bits together": (lambda bits: join(word(60), word(bits)), 1, 4, "join takes words of 64 bits together"),
}
#: Those whose greatest is only an example.
OPEN = {"words of a block", "bits of sources"}
#: Those that say something else of what is no word at all.
NO_WORD = {"a condition", "one width", "a choice's width", "bits together", "a table's word", "entries"}


@pytest.mark.parametrize("name", RANGES)
def test_what_is_accepted_ends_where_it_says(name: str) -> None:
    made, least, most, said = RANGES[name]
    with tracing():
        made(least)
        made(most)
    beyond = [most + 1] if name not in OPEN else []
    beyond += [least - 1] if least > 1 or name not in NO_WORD else []
    for number in beyond:
        with tracing(), pytest.raises(DefinitionError, match=said):
            made(number)


def test_sizes_of_tables() -> None:
    """Powers of two from 2 to 65536."""
    with tracing():
        assert [Table([0] * size, 8).data.index_width for size in (2, 4, 1 << 16)] == [1, 2, 16]
        for size in (0, 1, 3, 6, 1 << 17):
            with pytest.raises(DefinitionError, match=f"a table of {size} entries; accepted: a power of two"):
                Table([0] * size, 8)


def test_whole_bytes() -> None:
    with tracing():
        assert [len(word(bits).bytes()) for bits in (8, 16, 64)] == [1, 2, 8]
        for bits in (4, 12, 60):
            with pytest.raises(DefinitionError, match=f"a word of {bits} bits has no whole number of bytes"):
                word(bits).bytes()
