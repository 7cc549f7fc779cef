"""Tracing: what a key schedule may return, layouts of key and block, and what is traced when."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

from finalist.ir.execute import interpret
from finalist.ir.ops import Op
from finalist.language import BIG, Array, Cipher, join, u8, u16, u32, u64, words
from finalist.language.definition import trace
from tests.language.toy import run, toy, traced

KEY, DATA = bytes(range(16)), bytes(range(16, 32))


def xored(pick) -> Any:
    """Encryption that XORs four words picked out of the expanded key."""
    return lambda block, keys: [x ^ k for x, k in zip(block, pick(keys), strict=True)]


EXPECTED = bytes(a ^ b for a, b in zip(KEY, DATA, strict=True))


@pytest.mark.parametrize(
    ("expand", "pick"),
    [
        (lambda key: key, lambda keys: keys),
        (lambda key: tuple(key), lambda keys: keys),
        (lambda key: {"left": key[:2], "right": key[2:]}, lambda keys: keys["left"] + keys["right"]),
        (lambda key: [[key[0]], [[key[1]], (key[2], key[3])]], lambda k: [k[0][0], k[1][0][0], *k[1][1]]),
        (lambda key: (key[0], {"rest": key[1:]}), lambda keys: [keys[0], *keys[1]["rest"]]),
        (lambda key: {3: key[0], (1, 2): key[1:]}, lambda keys: [keys[3], *keys[1, 2]]),
        (lambda key: [*key, *key], lambda keys: keys[4:]),
        (
            lambda key: [x[0:16] for x in key] + [x[16:32] for x in key],
            lambda k: [join(k[i], k[i + 4]) for i in range(4)],
        ),
        (lambda key: as_array(key), lambda keys: [keys[k] for k in range(4)]),
        (lambda key: [as_array(key[:2]), as_array(key[2:])], lambda k: [k[0][0], k[0][1], k[1][0], k[1][1]]),
    ],
)
def test_shapes_of_the_expanded_key(expand: Any, pick: Any) -> None:
    assert run(toy(xored(pick), expand), KEY, DATA) == EXPECTED


def as_array(values) -> Array:
    A = Array(len(values), 32)
    for i, value in enumerate(values):
        A[i] = value
    return A


def test_named_tuples_stay_named() -> None:
    Keys = namedtuple("Keys", "first rest")

    def encrypt(block, keys):
        return [block[0] ^ keys.first, *(b ^ k for b, k in zip(block[1:], keys.rest, strict=True))]

    assert run(toy(encrypt, lambda key: Keys(key[0], key[1:])), KEY, DATA) == EXPECTED
    nested = toy(lambda block, keys: encrypt(block, keys[0]), lambda key: [Keys(key[0], key[1:])])
    assert run(nested, KEY, DATA) == EXPECTED


def test_no_keys_at_all() -> None:
    assert run(toy(lambda block, keys: block, lambda key: []), KEY, DATA) == DATA


@pytest.mark.parametrize(
    "block", [words(16, u8), words(8, u16, BIG), words(4, u32, BIG), words(2, u64, BIG)], ids=str
)
def test_layouts(block: Any) -> None:
    """A word plus one carries into the byte that the order says."""
    made = run(toy(lambda words, keys: [x + 1 for x in words], block=block), KEY, bytes([255]) * 16)
    assert made == bytes(16)
    step = block.width // 8
    ones = (1).to_bytes(step, block.order.value) * block.count
    assert run(toy(lambda words, keys: [x + 1 for x in words], block=block), KEY, bytes(16)) == ones


def test_bytes_are_packed_into_words() -> None:
    program = traced(toy(lambda block, keys: block, block=words(16, u8)))
    assert [p.width for p in program.kernel.params[:4]] == [32] * 4
    assert program.block.count == 4
    odd = traced(toy(lambda block, keys: block, block=words(5, u8), key_bits=(40,)))
    assert [p.width for p in odd.kernel.params[:5]] == [8] * 5


def test_key_words_of_their_own() -> None:
    class Mine(Cipher):
        block = words(1, u64)
        key_bits = (80,)
        key_words = words(5, u16, BIG)

        def expand_key(self, key):
            assert len(key) == 5
            return key

        def encrypt(self, block, keys):
            return block[0] + keys[4].extend(64)

        decrypt = encrypt

    program = trace(Mine, "encrypt", 80)
    assert (program.key.count, program.key.width, program.key.bytes) == (5, 16, 10)
    assert run(Mine, bytes(8) + bytes([0, 7]), bytes(8)) == bytes([7]) + bytes(7)


def test_key_size_is_that_under_trace() -> None:
    seen = []

    class Mine(toy(lambda block, keys: block)):  # type: ignore[misc]  # mypy follows no base class made by a call
        key_bits = (128, 256)

        def expand_key(self, key):
            seen.append((self.key_size, len(key)))
            return key

    trace(Mine, "encrypt", 256)
    trace(Mine, "encrypt", 128)
    assert seen == [(256, 8), (128, 4)]
    assert Mine.name() == "mine"


def test_decryption_keys_of_their_own() -> None:
    class Mine(toy(xored(lambda keys: keys))):  # type: ignore[misc]  # mypy follows no base class made by a call
        def expand_decryption_key(self, keys):
            return keys[::-1]

        def decrypt(self, block, keys):
            return [x ^ k for x, k in zip(block, keys, strict=True)]

    program = traced(Mine, "decrypt")
    rows = [np.frombuffer(part, np.uint8)[None, :] for part in (KEY, DATA)]
    made = interpret(program, *rows).tobytes()
    backwards = b"".join(KEY[4 * k : 4 * k + 4] for k in (3, 2, 1, 0))
    assert made == bytes(a ^ b for a, b in zip(backwards, DATA, strict=True))
    assert run(Mine, KEY, DATA) == EXPECTED


def test_lines_are_those_of_the_definition() -> None:
    def encrypt(block, keys):
        return [block[0] * 3, *block[1:]]

    (node,) = [n for n in traced(toy(encrypt)).kernel.body if n.op is Op.MUL]
    path, line = node.line.rsplit(":", 1)
    assert path == __file__
    assert int(line) == encrypt.__code__.co_firstlineno + 1


def test_two_traces_share_nothing() -> None:
    cipher = toy(lambda block, keys: [x + 1 for x in block])
    first, second = traced(cipher), traced(cipher)
    assert not set(first.kernel.body) & set(second.kernel.body)
