"""RC6: its key schedule for keys of any number of words."""

from __future__ import annotations

import pytest

from finalist import compile
from finalist.ciphers.rc6 import RC6
from finalist.vectors.load import key_lengths
from tests.ciphers.values import keys_of, same, shown, tracing

COUNT = bytes(range(16)).hex()


@pytest.mark.parametrize(
    ("key", "first", "last"),
    [
        ("00" * 16, "2a66311c 9b17852d 8108b207 39d14185", "55fcc1b3 c5bd8db7 05b4016a 4b38ac83"),
        (COUNT, "298b3983 be89cebc 364b5215 bf53820d", "32ba00e7 e23f40d0 96140580 3863b2ab"),
    ],
)
def test_subkeys(key: str, first: str, last: str) -> None:
    with tracing():
        S = keys_of(RC6, key)
        assert len(S) == 44
        assert (shown(S[:4]), shown(S[40:])) == (first, last)


def test_zeros_at_the_end_make_another_key() -> None:
    with tracing():
        assert not same(keys_of(RC6, COUNT), keys_of(RC6, COUNT + "00000000"))


def by_the_book(key: bytes) -> list[int]:
    """Section 2 of the submission on Python's integers."""
    L = [int.from_bytes(key[n : n + 4], "little") for n in range(0, len(key), 4)]
    S = [(0xB7E15163 + i * 0x9E3779B9) % 2**32 for i in range(44)]
    a = b = i = j = 0
    for _ in range(3 * max(len(L), 44)):
        a = S[i] = turned(S[i] + a + b, 3)
        b = L[j] = turned(L[j] + a + b, a + b)
        i, j = (i + 1) % 44, (j + 1) % len(L)
    return S


def turned(x: int, n: int) -> int:
    x, n = x % 2**32, n % 32
    return (x << n | x >> (32 - n)) % 2**32


@pytest.mark.parametrize("bits", [32, 160, 1408, 1440, 2016])
def test_keys_of_any_number_of_words(bits: int) -> None:
    """One word, as many as there are subkeys, one more, and the most there can be."""
    key = bytes(7 * n % 256 for n in range(bits // 8))
    with tracing():
        assert shown(keys_of(RC6, key.hex())) == " ".join(f"{word:08x}" for word in by_the_book(key))


def test_key_lengths() -> None:
    assert key_lengths(RC6) == (64, 128, 192, 256, 544, 1024)
    assert RC6.usual_key_bits() == 128
    assert compile("rc6", "interpreter", key_bits=2016).key_bits == 2016
