"""Upper halves of products on lanes of 16 bits, as the instruction and without it."""

from __future__ import annotations

from typing import Any

import pytest

from finalist import api
from finalist.errors import ScheduleError
from finalist.language import LITTLE, Cipher, mulhi, u8, u16, words
from finalist.machines.native.run import NativeProgram
from tests.marks import needs_compiler


class Products(Cipher):
    """By a word of the key, of the block, and a constant."""

    block = words(4, u16, LITTLE)
    key_bits = (16,)

    def expand_key(self, key: list[Any]) -> Any:
        return key

    def encrypt(self, block: list[Any], keys: Any) -> Any:
        a, b, c, d = block
        return [a ^ mulhi(b, keys[0]), b, c ^ mulhi(b, d) ^ mulhi(d, 0xFFFD), d]

    decrypt = encrypt


class Bytes(Products):
    block = words(4, u8, LITTLE)
    key_bits = (8,)

    def encrypt(self, block: list[Any], keys: Any) -> Any:
        a, b, c, d = block
        return [a ^ mulhi(b, keys[0]), b, c, d]

    decrypt = encrypt


@needs_compiler
@pytest.mark.parametrize("flags", [(), ("-O1", "-mno-sse4.1", "-mno-avx", "-mno-avx512f", "-mno-avx2")])
@pytest.mark.parametrize("width", [128, 256])
def test_every_form(width: int, flags: tuple[str, ...]) -> None:
    program = api.compile(Products, "native", "encrypt", 16, width=width)
    assert isinstance(program, NativeProgram)
    assert program.shape.lane_bits == 16 and "vec_multiply_high(" in program.text
    if flags and width == 256:
        program.flags = flags  # no vectors of this size: lane by lane
    key = b"\xfe\xff"
    words16 = [0, 1, 2, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF, 0x1234]
    data = b"".join(w.to_bytes(2, "little") for x in words16 for y in words16 for w in (x, y, x ^ y, y))
    reference = api.compile(Products, "interpreter", "encrypt", 16)
    assert program.run(key, data).output == reference.run(key, data).output


def test_other_lanes_have_none() -> None:
    with pytest.raises(ScheduleError, match="mulhi has no form on"):
        api.compile(Bytes, "native", "encrypt", 8, width=128)
