"""Blocks in memory to one word of every block in each vector, and back, by shuffles.

A vector is a list of element numbers here, so the network is checked where it is made.
"""

from __future__ import annotations

from dataclasses import dataclass

#: One shuffle: the two vectors it takes (by position) and the elements of their concatenation it keeps.
Shuffle = tuple[int, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Network:
    """Steps of shuffles; each step turns all vectors into as many new ones.

    ``split``: from blocks as they lie in memory to words. ``merge``: the way back.
    """

    split: tuple[tuple[Shuffle, ...], ...]
    merge: tuple[tuple[Shuffle, ...], ...]


def network(words: int, lanes: int, lane_bits: int) -> Network:
    """The network for blocks of ``words`` words (a power of two), a word a lane."""
    inner = 128 // lane_bits
    # Shuffles within 128 bits are one cheap instruction; they suffice where a block fits there.
    group = inner if words <= inner <= lanes else lanes
    count = words.bit_length() - 1
    split = [_unzip(words, lanes, group)] * count
    if lane_bits < _UNZIPPED and group == inner:
        # Each step turns the bits of a place's number (vector, then element) by one, and so does its
        # inverse the other way round.
        split = [_zip(words, lanes, group)] * (group.bit_length() - 1)
    return Network(tuple(split), (_zip(words, lanes, group),) * count)


#: Bits of the narrowest elements of which vector units have an instruction that takes every second one.
_UNZIPPED = 32


def _unzip(count: int, lanes: int, group: int) -> tuple[Shuffle, ...]:
    """Even elements of each pair of vectors, then the odd ones, group by group."""
    made = []
    for odd in (0, 1):
        kept = tuple(
            side * lanes + start + k
            for start in range(0, lanes, group)
            for side in (0, 1)
            for k in range(odd, group, 2)
        )
        made += [(pair, pair + 1, kept) for pair in range(0, count, 2)]
    return tuple(made)


def _zip(count: int, lanes: int, group: int) -> tuple[Shuffle, ...]:
    """The inverse of `_unzip`."""
    made = []
    for pair in range(count // 2):
        for half in (0, group // 2):
            kept = tuple(
                side * lanes + start + half + k
                for start in range(0, lanes, group)
                for k in range(group // 2)
                for side in (0, 1)
            )
            made.append((pair, pair + count // 2, kept))
    return tuple(made)


def simulate(steps: tuple[tuple[Shuffle, ...], ...], vectors: list[list[int]]) -> list[list[int]]:
    """What the steps do to vectors of element numbers."""
    for step in steps:
        vectors = [[(vectors[a] + vectors[b])[k] for k in kept] for a, b, kept in step]
    return vectors
