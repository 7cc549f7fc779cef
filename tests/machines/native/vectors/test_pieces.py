"""Blocks whose words are no power of two, from memory into vectors and back: what lies where, and as C."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.errors import ScheduleError
from finalist.language import BIG, LITTLE, rol, rounds, u32, u64, words
from finalist.machines.native.vectors.pieces import parts
from finalist.machines.native.vectors.spread import simulate
from finalist.toolchain import compiler
from tests.language.toy import toy
from tests.marks import needs_compiler

SHAPES = [
    (count, bits // lane_bits, lane_bits)
    for count in (3, 5, 6, 7, 12, 25)
    for bits in (128, 256, 512)
    for lane_bits in (32, 64)
]


@pytest.mark.parametrize(("count", "lanes", "lane_bits"), SHAPES)
def test_each_word_of_block_k_comes_to_lane_k(count: int, lanes: int, lane_bits: int) -> None:
    found = []
    for part in parts(count, lanes, lane_bits):
        pieces = [
            [(block, word) for block in blocks for word in part.of(range(count))] for blocks in part.vectors()
        ]
        numbers = [[vector * lanes + lane for lane in range(lanes)] for vector in range(part.words)]
        split = simulate(part.network.split, numbers)
        found += [[pieces[n // lanes][n % lanes] for n in vector] for vector in split]
        assert simulate(part.network.merge, split) == numbers
    assert found == [[(block, word) for block in range(lanes)] for word in range(count)]


def test_pieces_are_what_vector_units_read_at_once() -> None:
    """Halves of vectors of 512 bits as long as there are so many words, then quarters, then single words."""
    assert [part.words for part in parts(25, 8, 64)] == [4, 4, 4, 4, 4, 4, 1]
    assert [part.words for part in parts(15, 16, 32)] == [8, 4, 1, 1, 1]
    assert [part.words for part in parts(7, 4, 64)] == [2, 2, 2, 1]
    assert [part.words for part in parts(3, 4, 32)] == [1, 1, 1]


def cipher(block: Any) -> Any:
    def mix(state: Any, keys: Any) -> Any:
        made = list(state)
        for _ in rounds(0, 2):
            made = [rol(x, 3) + y for x, y in zip(made, made[1:] + made[:1], strict=True)]
            made[0] = made[0] ^ keys[0].extend(block.width)
        return made

    return toy(mix, lambda key: [key[0]], block)


@pytest.mark.parametrize(
    ("block", "width"),
    [
        (words(3, u32, BIG), 128),
        (words(12, u32, LITTLE), 256),
        (words(12, u32, BIG), 512),
        (words(5, u64, LITTLE), 512),
        (words(25, u64, BIG), 256),
        (words(25, u64, LITTLE), 512),
    ],
    ids=str,
)
@needs_compiler
def test_messages_of_any_number_of_blocks(block: Any, width: int) -> None:
    """Two vectors side by side, one, and what fills none."""
    if width > compiler.vector_bits():
        pytest.skip("this CPU has no such vectors")
    lanes = width // block.width
    program: Any = compile_cipher(cipher(block), "native", width=width, blocks=2 * lanes)
    plain: Any = compile_cipher(cipher(block), "native", width=1, blocks=1)
    key, data = bytes(range(16)), bytes(k * 89 >> 3 & 255 for k in range((3 * lanes + 1) * block.bytes))
    assert program.run(key, data).output == plain.run(key, data).output


def test_planes_take_powers_of_two() -> None:
    with pytest.raises(ScheduleError, match="its block is 12 words, not a power of two; accepted: planes=1"):
        compile_cipher("xoodoo", "native", width=128, planes=8)
