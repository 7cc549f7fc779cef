"""MARS: subkeys of both key schedules, the fixing of multiplication keys, states between the layers."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from finalist import compile
from finalist.ciphers.mars import (
    BOX,
    MARS,
    B,
    S,
    backwards_mixing,
    core,
    fix_multiplication_key,
    forward_mixing,
    long_runs,
)
from finalist.language import constant, join, rol
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import DATA, KnownAnswer, key_lengths, known_answers
from tests.ciphers.values import keys_of, of_words, shown, tracing

COUNT = bytes(range(16)).hex()
MASK = 0xFFFFFFFF


class FirstRound(MARS):
    """With the key schedule as submitted, before both tweaks of August 1999."""

    called = "mars"

    def expand_key(self, key):
        """40 words T behind seven of the S-box, stirred seven times."""
        T = [constant(word, 32) for word in BOX[:7]]
        for i in range(39):
            T.append(rol(T[-7] ^ T[-2], 3) ^ key[i % len(key)] ^ i)
        T = [*T[7:], constant(len(key), 32)]
        for i in [*range(1, 40), 0] * 7:
            T[i] = rol(T[i] + S[T[i - 1][0:9]], 9)
        K = [T[23 * i % 40] for i in range(40)]  # T[i] is K[7 * i % 40]
        for i in range(5, 36, 2):
            w = K[i] | 3
            ten_zeros_at_the_top = join(constant(0, 31), w[22:32] == 0)
            K[i] = w ^ rol(B[K[i][0:2]], K[i + 3]) & (long_runs(w) | ten_zeros_at_the_top)
        return K


def test_subkeys() -> None:
    with tracing():
        K = keys_of(MARS, "00" * 16)
        assert shown(K[:8]) == "2ae40b2b fda66d93 3ed315dd 7e920930 2db2ce23 521c4713 6e553a8a 3d97572f"
        assert shown(K[36:]) == "6fefa543 a66cbd33 8101f2b9 1d839246"
    with tracing():
        assert shown(keys_of(MARS, COUNT)[:6]) == "20268fc8 39a0a3cb 104a900f f76032ac d244ddcc 755c7793"


def test_a_multiplication_key_that_is_fixed() -> None:
    with tracing():
        K = keys_of(MARS, "04" + "00" * 15)
        assert shown(K[26:28]) == "8b6e05a0 d83a56cb"
        before, amount, w = of_words("d83bffcb 8b6e05a0 d83bffcb")
        assert shown([fix_multiplication_key(before, amount)]) == "d83a56cb"
        assert shown([long_runs(w)]) == "0001ff80"


def runs_by_the_book(w: int) -> int:
    """Bits 2 .. 30 that lie in ten equal bits and have neighbours like themselves."""
    bits = [w >> n & 1 for n in range(32)]
    found = 0
    for n in range(2, 31):
        low = next((k + 1 for k in range(n, -1, -1) if bits[k] != bits[n]), 0)
        high = next((k for k in range(n, 32) if bits[k] != bits[n]), 32)
        if high - low >= 10 and bits[n - 1] == bits[n] == bits[n + 1]:
            found |= 1 << n
    return found


WORDS = [0xFFFFFFFF, 3, 0x003FFFFF, 0xFFC00003, 0x7FE00003, 0x001FF803, 0x000FF803, 0x801FFFFF, 0x55555557]


@pytest.mark.parametrize("w", WORDS)
def test_long_runs(w: int) -> None:
    with tracing():
        assert shown([long_runs(*of_words(f"{w:x}"))]) == f"{runs_by_the_book(w):08x}"


@pytest.mark.parametrize(
    ("key", "mixed", "keyed"),
    [
        ("00" * 16, "7cdac22e 67b71d07 a1901ca1 f2578248", "ca8ecefa 464a249e 329bfdc0 7a81a325"),
        (COUNT, "40d7936e 2db131f1 5db01016 b4575cee", "1038625c 99cf809b 26e96b77 bd70c46d"),
    ],
)
def test_states_between_the_layers(key: str, mixed: str, keyed: str) -> None:
    with tracing():
        K = keys_of(MARS, key)
        words = [int.from_bytes(bytes.fromhex(key)[n : n + 4], "little") for n in range(0, 16, 4)]
        d: Any = [p + k for p, k in zip(of_words(" ".join(f"{w:x}" for w in words)), K[:4], strict=True)]
        for i in range(8):
            d = forward_mixing(d, i)
        assert shown(d) == mixed
        for i in range(16):
            d = core(d, i, K)
        assert shown(d) == keyed
        for i in range(8):
            d = backwards_mixing(d, i)
        assert shown(d) != keyed


def rotated(x: int, n: int) -> int:
    n %= 32
    return (x << n | x >> 32 - n) & MASK


def subkeys_by_the_book(key: bytes) -> list[int]:
    """The key expansion of August 1999 on integers, as the submission's procedure has it."""
    k = [int.from_bytes(key[n : n + 4], "little") for n in range(0, len(key), 4)]
    T, K = [*k, len(k), *[0] * 15][:15], []
    for j in range(4):
        for i in range(15):
            T[i] ^= rotated(T[(i + 8) % 15] ^ T[(i + 13) % 15], 3) ^ 4 * i + j
        for _ in range(4):
            for i in range(15):
                T[i] = rotated(T[i] + BOX[T[(i + 14) % 15] % 512] & MASK, 9)
        K += [T[4 * i % 15] for i in range(10)]
    for i in range(5, 36, 2):
        w = K[i] | 3
        K[i] = w ^ rotated(BOX[265 + K[i] % 4], K[i - 1]) & runs_by_the_book(w)
    return K


