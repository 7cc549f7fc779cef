"""RC6: its key schedule for keys of any number of bytes, words of other widths, other numbers of rounds."""

from __future__ import annotations

import random

import pytest

from finalist import compile
from finalist.ciphers.catalogue import cipher
from finalist.ciphers.rc6 import RC6
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import key_lengths, vectors_of
from tests.ciphers.values import keys_of, same, shown, tracing
from tests.machines.fpga.simulators import needs

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


#: P_w and Q_w as the submission and the drafts of RC5 and RC6 print them.
CONSTANTS = {
    8: (0xB7, 0x9F),
    16: (0xB7E1, 0x9E37),
    32: (0xB7E15163, 0x9E3779B9),
    64: (0xB7E151628AED2A6B, 0x9E3779B97F4A7C15),
}


def by_the_book(key: bytes, w: int = 32, r: int = 20) -> list[int]:
    """Section 2 of the submission on Python's integers."""
    (P, Q), t = CONSTANTS[w], 2 * r + 4
    L = [int.from_bytes(key[n : n + w // 8], "little") for n in range(0, len(key), w // 8)]
    S = [(P + i * Q) % 2**w for i in range(t)]
    a = b = i = j = 0
    for _ in range(3 * max(len(L), t)):
        a = S[i] = turned(S[i] + a + b, 3, w)
        b = L[j] = turned(L[j] + a + b, a + b, w)
        i, j = (i + 1) % t, (j + 1) % len(L)
    return S


def turned(x: int, n: int, w: int) -> int:
    x, n = x % 2**w, n % w
    return (x << n | x >> (w - n)) % 2**w


def encrypted(key: bytes, block: bytes, w: int, r: int) -> bytes:
    """One block, as section 2.2 has it."""
    S, size, lg = by_the_book(key, w, r), w // 8, {8: 3, 16: 4, 32: 5, 64: 6}[w]
    A, B, C, D = (int.from_bytes(block[n * size : n * size + size], "little") for n in range(4))
    B, D = B + S[0], D + S[1]
    for i in range(1, r + 1):
        t, u = turned(B * (2 * B + 1), lg, w), turned(D * (2 * D + 1), lg, w)
        A, C = turned(A ^ t, u, w) + S[2 * i], turned(C ^ u, t, w) + S[2 * i + 1]
        A, B, C, D = (x % 2**w for x in (B, C, D, A))
    A, C = A + S[2 * r + 2], C + S[2 * r + 3]
    return b"".join((x % 2**w).to_bytes(size, "little") for x in (A, B, C, D))


@pytest.mark.parametrize(
    ("w", "r", "bits"), [(8, 1, 8), (16, 12, 136), (32, 18, 40), (32, 20, 72), (64, 5, 264), (64, 255, 8)]
)
def test_words_rounds_and_key_bytes(w: int, r: int, bits: int) -> None:
    """RC6-w/r/b, also of keys that fill no whole word."""
    source = random.Random(w * r)
    key, block = source.randbytes(bits // 8), source.randbytes(w // 2)
    ciphertext = encrypted(key, block, w, r)
    for operation, given, wanted in (("encrypt", block, ciphertext), ("decrypt", ciphertext, block)):
        program = compile(RC6.of(w=w, r=r), "interpreter", operation, bits)
        assert program.run(key, given).output == wanted


@pytest.mark.parametrize("name", ["rc6", "rc6:w=8,r=12", "rc6:w=16,r=16", "rc6:w=64,r=24"])
def test_the_reference_has_the_published_answers(name: str) -> None:
    found = cipher(name)
    for row in vectors_of(found)[:40]:
        assert encrypted(row.key, row.plaintext, found.w, found.r) == row.ciphertext


@pytest.mark.parametrize(
    "machine", ["interpreter", "native", "plx", pytest.param("fpga", marks=needs("verilog"))]
)
@pytest.mark.parametrize("name", ["rc6:w=8,r=12", "rc6:w=16,r=16", "rc6:w=64,r=24"])
@pytest.mark.every(4)
def test_variants_on_machines(name: str, machine: str) -> None:
    found = cipher(name)
    (row,) = vectors_of(found)
    for operation in ("encrypt", "decrypt"):
        assert check_known_answers(compile(found, machine, operation, 8 * len(row.key)), [row]) == 1


@pytest.mark.parametrize("bits", [8, 32, 160, 1408, 1440, 2016])
def test_keys_of_any_number_of_words(bits: int) -> None:
    """Less than a word, one, as many as there are subkeys, one more, and the most there can be."""
    key = bytes(7 * n % 256 for n in range(bits // 8))
    with tracing():
        assert shown(keys_of(RC6, key.hex())) == " ".join(f"{word:08x}" for word in by_the_book(key))


def test_key_lengths() -> None:
    assert key_lengths(RC6) == (64, 128, 192, 256, 544, 1024)
    assert RC6.usual_key_bits() == 128
    assert compile("rc6", "interpreter", key_bits=2016).key_bits == 2016
