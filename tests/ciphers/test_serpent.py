"""Serpent as its paper first has it, with permutations and an S-box a nibble; keys of all lengths."""

from __future__ import annotations

import random

import pytest

from finalist import compile
from finalist.ciphers.serpent import PHI, S, Serpent
from finalist.vectors.load import key_lengths, known_answers

BOXES = [table.data.values for table in S]
MASK = 0xFFFFFFFF


def rotated(x: int, n: int) -> int:
    return (x << n | x >> 32 - n) & MASK


def permuted(x: int) -> int:
    """IP: bit i of the result is bit 32 (i mod 4) + i div 4."""
    return sum((x >> 32 * (i % 4) + i // 4 & 1) << i for i in range(128))


def unpermuted(x: int) -> int:
    """FP, its inverse."""
    return sum((x >> 4 * (i % 32) + i // 32 & 1) << i for i in range(128))


def substituted(x: int, box: int) -> int:
    """The S-box on each of 32 nibbles."""
    return sum(BOXES[box][x >> 4 * n & 15] << 4 * n for n in range(32))


def transformed(x: int) -> int:
    """The linear transformation between the permutations."""
    x0, x1, x2, x3 = (unpermuted(x) >> 32 * n & MASK for n in range(4))
    x0, x2 = rotated(x0, 13), rotated(x2, 3)
    x1, x3 = rotated(x1 ^ x0 ^ x2, 1), rotated(x3 ^ x2 ^ x0 << 3 & MASK, 7)
    x0, x2 = rotated(x0 ^ x1 ^ x3, 5), rotated(x2 ^ x3 ^ x1 << 7 & MASK, 22)
    return permuted(x0 | x1 << 32 | x2 << 64 | x3 << 96)


def round_keys(key: bytes) -> list[int]:
    """The 33 keys, after IP."""
    number = int.from_bytes(key, "little")
    if len(key) < 32:
        number |= 1 << 8 * len(key)
    w = [number >> 32 * n & MASK for n in range(8)]
    for i in range(132):
        w.append(rotated(w[-8] ^ w[-5] ^ w[-3] ^ w[-1] ^ PHI ^ i, 11))
    groups = (sum(w[8 + 4 * r + n] << 32 * n for n in range(4)) for r in range(33))
    return [substituted(permuted(group), (3 - r) % 8) for r, group in enumerate(groups)]


def encrypted(key: bytes, block: bytes) -> bytes:
    """One block, as in section 3 of the paper."""
    keys, x = round_keys(key), permuted(int.from_bytes(block, "little"))
    for r in range(31):
        x = transformed(substituted(x ^ keys[r], r % 8))
    x = substituted(x ^ keys[31], 7) ^ keys[32]
    return unpermuted(x).to_bytes(16, "little")


def test_the_reference_has_the_published_answers() -> None:
    rows = known_answers("serpent")
    for row in rows[:: len(rows) // 12]:
        assert encrypted(row.key, row.plaintext) == row.ciphertext


@pytest.mark.parametrize("bits", [8, 40, 64, 104, 136, 200, 248])
def test_keys_of_any_number_of_bytes(bits: int) -> None:
    source = random.Random(bits)
    key, block = source.randbytes(bits // 8), source.randbytes(16)
    for operation, given, wanted in (
        ("encrypt", block, encrypted(key, block)),
        ("decrypt", encrypted(key, block), block),
    ):
        program = compile("serpent", "interpreter", operation, bits)
        assert program.run(key, given).output == wanted


def test_a_shorter_key_is_not_one_with_zeros() -> None:
    key, block = bytes(range(15)), bytes(16)
    assert encrypted(key, block) != encrypted(key + bytes(1), block)
    assert encrypted(key, block) == encrypted(key + bytes([1]) + bytes(16), block)


def test_key_lengths() -> None:
    assert list(Serpent.key_bits) == list(range(8, 257, 8))
    assert key_lengths(Serpent) == (64, 128, 192, 232, 256)