def encrypted_by_the_book(key: bytes, block: bytes) -> bytes:
    """One block, word D[0] the source of each step, then all moved by one."""
    K = subkeys_by_the_book(key)
    D = [int.from_bytes(block[4 * n : 4 * n + 4], "little") + K[n] & MASK for n in range(4)]
    for i in range(8):
        s = D[0]
        D[1] = (D[1] ^ BOX[s & 255]) + BOX[256 + (s >> 8 & 255)] & MASK
        D[2] = D[2] + BOX[s >> 16 & 255] & MASK
        D[3] ^= BOX[256 + (s >> 24)]
        D[0] = rotated(s, 8) + (D[3] if i in (0, 4) else D[1] if i in (1, 5) else 0) & MASK
        D = D[1:] + D[:1]
    for i in range(16):
        m, r = D[0] + K[2 * i + 4] & MASK, rotated(rotated(D[0], 13) * K[2 * i + 5] & MASK, 5)
        low, m, r = BOX[m % 512] ^ r, rotated(m, r), rotated(r, 5)
        low = rotated(low ^ r, r)
        near, far = (1, 3) if i < 8 else (3, 1)
        D[0], D[2], D[near] = rotated(D[0], 13), D[2] + m & MASK, D[near] + low & MASK
        D[far] ^= r
        D = D[1:] + D[:1]
    for i in range(8):
        s = D[0] - (D[3] if i in (2, 6) else D[1] if i in (3, 7) else 0) & MASK
        D[1] ^= BOX[256 + (s & 255)]
        D[2] = D[2] - BOX[s >> 24] & MASK
        D[3] = (D[3] - BOX[256 + (s >> 16 & 255)] & MASK) ^ BOX[s >> 8 & 255]
        D = [*D[1:], rotated(s, 24)]
    return b"".join((d - k & MASK).to_bytes(4, "little") for d, k in zip(D, K[36:], strict=True))


def test_the_reference_has_the_published_answers() -> None:
    rows = known_answers("mars")
    for row in rows[:: len(rows) // 12]:
        assert encrypted_by_the_book(row.key, row.plaintext) == row.ciphertext


@pytest.mark.parametrize("bits", [160, 224, 288, 352, 416])
def test_keys_of_4_to_14_words(bits: int) -> None:
    source = random.Random(bits)
    key, block = source.randbytes(bits // 8), source.randbytes(16)
    ciphertext = encrypted_by_the_book(key, block)
    for operation, given, wanted in (("encrypt", block, ciphertext), ("decrypt", ciphertext, block)):
        program = compile("mars", "interpreter", operation, bits)
        assert program.run(key, given).output == wanted


def test_key_lengths() -> None:
    assert list(MARS.key_bits) == list(range(128, 449, 32))
    assert key_lengths(MARS) == tuple(MARS.key_bits)


def first_round_rows() -> list[KnownAnswer]:
    """Published for the key schedule as submitted."""
    records = json.loads((DATA / "mars.json").read_text("utf-8"))["known_answer_round1"]
    values = ("key", "plaintext", "ciphertext")
    return [KnownAnswer(*(bytes.fromhex(r[name]) for name in values), origin=r["origin"]) for r in records]


@pytest.mark.parametrize("machine", ["interpreter", "native"])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.every(2)
def test_the_key_schedule_as_submitted(machine: str, operation: str) -> None:
    rows, schedule = first_round_rows(), Schedule(blocks=1, width=1) if machine == "native" else None
    programs = [compile(FirstRound, machine, operation, bits, schedule) for bits in (128, 192, 256)]
    assert [check_known_answers(program, rows) for program in programs] == [8, 9, 10]
