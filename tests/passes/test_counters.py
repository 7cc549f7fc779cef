"""States that are counters: what is one, what is none and why, and blocks by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir import interpreter
from finalist.ir.program import Program
from finalist.ir.verify import verify
from finalist.language import LITTLE, Array, Cipher, StreamCipher, join, rol, u8, u16, u32, u64, words
from finalist.language.definition import trace
from finalist.machines.native.memory import Buffer
from finalist.passes.counters import counted, obstacle
from finalist.schedule import parsed
from finalist.toolchain import compiler
from tests.marks import needs_compiler


class Two(StreamCipher):
    """Two counters, one wider than the block's words; their array also has a word that stays."""

    block = words(4, u32, LITTLE)
    key_bits = (160,)
    key_words = words(5, u32, LITTLE)

    def expand_key(self, key: list[Any]) -> Any:
        wide = [join(key[0], key[1]), join(key[2], key[3])]
        return {"wide": Array.holding(wide), "narrow": Array.holding([key[4]])}

    def key_stream(self, state: Any) -> list[Any]:
        wide, stays, narrow = state["wide"][0], state["wide"][1], state["narrow"][0]
        state["wide"][0] = wide + 3
        state["narrow"][0] = narrow - 2
        mixed = rol(wide, 7) + stays
        return [mixed[0:32], mixed[32:64] ^ narrow, wide[0:32], rol(narrow, 3) + wide[32:64]]


class Toy(StreamCipher):
    """What the others below change one thing of."""

    block = words(1, u32, LITTLE)
    key_bits = (64,)
    key_words = words(2, u32, LITTLE)

    def expand_key(self, key: list[Any]) -> Any:
        return {"state": Array.holding(key)}

    def key_stream(self, state: Any) -> list[Any]:
        state["state"][0] = state["state"][0] + 1
        return [state["state"][1]]


class Doubles(Toy):
    def key_stream(self, state: Any) -> list[Any]:
        state["state"][0] = state["state"][0] * 2
        return [state["state"][1]]


class ByAnother(Toy):
    def key_stream(self, state: Any) -> list[Any]:
        state["state"][0] = state["state"][0] + state["state"][1]
        return [state["state"][1]]


class AnyPlace(Toy):
    def key_stream(self, state: Any) -> list[Any]:
        state["state"][0] = state["state"][0] + 1
        return [state["state"][state["state"][1]]]


class Bytes(Toy):
    block = words(1, u8, LITTLE)

    def key_stream(self, state: Any) -> list[Any]:
        state["state"][0] = state["state"][0] + 1
        return [state["state"][1][0:8]]


class Fed(Toy):
    def encrypt(self, block: list[Any], keys: Any) -> Any:
        return [block[0] + self.key_stream(keys)[0]]


REFUSED = [
    (Doubles, "entry 0 of 'state_a0' does not go on by a constant"),
    (ByAnother, "entry 0 of 'state_a0' does not go on by a constant"),
    (AnyPlace, "'state_a0' is read where data say, or after it went on"),
    (Bytes, "words of 8 bits can't number blocks"),
    (Fed, "a word of the message is more than XORed to the key stream"),
]


def traced(definition: type[Cipher]) -> Program:
    return trace(definition, "encrypt", definition.key_bits[0])


@pytest.mark.parametrize(("definition", "reason"), REFUSED, ids=[d.__name__ for d, _ in REFUSED])
def test_what_is_no_counter_says_why(definition: type[Cipher], reason: str) -> None:
    program = traced(definition)
    assert reason in obstacle(program)
    assert counted(program) is program


def test_a_state_that_data_move_is_none() -> None:
    assert "'S_a0' is written at places that depend on data" in obstacle(trace(cipher("rc4"), "encrypt", 128))


def test_what_is_no_stream_stays_as_it_is() -> None:
    program = trace(cipher("rc6"), "encrypt", 128)
    assert counted(program) is program
    assert not program.counters


def test_what_a_counter_is() -> None:
    program = counted(traced(Two))
    verify(program.kernel)
    verify(program.expand)
    assert program.stateful
    assert [param.width for param in program.key_params if param.attr == "counter"] == [32, 32, 32]
    told = {counter.bits: (len(counter.arrays), counter.entry, counter.step) for counter in program.counters}
    assert told == {64: (2, 0, 3), 32: (1, 0, 2**32 - 2)}


