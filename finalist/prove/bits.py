"""Words as the bits of a store, lowest first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from finalist.prove.store import FALSE, TRUE

#: A word that is not known, lowest bit first.
Bits = tuple[int, ...]
Word = int | Bits
#: Of a sum: by word and the place of its lowest bit how often it counts, an odd number.
Terms = dict[tuple[Bits, int], int]


def bits_of(word: Word, width: int) -> Bits:
    """The lowest bits of a word, with zeros above."""
    if isinstance(word, int):
        return _digits(word, width)
    return word[:width] if len(word) >= width else word + (FALSE,) * (width - len(word))


@lru_cache(maxsize=1 << 16)
def _digits(number: int, width: int) -> Bits:
    return tuple([number >> k & 1 for k in range(width)])


def known(word: Word) -> Word:
    """The same word, as a number if all its bits are known."""
    if isinstance(word, int) or max(word, default=0) > TRUE:
        return word
    return sum(bit << k for k, bit in enumerate(word))


def unknown_bits(word: Bits) -> int:
    """How many bits of a word are not known."""
    return sum(bit > TRUE for bit in word)


def chosen(bits: Bits, constant: Bits, where: int) -> Bits:
    """The bits of a word where a constant has the bit ``where``, elsewhere the constant's: for 1 their AND,
    for 0 their OR."""
    return tuple([bit if other == where else other for bit, other in zip(bits, constant, strict=True)])


def complement(bits: Iterable[int]) -> Bits:
    """The complement of a word."""
    return tuple(bit ^ 1 for bit in bits)


def signed(times: int, bits: int) -> int:
    """A count modulo a power of two as the number nearest to 0."""
    return times - (1 << bits) if times >> bits - 1 & 1 and times != 1 else times


def stripped(bits: tuple[int, ...]) -> tuple[int, ...]:
    """Without the zeros above."""
    end = len(bits)
    while end and bits[end - 1] == FALSE:
        end -= 1
    return bits[:end]


def greatest(word: tuple[int, ...]) -> int:
    """The greatest that a word can be."""
    return sum(1 << k for k, bit in enumerate(word) if bit != FALSE)
