"""Kinds of definitions and words: what is public, words of 24 and 48 bits, permutations, counters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.errors import DefinitionError, VectorError
from finalist.language import (
    BIG,
    LITTLE,
    Cipher,
    CounterCipher,
    Permutation,
    StreamCipher,
    u16,
    u24,
    u32,
    u48,
    words,
)
from finalist.vectors.load import vectors_of


def on_interpreter(
    definition: type[Cipher],
    key: bytes,
    data: bytes,
    operation: str = "encrypt",
    machine: str = "interpreter",
) -> bytes:
    return finalist.compile(definition, machine, operation, len(key) * 8).run(key, data).output


@pytest.mark.parametrize(("type_", "order"), [(u24, LITTLE), (u24, BIG), (u48, LITTLE), (u48, BIG)])
def test_words_of_24_and_48_bits(type_: Any, order: Any) -> None:
    """They lie in memory by their bytes, whether those fill words of 32 bits (12 bytes) or not (6)."""

    class Odd(Cipher):
        block = words(2, type_, order)
        key_bits = (2 * type_.width,)

        def expand_key(self, key: list[Any]) -> Any:
            return key

        def encrypt(self, block: list[Any], keys: Any) -> Any:
            return block[0] + keys[1], block[1] ^ keys[0]

        def decrypt(self, block: list[Any], keys: Any) -> Any:
            return block[0] - keys[1], block[1] ^ keys[0]

    size, name = type_.width // 8, order.value
    key, data = bytes(range(200, 200 + 2 * size)), bytes(range(250, 250 - 2 * size, -1))
    k = [int.from_bytes(key[n : n + size], name) for n in (0, size)]
    p = [int.from_bytes(data[n : n + size], name) for n in (0, size)]
    wanted = ((p[0] + k[1]) % 2**type_.width, p[1] ^ k[0])
    secret = b"".join(word.to_bytes(size, name) for word in wanted)
    assert on_interpreter(Odd, key, data) == secret
    assert on_interpreter(Odd, key, secret, "decrypt") == data


class Tweaked(Cipher):
    block = words(2, u32, LITTLE)
    key_bits = (64 + 32,)
    public = words(1, u32, LITTLE)

    def expand_key(self, key: list[Any], tweak: Sequence[Any] = ()) -> Any:
        return [key[0] + tweak[0], key[1]]

    def encrypt(self, block: list[Any], keys: Any) -> Any:
        return [x ^ k for x, k in zip(block, keys, strict=True)]

    decrypt = encrypt


def test_what_is_public_comes_after_the_key() -> None:
    key = bytes.fromhex("ff000000 00000001 01000000")
    assert on_interpreter(Tweaked, key, bytes(8)) == bytes.fromhex("00010000 00000001")


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"public": words(1, u16, LITTLE)}, "accepted: words of the key's kind, 32 bits, little endian"),
        ({"public": words(1, u32, BIG)}, "accepted: words of the key's kind"),
        ({"public": words(3, u32, LITTLE)}, "counts what is public, 96 bits of it"),
        ({"public": 3}, "public = 3; accepted: words"),
    ],
)
def test_what_is_public_fits_the_key(own: dict[str, Any], said: str) -> None:
    with pytest.raises(DefinitionError, match=said):
        cipher(type("Wrong", (Tweaked,), own))


class Swap(Permutation):
    block = words(2, u32, LITTLE)
    vectors = [("", "0100000002000000", "0200000002000000")]

    def permute(self, state: list[Any]) -> Any:
        return [state[1], state[0] + 1]

    def invert(self, state: list[Any]) -> Any:
        return [state[1] - 1, state[0]]


@pytest.mark.parametrize("machine", ["interpreter", "native"])
def test_a_permutation_has_no_key(machine: str) -> None:
    data = bytes(range(24))
    secret = on_interpreter(Swap, b"", data, machine=machine)
    assert secret[:8] == bytes([4, 5, 6, 7, 1, 1, 2, 3])
    assert on_interpreter(Swap, b"", secret, "decrypt", machine) == data
    assert [len(row.key) for row in vectors_of(Swap)] == [0]


def test_only_a_permutation_has_no_key() -> None:
    with pytest.raises(DefinitionError, match="accepted: a tuple or range of positive multiples of 8"):
        cipher(type("Keyless", (Tweaked,), {"key_bits": (0,), "public": None}))
    with pytest.raises(VectorError, match="has no key"):
        vectors_of(type("Toy", (Tweaked,), {"vectors": [("", "00" * 8, "00" * 8)]}))


@pytest.mark.parametrize(
    ("base", "missing"), [(Permutation, "permute"), (CounterCipher, "start"), (StreamCipher, "expand_key")]
)
def test_what_each_kind_has_to_define(base: type[Cipher], missing: str) -> None:
    with pytest.raises(DefinitionError, match=f"must define {missing}"):
        cipher(type("Empty", (base,), {"block": words(2, u32, LITTLE), "key_bits": (64,)}))


class Count(CounterCipher):
    block = words(1, u32, LITTLE)
    key_bits = (32 + 32,)
    public = words(1, u32, LITTLE)

    def start(self, key: list[Any], public: Sequence[Any]) -> Any:
        return key, public[0]

    def stream_block(self, words: list[Any], counter: Any) -> list[Any]:
        return [words[0] + counter]


@pytest.mark.parametrize("wrong", [slice(0, 2), slice(0, 0), slice(-1, 1), slice(None, 1), slice(0, 1, 1), 0])
def test_the_words_of_the_counter_are_some_of_what_is_public(wrong: Any) -> None:
    said = r"counter_words = .*; accepted: slice\(begin, end\) of the 1 words that are public"
    with pytest.raises(DefinitionError, match=said):
        cipher(type("Wrong", (Count,), {"counter_words": wrong}))
    assert cipher(type("Right", (Count,), {"counter_words": slice(0, 1)})).public is Count.public


@pytest.mark.parametrize("machine", ["interpreter", "native"])
def test_a_counter_counts_blocks(machine: str) -> None:
    key = bytes.fromhex("00010000 ffffffff")
    stream = on_interpreter(Count, key, bytes(12), machine=machine)
    assert stream == bytes.fromhex("ff000000 00010000 01010000")