def test_a_block_by_its_number() -> None:
    """The kernel's results for block n are the stream of the state n steps later."""
    program, before = counted(traced(Two)), traced(Two)
    key = [np.array([v], np.uint64) for v in (0xFFFF_FFF0, 0xFFFF_FFFF, 1, 2, 1)]
    arrays = interpreter.run(before.expand, key)
    now = interpreter.run(program.expand, key)
    zero = [np.array([0], np.uint64)] * 4
    for number in range(9):
        *stream, wide, narrow = interpreter.run(before.kernel, [*zero, *arrays])
        found = interpreter.run(program.kernel, [np.array([number], np.uint64), *zero[1:], *now])
        assert [int(word[0]) for word in found] == [int(word[0]) for word in stream]
        arrays = [wide, narrow]


WIDTHS = ("blocks=1 width=1", "blocks=3 width=1", "blocks=4 width=128", "blocks=8 width=128 skew=2")


def _agree(definition: type[Cipher], choices: str, keys: Sequence[bytes]) -> None:
    bits = definition.key_bits[-1]
    reference = api.compile(definition, "interpreter", "encrypt", bits)
    program = api.compile(definition, "native", "encrypt", bits, parsed(choices))
    assert program.stateful
    blocks = program.schedule.blocks
    lanes, size = program.shape.lanes, program.block_bytes
    for key in keys:
        for count in sorted({0, 1, lanes - 1, lanes, lanes + 1, blocks, 2 * blocks + 1}):
            data = bytes(k * 7 & 0xFF for k in range(size * count))
            expected = reference.run(key, data).output
            assert program.run(key, data).output == expected
            expanded, cut = program.expand(key), size * min(count, lanes + 1)
            assert program.crypt(expanded, data[:cut]) + program.crypt(expanded, data[cut:]) == expected


@needs_compiler
@pytest.mark.parametrize("choices", WIDTHS)
def test_blocks_side_by_side(choices: str) -> None:
    keys = [bytes(range(20)), b"\xff" * 20, b"\xf0" + b"\xff" * 19]
    _agree(Two, choices, keys)


@needs_compiler
def test_in_place() -> None:
    program = api.compile(Two, "native", "encrypt", 160, blocks=8, width=128)
    key, data = b"\xff" * 20, bytes(range(16)) * 21
    expected = program.run(key, data).output
    buffer = Buffer(len(data) + 1)
    for shift in (0, 1):
        buffer.write(bytes(shift) + data)
        program.crypt_at(program.expand(key), buffer.address + shift, buffer.address + shift, 21)
        assert buffer.read()[shift : shift + len(data)] == expected


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    "choices", ["width=128", "width=256", "width=512", "blocks=32 width=512 rounds=unroll"]
)
@pytest.mark.parametrize("name", ["chacha20", "salsa20"])
def test_counters_that_wrap(name: str, choices: str) -> None:
    widest = compiler.vector_bits()
    if int(choices.partition("width=")[2].split()[0]) > widest:
        pytest.skip(f"vectors of {widest} bits here")
    key = bytes(range(32))
    _agree(cipher(name), choices, [key + bytes(16), key + b"\xff" * 16, key + b"\xf8" + b"\xff" * 15])


def test_the_refusal_of_vectors_says_why() -> None:
    with pytest.raises(
        ScheduleError, match="width=128 is not legal for doubles: state that each block hands on"
    ):
        api.compile(Doubles, "native", "encrypt", 64, width=128)
    with pytest.raises(ScheduleError, match="entry 0 of 'state_a0' does not go on by a constant"):
        api.compile(Doubles, "native", "encrypt", 64, planes=2, width=1)


class Wide(Toy):
    """Lanes of 64 bits, a counter narrower than they are."""

    block = words(2, u64, LITTLE)
    key_words = words(4, u16, LITTLE)

    def key_stream(self, state: Any) -> list[Any]:
        s = state["state"]
        count, rest = s[0], join(join(s[1], s[2]), join(s[3], s[1]))
        s[0] = count + 5
        return [rest + rol(rest, 5), rest ^ join(join(count, s[1]), join(s[2], s[3]))]


@needs_compiler
@pytest.mark.parametrize("choices", ["blocks=1 width=1", "blocks=2 width=1"])
def test_counters_narrower_than_the_blocks_words(choices: str) -> None:
    _agree(Wide, choices, [bytes(range(8)), b"\xfa" + b"\xff" * 7])
