"""Key streams in blocks of several bytes: messages in parts of any length are as whole ones."""

from __future__ import annotations

import itertools

import pytest

import finalist
from finalist.errors import UsageError
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


def test_a_published_message() -> None:
    row = known_answers("chacha20")[1]
    one = finalist.new("chacha20", row.key)
    parts = [row.plaintext[at : at + 50] for at in range(0, len(row.plaintext), 50)]
    assert b"".join(map(one.encrypt, parts)) == row.ciphertext
