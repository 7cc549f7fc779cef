"""DES: its tables as the standard numbers them, its key schedule, its known symmetries."""

from __future__ import annotations

import random

import pytest

from finalist import compile
from finalist.ciphers.des import DES, FP, IP, PC1, PC2, SHIFTS, E, P, S, des
from finalist.language import LinearMap
from finalist.passes.wiring import sources
from tests.ciphers.values import digest, keys_of, of_words, same, shown, tracing

KEY, PLAINTEXT, CIPHERTEXT = "133457799bbcdff1", "0123456789abcdef", "85e813540f0ab405"
#: Weak keys: the halves of the key are all zeros or all ones, so all round keys are the same.
WEAK = ["0101010101010101", "fefefefefefefefe", "1f1f1f1f0e0e0e0e", "e0e0e0e0f1f1f1f1"]


def counted_from_the_left(selection: LinearMap) -> list[int]:
    """The table as the standard prints it: for each output bit the number of its input bit, from 1."""
    (matrix,), (width,) = selection.matrices, selection.widths
    found = sources(matrix, width)
    assert found is not None
    return [len(matrix) - source for source in reversed(found)]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (IP, "8792407d850b9150"),
        (FP, "8a57e119ba7a71e0"),
        (E, "bb8d87ef4dc93e39"),
        (P, "861ebba16456ae91"),
        (PC1, "751c5a451a1a5f6f"),
        (PC2, "5a8895e1a69c4bc1"),
    ],
)
def test_selections(selection: LinearMap, expected: str) -> None:
    assert digest(counted_from_the_left(selection)) == expected


BOXES = (
    "6dc281726a62b482",
    "0389bd3209382dc2",
    "696ef5840eaea1aa",
    "617b500d0a5ecb04",
    "e10b24d2cbed50ec",
    "601d6aab07b9ba68",
    "6b5691b248491af5",
    "ad4aed6991efbb72",
)


@pytest.mark.parametrize("number", range(8))
def test_boxes(number: int) -> None:
    """By rows, as they are printed; each row is a permutation."""
    rows = [[S[number].data.values[(r & 2) << 4 | c << 1 | r & 1] for c in range(16)] for r in range(4)]
    assert digest([entry for row in rows for entry in row]) == BOXES[number]
    assert [sorted(row) for row in rows] == [list(range(16))] * 4


def test_parity_bits_are_those_that_are_not_chosen() -> None:
    assert sorted(counted_from_the_left(PC1)) == [n for n in range(1, 65) if n % 8]
    assert sum(SHIFTS) == 28  # a whole turn


def test_key_schedule() -> None:
    with tracing():
        round_keys = keys_of(DES, KEY)
        assert len(round_keys) == 16
        assert (shown(round_keys[:1]), shown(round_keys[15:])) == ("1b02effc7072", "cb3d8b0e17f5")


@pytest.mark.parametrize("key", WEAK)
def test_weak_keys_undo_themselves(key: str) -> None:
    with tracing():
        round_keys = keys_of(DES, key)
        assert len(set(shown(round_keys).split())) == 1
        (x,) = of_words(PLAINTEXT, 64)
        y = des(x, round_keys, range(16))
        assert not same([y], [x])
        assert same([des(y, round_keys, range(16))], [x])


def test_a_block() -> None:
    key, block = bytes.fromhex(KEY), bytes.fromhex(PLAINTEXT)
    assert compile("des", "interpreter").run(key, block).output.hex() == CIPHERTEXT


def test_complements() -> None:
    """The complement of key and plaintext gives that of the ciphertext."""
    program = compile("des", "interpreter")
    key, block = (bytes(255 - byte for byte in bytes.fromhex(text)) for text in (KEY, PLAINTEXT))
    assert bytes(255 - byte for byte in program.run(key, block).output).hex() == CIPHERTEXT


def test_parity_bits_of_the_key_are_ignored() -> None:
    program, source = compile("des", "interpreter"), random.Random(1977)
    keys, blocks = ([source.randbytes(8) for _ in range(50)] for _ in range(2))
    expected = program.run_many(keys, blocks)
    others = [bytes(byte ^ source.getrandbits(1) for byte in key) for key in keys]
    assert program.run_many(others, blocks) == expected
    for place in range(8):
        others = [bytes([*key[:place], key[place] ^ 2, *key[place + 1 :]]) for key in keys]
        assert not set(program.run_many(others, blocks)) & set(expected)
