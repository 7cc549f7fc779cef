"""Blowfish: the digits of pi, what the key makes of them, and which keys are the same."""

from __future__ import annotations

import random

import pytest

from finalist import compile
from finalist.ciphers.blowfish import PI, Blowfish, digits_of_pi
from finalist.machines.native.run import NativeProgram
from tests.ciphers.values import digest, keys_of, shown, tracing


def test_constants() -> None:
    """The hexadecimal digits of pi - 3, from the first to the last that is used."""
    assert digits_of_pi(2) == PI[:2] == [0x243F6A88, 0x85A308D3]
    assert (PI[18], PI[-1], len(PI)) == (0xD1310BA6, 0x3AC372E6, 1042)
    assert digest(PI, 4) == "b5643208907b11b2"


def test_tables_after_key_set_up() -> None:
    with tracing():
        tables = keys_of(Blowfish, "00" * 8)
        P, S = tables["P"], tables["S"]
        found = shown([P[0], P[1], P[16], P[17], S[0][0], S[3][255]])
    assert found == "706d9fcc 1792d23a 7361e6a1 196a7c43 bc29e0a1 265939b0"


def native(bits: int) -> NativeProgram:
    program = compile("blowfish", "native", key_bits=bits)
    assert isinstance(program, NativeProgram)
    return program


def test_zeros() -> None:
    assert native(64).run(bytes(8), bytes(8)).output.hex() == "4ef997456198dd78"


@pytest.mark.parametrize("size", [4, 8, 24])
@pytest.mark.every(3)
def test_a_key_twice_is_the_same_key(size: int) -> None:
    """As all keys are that go on alike when they are repeated."""
    key = random.Random(size).randbytes(size)
    assert native(8 * size).expand(key).read() == native(16 * size).expand(key + key).read()


def test_a_key_that_begins_anew_within_a_word() -> None:
    key = bytes(range(1, 6))
    assert native(40).expand(key).read() == native(160).expand(key * 4).read()
    assert native(40).expand(key).read() != native(64).expand(key + bytes(3)).read()


def test_bytes_of_the_key_have_no_sign() -> None:
    """A C program that extends it takes all keys for the same that end every word in ff."""
    keys = [bytes.fromhex(word + "ff") * 2 for word in ("000000", "123456", "ffffff")]
    assert len({native(64).expand(key).read() for key in keys}) == 3
    key, block = bytes.fromhex("fedcba9876543210"), bytes.fromhex("0123456789abcdef")
    assert native(64).run(key, block).output.hex() == "0aceab0fc6a0a28d"  # Eric Young's vectors
