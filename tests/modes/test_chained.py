"""Cipher and output feedback: segments of every size, parts of them, short and long messages."""

from __future__ import annotations

import itertools

import pytest

import finalist
from finalist import MODE_CBC, MODE_CFB, MODE_ECB, MODE_OFB
from finalist.machines.interpreter.modes import cipher_fed, output_fed
from tests.marks import needs_compiler
from tests.modes.common import IV, KEY, encrypted, served

__all__ = ["served"]  # a fixture

DATA = bytes(i * i % 251 for i in range(1500))


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    """The data in parts of these sizes, again and again."""
    parts: list[bytes] = []
    for size in itertools.cycle(sizes):
        if not data:
            return parts
        parts.append(data[:size])
        data = data[size:]
    return parts


@pytest.mark.usefixtures("served")
class TestSegments:
    @pytest.mark.parametrize("bits", [8, 24, 64, 120, 128])
    @pytest.mark.parametrize("sizes", [[1000], [1], [16], [15, 33], [3, 0, 7]])
    @pytest.mark.every(3)
    def test_cipher_feedback(self, bits: int, sizes: list[int]) -> None:
        data = DATA[:90]
        secret, _ = cipher_fed(encrypted, IV, data, bits)
        there, back = (finalist.new("rc6", KEY, MODE_CFB, iv=IV, segment_size=bits) for _ in range(2))
        assert b"".join(map(there.encrypt, cut(data, sizes))) == secret
        assert b"".join(map(back.decrypt, cut(secret, sizes))) == data
        assert (there.iv, there.segment_size) == (IV, bits)

    @pytest.mark.parametrize("sizes", [[1000], [1], [16], [15, 33], [3, 0, 7]])
    def test_output_feedback(self, sizes: list[int]) -> None:
        data = DATA[:90]
        secret, _ = output_fed(encrypted, IV, data)
        there, back = (finalist.new("rc6", KEY, MODE_OFB, iv=IV) for _ in range(2))
        assert b"".join(map(there.encrypt, cut(data, sizes))) == secret
        assert b"".join(map(back.decrypt, cut(secret, sizes))) == data

    @pytest.mark.parametrize("mode", [MODE_CFB, MODE_OFB])
    def test_parts_in_place(self, mode: int) -> None:
        memory = bytearray(DATA[:60])
        expected = finalist.new("rc6", KEY, mode, iv=IV).encrypt(bytes(memory))
        made = finalist.new("rc6", KEY, mode, iv=IV)
        for start, stop in ((0, 5), (5, 30), (30, 60)):
            view = memoryview(memory)[start:stop]
            made.encrypt(view, output=view)
        assert memory == expected

    def test_short_blocks(self) -> None:
        key, data = bytes(range(8)), DATA[:61]
        one = finalist.new("des", key, MODE_ECB)
        for bits in (40, 64):
            secret, _ = cipher_fed(one.encrypt, bytes(8), data, bits)
            made = finalist.new("des", key, MODE_CFB, iv=bytes(8), segment_size=bits)
            assert made.encrypt(data) == secret


@needs_compiler
class TestLongMessages:
    """By programs of many blocks, where there are."""

    @pytest.mark.parametrize("bits", [8, 40, 128])
    @pytest.mark.every(3)
    def test_cipher_feedback(self, bits: int) -> None:
        secret, _ = cipher_fed(encrypted, IV, DATA, bits)
        made = finalist.new("rc6", KEY, MODE_CFB, iv=IV, segment_size=bits)
        assert b"".join(map(made.decrypt, cut(secret, [1000, 17, 300]))) == DATA
        assert finalist.new("rc6", KEY, MODE_CFB, iv=IV, segment_size=bits).encrypt(DATA) == secret


@pytest.mark.parametrize("mode", [MODE_CBC, MODE_CFB, MODE_OFB])
def test_a_random_start(mode: int) -> None:
    first, second = (finalist.new("rc6", KEY, mode) for _ in range(2))
    assert len(first.iv) == 16 and first.iv != second.iv and first.IV == first.iv  # type: ignore[attr-defined]
