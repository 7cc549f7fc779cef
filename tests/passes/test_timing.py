"""The timing label follows secrets to addresses and branches, through loops and keyed functions."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.language import LITTLE, Array, Cipher, loop, rounds, u32, when, words
from finalist.language.definition import trace
from finalist.passes.pipeline import lower
from finalist.passes.roll import rolled
from finalist.passes.timing import BRANCH, CONSTANT, TABLE, timing, timing_of


class Plain(Cipher):
    block = words(2, u32, LITTLE)
    key_bits = (64,)

    def expand_key(self, key: Any) -> Any:
        return key

    def encrypt(self, block: Any, keys: Any) -> Any:
        a, b = block
        for r in rounds(8):
            a, b = b, a + (b ^ keys[r % 2])
        return [a, b]

    decrypt = encrypt


class SecretPlace(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        table = Array(4, 32, [3, 1, 4, 1])
        return [block[0] ^ table[block[1]], block[1]]


class PublicPlace(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        table, sums = Array(4, 32, [3, 1, 4, 1]), Array(1, 32)
        for i in loop(0, 4):
            sums[0] = sums[0] + table[i] * block[1]
        return [block[0] ^ sums[0], block[1]]


class SecretWrite(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        table = Array(4, 32)
        table[block[1]] = block[0]
        return [block[0] ^ table[0], block[1]]


class SecretBranch(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        sums = Array(1, 32)
        with when(block[0] == keys[0]):
            sums[0] = block[1]
        return [block[0] ^ sums[0], block[1]]


class SecretCount(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        sums = Array(1, 32)
        for i in loop(0, block[1]):
            sums[0] = sums[0] + i
        return [block[0] ^ sums[0], block[1]]


class KeyPlace(Plain):
    def expand_key(self, key: Any) -> Any:
        table = Array(4, 32, [3, 1, 4, 1])
        return [key[0] ^ table[key[1]], key[1]]


@pytest.mark.parametrize(
    ("definition", "label"),
    [
        (Plain, CONSTANT),
        (PublicPlace, CONSTANT),
        (SecretPlace, TABLE),
        (SecretWrite, TABLE),
        (KeyPlace, TABLE),
        (SecretBranch, BRANCH),
        (SecretCount, BRANCH),
    ],
)
def test_where_secrets_go(definition: type[Cipher], label: str) -> None:
    assert timing(trace(definition, "encrypt", 64)) == label


@pytest.mark.parametrize(
    ("name", "label"), [("rc6", CONSTANT), ("serpent", CONSTANT), ("rijndael", TABLE), ("mars", TABLE)]
)
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_ciphers(name: str, label: str, operation: str) -> None:
    assert timing(lower(trace(cipher(name), operation, 128))) == label


@pytest.mark.parametrize("name", ["rc6", "rijndael"])
def test_rounds_in_a_loop_are_no_other(name: str) -> None:
    """The turn of a loop is public, a lookup inside of it is as secret as outside."""
    kernel = lower(trace(cipher(name), "encrypt", 128)).kernel
    assert timing_of(rolled(kernel)) == timing_of(kernel)
