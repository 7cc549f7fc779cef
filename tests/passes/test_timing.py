"""The timing label follows secrets to addresses and branches, through loops and keyed functions."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.language import LITTLE, Array, Cipher, Table, loop, rounds, u32, when, words
from finalist.language.definition import trace
from finalist.passes.pipeline import lower
from finalist.passes.roll import rolled
from finalist.passes.timing import BRANCH, CONSTANT, TABLE, timing, timing_of

S = Table([(5 * i + 3) % 16 for i in range(16)], name="S")


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


class LooksUp(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        a, b = block
        for r in rounds(8):
            a, b = b, a ^ S[b[0:4]].extend(32) if hasattr(b, "extend") else a
        return [a, b]


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
