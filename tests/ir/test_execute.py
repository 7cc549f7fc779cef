"""Programs from memory to memory: words of each width in each order, one key or many."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.execute import interpret, merge, split
from finalist.ir.program import ByteOrder, Layout
from finalist.language.definition import trace
from finalist.passes.counters import counted
from tests.graphs import bytes_for, random_program

LITTLE, BIG = ByteOrder.LITTLE, ByteOrder.BIG


@pytest.mark.parametrize("order", ByteOrder)
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 16])
def test_split_against_python(count: int, width: int, order: ByteOrder) -> None:
    layout = Layout(count, width, order)
    data = np.random.default_rng(count).integers(0, 256, (7, layout.bytes), np.uint8)
    words = split(layout, data)
    step = width // 8
    for row in range(7):
        for k in range(count):
            part = data[row, k * step : (k + 1) * step].tobytes()
            assert int(words[k][row]) == int.from_bytes(part, order.value)
    assert np.array_equal(merge(layout, words, 7), data)


def test_words_come_in_the_machine_s_own_order() -> None:
    """Arithmetic on big-endian NumPy arrays is right but slow, and mixes up dtypes."""
    for word in split(Layout(2, 32, BIG), np.zeros((1, 8), np.uint8)):
        assert word.dtype.isnative


def test_split_of_memory_with_gaps() -> None:
    data = np.arange(64, dtype=np.uint8).reshape(4, 16)[:, ::2]
    assert split(Layout(2, 32, LITTLE), data)[0][0] == int.from_bytes(bytes([0, 2, 4, 6]), "little")


def test_merge_of_one_value_for_all_rows() -> None:
    merged = merge(Layout(2, 16, BIG), [np.uint16(0x0102), np.array([3, 4], "u2")], 2)
    assert merged.tolist() == [[1, 2, 0, 3], [1, 2, 0, 4]]


def test_one_key_for_all_blocks_or_one_for_each() -> None:
    for seed in range(30):
        program = random_program(seed)
        keys, data = bytes_for(program, 4, seed)
        shared = interpret(program, keys[:1], data)
        assert np.array_equal(shared, interpret(program, np.repeat(keys[:1], 4, axis=0), data))
        each = [interpret(program, keys[k : k + 1], data[k : k + 1]) for k in range(4)]
        assert np.array_equal(interpret(program, keys, data), np.concatenate(each))


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize(("name", "bits"), [("chacha20", 384), ("salsa20", 256)])
def test_a_message_by_the_numbers_of_its_blocks(name: str, bits: int, rows: int) -> None:
    """Under one key, or one for each message, with counters that carry."""
    program = trace(cipher(name), "encrypt", bits)
    data = np.random.default_rng(1).integers(0, 256, (rows, 3 * program.block.bytes), np.uint8)
    keys = np.full((rows, bits // 8), 0xFF, np.uint8)
    keys[:, 0] = range(rows)
    wanted = interpret(program, keys, data)
    assert np.array_equal(interpret(counted(program), keys, data), wanted)
    assert not np.array_equal(wanted, data)
