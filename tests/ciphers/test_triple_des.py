"""Triple DES: what it has in common with DES, and which bits of its key count."""

from __future__ import annotations

import random

import pytest

from finalist import compile
from finalist.ciphers.des import DES
from finalist.ciphers.triple_des import TripleDES
from tests.ciphers.values import keys_of, same, tracing


@pytest.mark.parametrize("bits", TripleDES.key_bits)
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_equal_keys_give_des(bits: int, operation: str) -> None:
    single, triple = (
        compile("des", "interpreter", operation),
        compile(TripleDES, "interpreter", operation, bits),
    )
    source = random.Random(bits)
    keys, blocks = ([source.randbytes(8) for _ in range(20)] for _ in range(2))
    repeated = [key * (bits // 64) for key in keys]
    assert triple.run_many(repeated, blocks) == single.run_many(keys, blocks)


def test_the_first_key_is_the_third_of_two() -> None:
    key = random.Random(2).randbytes(16)
    with tracing():
        assert same(keys_of(TripleDES, key.hex()), keys_of(TripleDES, (key + key[:8]).hex()))
        assert same(keys_of(TripleDES, key.hex())[1], keys_of(DES, key[8:].hex()))


def test_encryption_decrypts_in_the_middle() -> None:
    one, back = (compile("des", "interpreter", operation) for operation in ("encrypt", "decrypt"))
    source = random.Random(3)
    keys, block = [source.randbytes(8) for _ in range(3)], source.randbytes(8)
    middle = back.run(keys[1], one.run(keys[0], block).output).output
    expected = one.run(keys[2], middle).output
    assert compile(TripleDES, "interpreter", key_bits=192).run(b"".join(keys), block).output == expected


@pytest.mark.parametrize("bits", TripleDES.key_bits)
def test_parity_bits_of_the_key_are_ignored(bits: int) -> None:
    program, source = compile(TripleDES, "interpreter", key_bits=bits), random.Random(bits)
    keys, blocks = ([source.randbytes(size) for _ in range(20)] for size in (bits // 8, 8))
    expected = program.run_many(keys, blocks)
    others = [bytes(byte ^ source.getrandbits(1) for byte in key) for key in keys]
    assert program.run_many(others, blocks) == expected
    for place in range(0, bits // 8, 8):
        others = [bytes([*key[:place], key[place] ^ 2, *key[place + 1 :]]) for key in keys]
        assert not set(program.run_many(others, blocks)) & set(expected)
