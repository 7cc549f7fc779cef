"""Stream ciphers: a state in arrays that each step hands on to the next."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from finalist import compile
from finalist.errors import DataError, DefinitionError, ScheduleError
from finalist.ir.execute import interpret
from finalist.ir.verify import verify
from finalist.language import BIG, Array, StreamCipher, loop, rol, u32, when, words
from finalist.language.definition import trace
from finalist.machines.native.run import NativeProgram

KEY = bytes(range(1, 9))


class Toy(StreamCipher):
    """Two words at a time from a generator with carry, and from a table that it overwrites."""

    block = words(2, u32, BIG)
    key_bits = (64,)

    def expand_key(self, key):
        T = Array(8, 32)
        for i in loop(0, 8):
            T[i] = (key[0] ^ i) * 0x9E3779B1
        return {"state": Array.holding([key[0], key[1], key[0] ^ key[1]]), "T": T}

    def key_stream(self, keys):
        s, T = keys["state"], keys["T"]
        a, b = s[0] * 69069 + s[2], rol(s[1], 7) ^ T[s[0]]
        with when(a < b):
            s[2] = s[2] + 1
        T[b] = a
        s[0], s[1] = a, b
        return [a ^ T[3], b + T[a]]


def by_the_book(key: bytes, count: int) -> bytes:
    """The key stream of so many steps, in Python's integers."""
    mask = 2**32 - 1
    k0, k1 = (int.from_bytes(key[n : n + 4], "big") for n in (0, 4))
    s, T = [k0, k1, k0 ^ k1], [(k0 ^ i) * 0x9E3779B1 & mask for i in range(8)]
    out = b""
    for _ in range(count):
        a, b = s[0] * 69069 + s[2] & mask, (s[1] << 7 | s[1] >> 25) & mask ^ T[s[0] % 8]
        if a < b:
            s[2] = s[2] + 1 & mask
        T[b % 8] = a
        s[0], s[1] = a, b
        out += (a ^ T[3]).to_bytes(4, "big") + (b + T[a % 8] & mask).to_bytes(4, "big")
    return out


STEPS = 40
STREAM = by_the_book(KEY, STEPS)


def native(**choices: Any) -> NativeProgram:
    program = compile(Toy, "native", **choices)
    assert isinstance(program, NativeProgram)
    return program


@pytest.mark.parametrize("machine", ["interpreter", "native"])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_each_step_goes_on_from_the_one_before(machine: str, operation: str) -> None:
    program = compile(Toy, machine, operation)
    message = bytes(n * 7 % 256 for n in range(8 * STEPS))
    expected = bytes(a ^ b for a, b in zip(message, STREAM, strict=True))
    assert program.run(KEY, message).output == expected
    assert program.run(KEY, message).output == expected  # and anew with the key
    assert program.run(KEY, expected).output == message


def test_each_message_has_its_own_state() -> None:
    """Rows of the interpreter: keys that differ, and one key for all."""
    program = trace(Toy, "encrypt", 64)
    keys = [bytes([k, *KEY[1:]]) for k in range(5)]
    rows = [np.frombuffer(key, np.uint8) for key in keys]
    found = interpret(program, np.stack(rows), np.zeros((5, 80), np.uint8))
    assert [row.tobytes() for row in found] == [by_the_book(key, 10) for key in keys]
    data = np.arange(3 * 80, dtype=np.uint8).reshape(3, 80)
    found = interpret(program, np.stack(rows[:1]), data) ^ data
    assert [row.tobytes() for row in found] == [by_the_book(keys[0], 10)] * 3


def test_an_expanded_key_is_used_up() -> None:
    program = native()
    key, other = program.expand(KEY), program.expand(KEY)
    parts = [program.crypt(key, bytes(size)) for size in (8, 0, 24, 8)]
    assert parts[0] != parts[3]
    assert b"".join(parts) == STREAM[:40]
    assert program.crypt(other, bytes(40)) == STREAM[:40]


def test_the_program_says_what_it_hands_on() -> None:
    program = trace(Toy, "encrypt", 64)
    verify(program.kernel)
    assert program.stateful
    arrays = program.kernel.params[2:]
    assert [param.attr for param in arrays] == ["state", "state"]
    assert [node.type for node in program.kernel.results[2:]] == [param.type for param in arrays]


@pytest.mark.parametrize("machine", ["interpreter", "native"])
def test_parts_of_a_block_are_refused(machine: str) -> None:
    program = compile(Toy, machine)
    with pytest.raises(DataError, match="data of 12 bytes; accepted: a multiple of 8"):
        program.run(KEY, bytes(12))


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ({"blocks": 8, "width": 256}, "width=256 is not legal for toy"),
        ({"width": 128}, "width=128 is not legal for toy"),
        ({"planes": 8}, "not legal|accepted is"),
        ({"rounds": "loop"}, "rounds=loop is not legal for toy: it has no round"),
    ],
)
def test_blocks_side_by_side_are_refused(choices: dict[str, Any], reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason):
        compile(Toy, "native", **choices)


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_one_block_after_the_other_is_accepted(blocks: int) -> None:
    assert native(blocks=blocks, width=1).run(KEY, bytes(16)).output == STREAM[:16]
    assert native().schedule.blocks == 1


# -- misuse -------------------------------------------------------------------------------------------


def refused(cipher: type[StreamCipher], message: str, method: Callable[..., Any]) -> None:
    """Refused with this text, at the line of the method."""
    with pytest.raises(DefinitionError) as caught:
        trace(cipher, "encrypt", 64)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{__file__}:{inspect.getsourcelines(method)[1]}: "), caught.value


ONLY_ARRAYS = "the state of a stream cipher is arrays and nothing else"


def test_a_state_of_words_is_refused() -> None:
    class Words(Toy):
        def expand_key(self, key):
            return key

        def key_stream(self, state):
            return state

    refused(Words, ONLY_ARRAYS, Words.expand_key)


def test_a_word_beside_the_state_is_refused() -> None:
    class Beside(Toy):
        def expand_key(self, key):
            return [Array.holding(key), key[0]]

        def key_stream(self, state):
            return [state[1], state[1]]

    refused(Beside, ONLY_ARRAYS, Beside.expand_key)


@pytest.mark.parametrize(
    "stream",
    [
        lambda state: [state["T"][0]],
        lambda state: [state["T"][k] for k in range(3)],
        lambda state: [state["T"][0][0:8], state["T"][1][0:8]],
        lambda state: [1, 2],
    ],
)
def test_streams_of_other_words_are_refused(stream: Callable[[Any], Any]) -> None:
    class Other(Toy):
        def key_stream(self, keys):
            return stream(keys)

    refused(Other, "accepted: 2 words of 32 bits", Other.key_stream)


def test_errors_in_a_key_stream_have_its_line() -> None:
    class Wrong(Toy):
        def key_stream(self, keys): return keys["nothing"]  # fmt: skip

    refused(Wrong, "KeyError: 'nothing'", Wrong.key_stream)
