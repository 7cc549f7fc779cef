"""DEAL: the submission's round keys and ciphertexts, and its use of the whole key."""

from __future__ import annotations

import random

import pytest

from finalist import compile
from finalist.ciphers.deal import DEAL, FIXED_KEY, OFFSETS
from finalist.ciphers.des import des, key_schedule
from finalist.language import constant
from tests.ciphers.values import keys_of, same, shown, tracing

COUNT = bytes(range(32)).hex()
#: The DES keys of the rounds for the first bytes of 00 01 02 ..., and what 00 01 .. 0f becomes.
ROUNDS = {
    128: (
        "3260266c2cf202e2 79cf70cd1dac09a5 4d29ed01607e2a58 70dab168c2f349b8 6f02d327070a6578"
        " 91dcce2439827d3e",
        "47070f29f814c92b1ad7556fe98262fb",
    ),
    192: (
        "3260266c2cf202e2 79cf70cd1dac09a5 b218e9ca8b9251f2 9dd80b7dd35d25ca 780f554a37cdc165"
        " d594bad2c4216a8d",
        "0f2df43b7b28105ff2b9f3bae0694924",
    ),
    256: (
        "3260266c2cf202e2 79cf70cd1dac09a5 b218e9ca8b9251f2 4512cab9af4aae12 95c6ec297d5572c4"
        " 2653231022a9be71 d614571deedc34b1 b9a25b74a14f709d",
        "5b9014b97fdc142a19b54e5107666fe9",
    ),
}


@pytest.mark.parametrize("bits", ROUNDS)
def test_round_keys(bits: int) -> None:
    """The expanded key holds the DES key schedules of the round keys."""
    with tracing():
        expected = [key_schedule(constant(int(key, 16), 64)) for key in ROUNDS[bits][0].split()]
        assert same(keys_of(DEAL, COUNT[: bits // 4]), expected)


@pytest.mark.parametrize("bits", ROUNDS)
def test_round_keys_are_des_in_cbc_mode(bits: int) -> None:
    """What the offsets are, and where: each round key from the one before it."""
    keys, parts = [int(key, 16) for key in ROUNDS[bits][0].split()], bits // 64
    with tracing():
        fixed = key_schedule(constant(FIXED_KEY, 64))
        for j, (before, key) in enumerate(zip([0, *keys], keys, strict=False)):
            part = int(COUNT[16 * (j % parts) :][:16], 16)
            offset = OFFSETS[j - parts] if j >= parts else 0
            made = des(constant(part ^ offset ^ before, 64), fixed, range(16))
            assert shown([made]) == f"{key:016x}"


@pytest.mark.parametrize("bits", ROUNDS)
@pytest.mark.every(2)
def test_a_block(bits: int) -> None:
    key, block, secret = bytes(range(bits // 8)), bytes(range(16)), bytes.fromhex(ROUNDS[bits][1])
    assert compile(DEAL, "interpreter", "encrypt", bits).run(key, block).output == secret
    assert compile(DEAL, "interpreter", "decrypt", bits).run(key, secret).output == block


def test_parity_bits_of_the_key_count() -> None:
    """They go through DES before they are ignored."""
    program, source = compile(DEAL, "interpreter"), random.Random(1998)
    key, block = source.randbytes(16), source.randbytes(16)
    keys = [key, *(bytes([*key[:n], key[n] ^ 1, *key[n + 1 :]]) for n in range(16))]
    assert len(set(program.run_many(keys, [block] * len(keys)))) == len(keys)
