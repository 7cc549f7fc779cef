"""Key streams in blocks of several bytes: messages in parts of any length are as whole ones."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import finalist
from finalist.errors import CounterError, DataError, KeyLengthError, UsageError
from finalist.language import BIG, CounterCipher, join, rol, u16, u32, words
from finalist.vectors.load import known_answers
from tests.language.test_kinds import Count

KEY = bytes.fromhex("00010000 ffffffff")
MESSAGE = bytes(range(100))


def whole() -> bytes:
    padded = MESSAGE + bytes(-len(MESSAGE) % 4)
    return finalist.compile(Count, "interpreter", "encrypt", 64).run(KEY, padded).output[: len(MESSAGE)]


@pytest.mark.parametrize("sizes", [(100,), (1,), (3, 5), (4, 1, 7, 0, 16), (2, 33)])
def test_parts_of_any_length(sizes: tuple[int, ...]) -> None:
    one, other = finalist.new(Count, KEY), finalist.new(Count, KEY)
    secret, back, at = b"", b"", 0
    for size in itertools.cycle(sizes):
        if at >= len(MESSAGE):
            break
        part = one.encrypt(MESSAGE[at : at + size])
        target = bytearray(len(part))
        assert other.decrypt(part, target) is None
        secret, back, at = secret + part, back + bytes(target), at + size
    assert secret == whole() and back == MESSAGE


def test_in_place() -> None:
    data = bytearray(MESSAGE)
    finalist.new(Count, KEY).encrypt(data, data)
    assert bytes(data) == whole()


def test_one_direction_an_object() -> None:
    one = finalist.new(Count, KEY)
    one.encrypt(b"abc")
    with pytest.raises(UsageError, match="one direction an object"):
        one.decrypt(b"defgh")
    assert one.encrypt(MESSAGE[3:]) == whole()[3:]


class Small(CounterCipher):
    """A counter of two words of 8 bits between two of a nonce, high bytes of words of 16 first."""

    block = words(1, u16, BIG)
    key_bits = (16 + 64,)
    public = words(4, u16, BIG)
    counter_words = slice(1, 2)

    def start(self, key: Any, public: Any) -> Any:
        return [key[0] + public[0], public[2] ^ public[3]], public[1]

    def stream_block(self, words: Any, counter: Any) -> Any:
        return [rol(counter, 3) + words[0] ^ words[1]]


class Wide(Small):
    """The same of a counter of two words, the lower one first."""

    block = words(1, u32, BIG)
    key_words = words(1, u16, BIG)
    counter_words = slice(1, 3)

    def start(self, key: Any, public: Any) -> Any:
        return [key[0], public[0], public[3]], join(*public[1:3])

    def stream_block(self, words: Any, counter: Any) -> Any:
        return [counter]


class TestNonce:
    """The key by itself, the nonce and the counter beside it."""

    def test_the_published_block(self) -> None:
        """RFC 8439, section 2.3.2."""
        nonce = bytes.fromhex("000000090000004a00000000")
        one = finalist.new("chacha20", bytes(range(32)), nonce=nonce, initial_value=1)
        assert one.encrypt(bytes(8)).hex() == "10f1e7e4d13b5915"

    @pytest.mark.parametrize(
        ("name", "sizes"), [("chacha20", (32, 12)), ("salsa20", (16, 8)), ("salsa20", (32, 8))]
    )
    def test_as_another_library(self, name: str, sizes: tuple[int, int]) -> None:
        other = pytest.importorskip(f"Crypto.Cipher.{'ChaCha20' if name == 'chacha20' else 'Salsa20'}")
        key, nonce = bytes(range(sizes[0])), bytes(range(90, 90 + sizes[1]))
        assert finalist.new(name, key, nonce=nonce).encrypt(MESSAGE) == other.new(
            key=key, nonce=nonce
        ).encrypt(MESSAGE)

    def test_blocks_are_counted_from_the_initial_value(self) -> None:
        whole = finalist.new("salsa20", bytes(32), nonce=bytes(8)).encrypt(bytes(64 * 3))
        after = finalist.new("salsa20", bytes(32), nonce=bytes(8), initial_value=2)
        assert after.encrypt(bytes(64)) == whole[128:]

    def test_the_words_of_the_counter_are_where_the_definition_has_them(self) -> None:
        given = finalist.new(Small, b"ky", nonce=b"aabbcc", initial_value=0x1234).encrypt(bytes(6))
        assert given == finalist.new(Small, b"ky" + b"aa\x12\x34bbcc").encrypt(bytes(6))
        assert (
            finalist.new(Wide, b"ky", nonce=b"aacc", initial_value=0x12345678).encrypt(bytes(4)).hex()
            == "12345678"
        )

    def test_a_counter_that_would_repeat(self) -> None:
        one = finalist.new(Small, b"ky", nonce=b"aabbcc", initial_value=7)
        stream = one.encrypt(bytes(2 << 16))
        assert len({stream[at : at + 2] for at in range(0, len(stream), 2)}) == 1 << 16
        for _ in range(2):
            with pytest.raises(CounterError, match="the counter of 2 bytes would repeat"):
                one.encrypt(b"x")
        with pytest.raises(OverflowError):
            finalist.new(Small, b"kyaabbccdd").encrypt(bytes((2 << 16) + 1))

    @pytest.mark.parametrize(
        ("error", "text", "given"),
        [
            (KeyLengthError, "key of 31 bytes; beside a nonce chacha20 accepts 32", {"key": bytes(31)}),
            (KeyLengthError, "key of 48 bytes; beside a nonce chacha20 accepts 32", {"key": bytes(48)}),
            (DataError, "nonce of 8 bytes; chacha20 accepts 12", {"nonce": bytes(8)}),
            (UsageError, "nonce is missing; accepted: 12 bytes", {"nonce": None}),
            (UsageError, "initial_value is bytes; accepted: int", {"initial_value": bytes(4)}),
            (UsageError, "initial_value is bool; accepted: int", {"initial_value": True}),
            (DataError, "initial_value=-1; accepted: 0 to 4294967295", {"initial_value": -1}),
            (DataError, "initial_value=4294967296; accepted", {"initial_value": 1 << 32}),
            (UsageError, "iv: a stream cipher takes none", {"iv": bytes(16)}),
        ],
    )
    def test_refusals(self, error: type[Exception], text: str, given: dict[str, Any]) -> None:
        arguments = {"key": bytes(32), "nonce": bytes(12), "initial_value": 1, **given}
        with pytest.raises(error, match=text):
            finalist.new("chacha20", **arguments)

    def test_a_key_alone_is_told_of_the_nonce(self) -> None:
        with pytest.raises(KeyLengthError, match="chacha20 accepts 48; beside a nonce 32"):
            finalist.new("chacha20", bytes(32))


def test_a_published_message() -> None:
    row = known_answers("chacha20")[1]
    one = finalist.new("chacha20", row.key)
    parts = [row.plaintext[at : at + 50] for at in range(0, len(row.plaintext), 50)]
    assert b"".join(map(one.encrypt, parts)) == row.ciphertext
