"""Kernels of several blocks of a stream cipher, each of which waits for the one before."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.language import Array, StreamCipher, u8, u16, u32, words
from finalist.machines.native.memory import Buffer
from finalist.machines.native.shape import Shape
from finalist.measure.bench import match
from finalist.schedule import parse_schedule
from finalist.vectors.load import vectors_of
from tests.machines.native.buffers import UNTOUCHED
from tests.marks import needs_compiler

KEY = bytes(range(1, 17))


def made(name: Any, *choices: str, operation: str = "encrypt") -> Any:
    return compile_cipher(name, "native", operation, 128, parse_schedule(choices))


def expected(name: Any, data: bytes) -> bytes:
    output: bytes = compile_cipher(name, "interpreter", "encrypt", 128).run(KEY, data).output
    return output


@needs_compiler
@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 7, 8, 16, 20])
def test_messages_of_all_lengths_around_a_chain(blocks: int) -> None:
    program, data = made("rc4", f"blocks={blocks}"), bytes(range(100, 200))
    stream = expected("rc4", data)
    for length in {0, 1, blocks - 1, blocks, blocks + 1, 2 * blocks, 3 * blocks + 1, 100}:
        assert program.crypt(program.expand(KEY), data[:length]) == stream[:length], length


@needs_compiler
@pytest.mark.parametrize("blocks", [1, 4, 8])
def test_the_state_is_handed_on_from_call_to_call(blocks: int) -> None:
    program, data = made("rc4", f"blocks={blocks}"), bytes(range(100))
    key, parts, rest = program.expand(KEY), b"", data
    for length in (0, 1, 7, 8, 9, 16, 0, 17, 42):
        parts, rest = parts + program.crypt(key, rest[:length]), rest[length:]
    assert not rest and parts == expected("rc4", data)


@needs_compiler
@pytest.mark.parametrize(("at", "to"), [(0, 0), (1, 1), (3, 5), (7, 0), (8, 1)])
def test_at_any_place_and_in_place(at: int, to: int) -> None:
    """Nothing is written behind the message."""
    program, data = made("rc4", "blocks=8"), bytes(range(43))
    stream = expected("rc4", data)
    source, target = Buffer(at + len(data)), Buffer(to + len(data) + len(UNTOUCHED))
    source.write(bytes(at) + data)
    target.write(bytes(to + len(data)) + UNTOUCHED)
    program.crypt_at(program.expand(KEY), source.address + at, target.address + to, len(data))
    assert target.read()[to:] == stream + UNTOUCHED
    program.crypt_at(program.expand(KEY), source.address + at, source.address + at, len(data))
    assert source.read()[at:] == stream


class Pairs(StreamCipher):
    """A stream whose blocks are two words, and of which an entry is written where the key says."""

    key_bits = (128,)

    def expand_key(self, key: Any) -> Any:
        bits = self.block.width
        return {"s": Array.holding([(word + 5).extend(32)[:bits] for word in (key * 2)[:8]])}

    def key_stream(self, state: Any) -> list[Any]:
        s = state["s"]
        place = s[0] & 7
        low, high = s[place], s[7]
        s[place], s[0] = high + 3, low ^ s[1] + 1
        return [low + s[2], high ^ s[0]]


class Bytes(Pairs):
    block = words(2, u8)


class Halves(Pairs):
    block = words(2, u16)


class Words(Pairs):
    block = words(2, u32)


@needs_compiler
@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("definition", [Bytes, Halves, Words])
def test_blocks_of_all_words(definition: type[StreamCipher], blocks: int) -> None:
    program, size = made(definition, f"blocks={blocks}"), definition.block.bytes
    data = bytes(range(13 * size))
    for count in (0, 1, blocks, 13):
        output = program.crypt(program.expand(KEY), data[: count * size])
        assert output == expected(definition, data)[: count * size], count


@pytest.mark.parametrize(("definition", "blocks"), [("rc4", 8), (Bytes, 4), (Halves, 2), (Words, 1)])
def test_by_default_blocks_fill_a_word_of_memory(definition: Any, blocks: int) -> None:
    assert made(definition).schedule.blocks == blocks


def test_kernels_are_of_a_chain_and_of_a_block() -> None:
    """The rest of a message is less than a chain."""
    shape = Shape(1, 1, 8, chain=8)
    assert [kernel.blocks for kernel in shape.kernels] == [8, 1] and shape.scalar
    assert [kernel.blocks for kernel in Shape(1, 1, 8).kernels] == [1]


def test_a_block_alone_is_done_before_registers_are_saved() -> None:
    text = made("rc4", "blocks=8").text
    driver = text[
        text.index("void rc4_encrypt(rc4_key *k, const uint8_t *in, uint8_t *out, size_t blocks)\n{") :
    ]
    assert "rc4_encrypt_8(" not in driver and "rc4_encrypt_1(k, in, out)" in driver
    assert "rc4_encrypt_many" not in made("rc4", "blocks=1").text


@needs_compiler
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_the_vectors_are_answered_by_all_chains(operation: str) -> None:
    for blocks in (1, 5, 8):
        match(made("rc4", f"blocks={blocks}", operation=operation), vectors_of(cipher("rc4")), ["ecb"])


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        (["width=128"], "width=128 is not legal for rc4: state that each block hands on to the next"),
        (["planes=8"], "planes=8 is not legal for rc4: it has state that each block hands on to the next"),
        (["blocks=8", "skew=2"], "skew=2: one block .* has nothing to lag behind"),
        (["blocks=5000"], "blocks=5000: accepted is 1 to 4096"),
    ],
)
def test_what_is_side_by_side_is_refused(choices: list[str], reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason):
        made("rc4", *choices)


@needs_compiler
@pytest.mark.parametrize("blocks", [1, 8])
def test_scanned_arrays_too(blocks: int) -> None:
    """Nothing of a chain needs addresses that depend on secrets."""
    program, data = made("rc4", f"blocks={blocks}", "lookup=scan"), bytes(range(37))
    assert program.timing == "constant-time"
    assert program.run(KEY, data).output == expected("rc4", data)
