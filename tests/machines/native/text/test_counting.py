"""Counters in memory: those of all blocks, whichever of their bytes change."""

from __future__ import annotations

import ctypes
import random

import pytest

from finalist.machines.native.text import counting, prelude
from finalist.toolchain import compiler
from tests.marks import needs_compiler

MOST = 1024
CALL = """
void count(uint8_t *stream, size_t now, uint8_t *counter);
void count(uint8_t *stream, size_t now, uint8_t *counter)
{{
    uint64_t low = low_of(counter, {size});
{written}    set_low(counter, {size}, low);
}}
"""
HEAD = """\
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t load64be(const uint8_t *p)
{
    uint64_t x = 0;
    for (int i = 0; i < 8; i++)
        x = x << 8 | p[i];
    return x;
}
static inline void store64be(uint8_t *p, uint64_t x)
{
    for (int i = 8; i--; x >>= 8)
        p[i] = (uint8_t)x;
}
"""


def counted(size: int, start: int, count: int, most: int) -> tuple[list[int], int]:
    """The counters that C writes for ``count`` blocks of ``size`` bytes, and the one that it goes on with."""
    made = CALL.format(size=size, written=counting.written(size, most))
    text = f"{HEAD}{prelude.COUNTING}{counting.helper(size, most)}{made}"
    library = compiler.load_shared_library(text, name="counting")
    stream, counter = ctypes.create_string_buffer(count * size + 64), ctypes.create_string_buffer(size)
    counter.raw = start.to_bytes(size, "big")
    library.count(stream, ctypes.c_size_t(count * size), counter)
    assert not any(stream.raw[count * size :]), "nothing is written behind them"
    blocks = [stream.raw[size * n : size * (n + 1)] for n in range(count)]
    return [int.from_bytes(block, "big") for block in blocks], int.from_bytes(counter.raw, "big")


@needs_compiler
@pytest.mark.parametrize("most", [MOST, 64])
@pytest.mark.parametrize("size", [8, 16, 32])
def test_every_block_has_the_next_number(size: int, most: int) -> None:
    """Over the ends of a byte, of eight bytes and of all; from vectors and in part of one."""
    source = random.Random(size)
    starts = [0, 1, 255, 256, (1 << 32) - 3, (1 << 64) - 1, (1 << 64) - 130, (1 << 8 * size) - 70]
    for start in (*starts, source.getrandbits(8 * size)):
        for count in (0, 1, 2, 7, 8, 9, 63, 64, 65, 130, 300):
            first = start % (1 << 8 * size)
            expected = [(first + n) % (1 << 8 * size) for n in range(count + 1)]
            assert counted(size, first, count, most) == (expected[:-1], expected[-1])


def test_few_and_odd_blocks_are_counted_one_by_one() -> None:
    assert counting.helper(16, 64) == counting.helper(12, MOST) == ""
    assert "write_counters" not in counting.written(12, MOST)
    assert "write_counters" in counting.written(16, MOST) and "write_counters" in counting.helper(16, MOST)
