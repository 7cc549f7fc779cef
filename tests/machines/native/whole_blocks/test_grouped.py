"""Counter mode whose first round is looked up: where it begins and ends, carries, and who has none."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

import finalist
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text.drivers import _LONG
from finalist.machines.native.whole_blocks import matched
from finalist.machines.native.whole_blocks.grouped import GROUP
from tests.machines.native.whole_blocks.test_matched import WIDTHS, compiled, needs_instructions
from tests.passes.matching.aes import Columns

SIZE = 16


def counting(width: int, definition: Any = "rijndael", **choices: Any) -> NativeProgram:
    asked = {"blocks": 4 * width // 128, "rounds": "unroll"} | choices
    return compiled(definition, width=width, **asked).in_modes("ctr")


def stream(definition: Any, key: bytes, start: int, count: int) -> bytes:
    """Counters encrypted block by block, by a program of single blocks."""
    single = finalist.compile(definition, "native", key_bits=8 * len(key), blocks=1)
    numbers = ((start + k) % 2**128 for k in range(count))
    return bytes(single.run(key, b"".join(n.to_bytes(SIZE, "big") for n in numbers)).output)


def checked(program: NativeProgram, definition: Any, key: bytes, start: int, size: int, at: int = 0) -> None:
    """One message, in place at this offset from an aligned address, against the stream; and the counter."""
    data = bytes(k * 7 % 256 for k in range(size))
    right = bytes(a ^ b for a, b in zip(data, stream(definition, key, start, -(-size // SIZE)), strict=False))
    counter = ctypes.create_string_buffer(start.to_bytes(SIZE, "big"), SIZE)
    memory = ctypes.create_string_buffer(bytes(at) + data, at + size + 1)
    place, expanded = ctypes.addressof(memory) + at, program.expand(key)
    program.function("ctr")(expanded.address, counter, place, place, size)
    assert memory.raw[at : at + size] == right and memory.raw[at + size :] == bytes(1)
    assert int.from_bytes(counter.raw, "big") == (start + -(-size // SIZE)) % 2**128


@needs_instructions
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "start", [0, 1, GROUP - 1, GROUP, 2**64 - 3 * GROUP + 5, 2**128 - GROUP - 7], ids=hex
)
def test_counters_pass_groups_and_words(width: int, start: int) -> None:
    program, key = counting(width), bytes(range(SIZE))
    for size in (_LONG - 1, _LONG, _LONG + 1, _LONG + GROUP * SIZE - 1, _LONG + 3 * GROUP * SIZE + 17):
        checked(program, "rijndael", key, start, size)


@needs_instructions
@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("definition", ["rijndael", Columns], ids=["rijndael", "columns"])
@pytest.mark.every(2)
def test_any_key_definition_and_place(definition: Any, bits: int) -> None:
    program = counting(WIDTHS[-1], definition, key_bits=bits)
    assert "_rest_" in program.text
    checked(program, definition, bytes(range(7, 7 + bits // 8)), 2**40 + 77, _LONG + 12345, at=3)


@needs_instructions
@pytest.mark.parametrize(
    ("choices", "has"),
    [
        ({}, True),
        ({"rounds": 2}, False),
        ({"blocks": 3}, False),
        ({"blocks": 1}, False),
        ({"blocks": 2}, True),
    ],
    ids=str,
)
def test_who_has_it(choices: dict[str, Any], has: bool) -> None:
    """Rounds written out, in calls of several vectors that a group is a whole number of."""
    text = counting(128, **choices).text
    assert ("rijndael_ctr_rest_" in text) == ("rijndael_ctr_table(" in text) == has


@needs_instructions
def test_other_modes_have_none() -> None:
    program = compiled("rijndael", width=128, blocks=4, rounds="unroll")
    for mode in ("ecb", "cfb"):
        assert "_table(" not in program.in_modes(mode).text


def test_instructions_are_there_or_said_to_be_missing() -> None:
    assert bool(WIDTHS) == matched.available(128)
