"""Arrays of words of the block, on lanes: every width of lane, copies, loops, no address, refusals."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import finalist
from finalist.errors import ScheduleError
from finalist.language import LITTLE, Array, Cipher, rounds, u8, u32, u64, words
from finalist.machines.native.machine import MACHINE
from finalist.machines.native.run import NativeProgram
from finalist.schedule import Schedule
from tests.marks import needs_compiler

QUICK = ("-O0", "-march=native")
TURNS, COUNT = 4, 4


class Scattered(Cipher):
    """Words added to words at places that the key chooses, in an array that begins as constants."""

    key_bits = (128,)
    key_words = words(16, u8)

    def expand_key(self, key: Any) -> Any:
        return Array.holding(key)

    def scattered(self, block: Any, key: Any, turns: Any) -> list[Any]:
        b, c = Array.holding(block), Array(COUNT, block[0].width, [1, 2, 3, 4])
        for r in turns:
            for i in range(COUNT):
                place = key[COUNT * r + i]
                b[i] = b[i] + (b[place] ^ c[i])
                c[place] = c[place] ^ b[(i + 1) % COUNT]
        return [b[i] ^ c[i] for i in range(COUNT)]

    def encrypt(self, block: Any, key: Any) -> Any:
        return self.scattered(block, key, rounds(TURNS))

    def decrypt(self, block: Any, key: Any) -> Any:
        return self.scattered(block, key, rounds(TURNS))


class Bytes(Scattered):
    block = words(COUNT, u8)


class Words(Scattered):
    block = words(COUNT, u32, LITTLE)


class LongWords(Scattered):
    block = words(COUNT, u64, LITTLE)


class OfTheBlock(Words):
    """The places are the block's own."""

    def encrypt(self, block: Any, key: Any) -> Any:
        b = Array.holding(block)
        b[block[0]] = block[1]
        return list(b)


class ReadByTheBlock(Words):
    """Only a read is at the block's own place."""

    def encrypt(self, block: Any, key: Any) -> Any:
        b = Array.holding(block)
        b[key[0]] = block[1]
        return [b[block[0]], *block[1:]]


def program(cipher: type[Cipher], **choices: Any) -> NativeProgram:
    made = MACHINE.compile(cipher, operation="encrypt", key_bits=128, schedule=Schedule(**choices))
    made.flags = QUICK
    return made


SCHEDULES = [
    (Bytes, {"word": 8, "width": 128}),
    (Bytes, {"word": 8, "width": 256, "blocks": 64, "skew": 3}),
    (Words, {"width": 256, "blocks": 16, "rounds": "loop"}),
    (Words, {"width": 128, "blocks": 4, "rounds": "unroll"}),
    (LongWords, {"width": 256, "blocks": 4}),
    (Words, {"width": 1, "blocks": 3, "skew": 2}),
    (Words, {"width": 1, "blocks": 2, "rounds": "loop"}),
]


@needs_compiler
@pytest.mark.parametrize(("cipher", "choices"), SCHEDULES, ids=str)
@pytest.mark.every(2)
def test_as_the_interpreter(cipher: type[Cipher], choices: dict[str, Any]) -> None:
    """None, one, whole kernels of blocks and one more or less; in place, at offsets."""
    made, key = program(cipher, **choices), bytes((7 * i + 2) % 5 for i in range(16))
    blocks, size = made.shape.blocks, made.block_bytes
    whole = bytes(i * 7 % 251 for i in range(size * (2 * blocks + 1)))
    right = finalist.compile(cipher, "interpreter", "encrypt", 128).run(key, whole).output
    for count, offset in product((0, 1, blocks - 1, blocks, 2 * blocks + 1), (0, 3)):
        data = whole[: count * size]
        assert made.run(key, data).output == right[: len(data)]
        assert made.crypt_in_place(key, data, offset) == right[: len(data)]


@needs_compiler
def test_without_an_address() -> None:
    """With `constant-time` all of an array is gone through, and the label says what was done."""
    plain = program(Words, width=256)
    hidden = program(Words, width=256, constant_time=True, lookup="permute", word=8)
    assert (plain.timing, hidden.timing) == ("table lookups", "constant-time")
    assert "vec_array_write(" in hidden.text and "vec_array" not in plain.text
    key, data = bytes(range(16)), bytes(range(64))
    assert hidden.run(key, data).output == plain.run(key, data).output


@pytest.mark.parametrize(
    ("cipher", "reason"),
    [
        (OfTheBlock, "a write of an array of the block, at its places, has no form on vectors"),
        (ReadByTheBlock, "a read of an array of the block, at its places, has no form on vectors"),
    ],
)
def test_refused(cipher: type[Cipher], reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason):
        program(cipher, width=256)


class OverwritesTheKey(Words):
    """Words of 32 bits on lanes of bytes, put where the key's are."""

    key_words = words(4, u32, LITTLE)

    def encrypt(self, block: Any, key: Any) -> Any:
        key[key[0]] = block[0]
        return [key[block[i][0:2]] for i in range(COUNT)]


def test_a_wide_array_of_the_key_is_not_overwritten_on_bytes() -> None:
    with pytest.raises(ScheduleError, match="an array of 32-bit entries is given and overwritten"):
        program(OverwritesTheKey, width=256, word=8)
