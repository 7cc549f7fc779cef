"""The shuffle network for every shape: blocks in memory to a word of every block in each vector, and back."""

from __future__ import annotations

import pytest

from finalist.machines.native.vectors.spread import network, simulate

SHAPES = [
    (words, bits // lane_bits, lane_bits)
    for words in (1, 2, 4, 8, 16)
    for bits in (128, 256, 512)
    for lane_bits in (32, 64)
]


def in_memory(words: int, lanes: int) -> list[list[int]]:
    """``lanes`` blocks one after the other, cut into vectors: element ``words * block + word``."""
    return [list(range(k * lanes, (k + 1) * lanes)) for k in range(words)]


@pytest.mark.parametrize(("words", "lanes", "lane_bits"), SHAPES)
def test_split_brings_each_word_of_all_blocks_together(words: int, lanes: int, lane_bits: int) -> None:
    split = simulate(network(words, lanes, lane_bits).split, in_memory(words, lanes))
    for number, vector in enumerate(split):
        assert [element % words for element in vector] == [number] * lanes
    # In every vector the same block is in the same lane: that is all that the kernel needs.
    blocks = [[element // words for element in vector] for vector in split]
    assert blocks == [blocks[0]] * words
    assert sorted(blocks[0]) == list(range(lanes))


@pytest.mark.parametrize(("words", "lanes", "lane_bits"), SHAPES)
def test_merge_is_the_way_back(words: int, lanes: int, lane_bits: int) -> None:
    made = network(words, lanes, lane_bits)
    memory = in_memory(words, lanes)
    assert simulate(made.merge, simulate(made.split, memory)) == memory


@pytest.mark.parametrize(("words", "lanes", "lane_bits"), SHAPES)
def test_shuffles_take_what_there_is(words: int, lanes: int, lane_bits: int) -> None:
    made = network(words, lanes, lane_bits)
    assert len(made.split) == len(made.merge) == words.bit_length() - 1
    for step in (*made.split, *made.merge):
        assert len(step) == words
        for a, b, kept in step:
            assert {a, b} <= set(range(words))
            assert len(kept) == lanes
            assert set(kept) <= set(range(2 * lanes))


def test_four_words_of_32_bits_stay_within_128_bits() -> None:
    """There a shuffle is one instruction on every vector unit."""
    for step in network(4, 16, 32).split:
        for _, _, kept in step:
            for lane, source in enumerate(kept):
                assert source % 16 // 4 == lane // 4
