"""FROG: its permutations, its internal key step by step, the states of a block."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from finalist import compile
from finalist.ciphers.frog import (
    BLOCK,
    BOMB,
    FROG,
    RANDOM_SEED,
    RECORD,
    ROUNDS,
    SUBSTITUTION,
    iteration,
    make_cycle,
    make_internal_key,
    make_permutation,
)
from finalist.ir import interpreter
from finalist.ir.graph import Graph
from finalist.language import Array, constant, loop
from finalist.machines.native.run import NativeProgram
from tests.ciphers.values import digest, tracing

KEY = bytes(range(16))
#: What the iterations leave of the block 00 01 .. 0f.
STATES = [
    "56d26fada700313d5564f772fa12a21d",
    "527a00f640a40d7cb9d79fe277fa237f",
    "5c19f13a4dd7b51c00e5dc8d78659600",
    "d689bc615a04ba4cd407dbd6895ad533",
    "dd7e8d0e3c520cfd95155a0151665274",
    "11a7877a5cd7f42a6f315bdddb265430",
    "93f343f63e4800481fcb7e75579b5c94",
    "81b6c3b8fa912b138c12eb45eedf5595",
]


class Simple(FROG):
    """Its internal key is the simple key, the first of the two that key set-up makes."""

    def expand_key(self, key):
        given, seed = Array.holding(key), Array(len(RANDOM_SEED), 8, RANDOM_SEED)
        simple = Array(ROUNDS * RECORD, 8)
        for i in loop(0, ROUNDS * RECORD):
            simple[i] = seed[i] ^ given[i]
        make_internal_key(simple)
        return simple


@cache
def internal_key(cipher: type[FROG], operation: str = "encrypt", key: bytes = KEY) -> bytes:
    """As the compiled key schedule leaves it in memory; that takes the interpreter ten seconds."""
    program = compile(cipher, "native", operation, 8 * len(key), blocks=1)
    assert isinstance(program, NativeProgram)
    return program.expand(key).read()


def parts(key: bytes, record: int) -> tuple[bytes, bytes, bytes]:
    """X, S and B of a record."""
    own = key[record * RECORD : (record + 1) * RECORD]
    return own[:SUBSTITUTION], own[SUBSTITUTION:BOMB], own[BOMB:]


def entries(array: Array) -> list[int]:
    """What an array of constants holds; to be called while tracing."""
    (found,) = interpreter.run(Graph("entries", (), [array.state.node]), [])
    return np.asarray(found).tolist()


def test_constant() -> None:
    assert len(RANDOM_SEED) == 251
    assert digest(RANDOM_SEED) == "58a6b15db8939d4a"


def test_simple_key() -> None:
    X, S, B = parts(internal_key(Simple), 0)
    assert X.hex() == "7114ea117559399a74c8acce7235ebea"
    assert S[:16].hex() == "9c4075886dcd8de08591f0c0c514e6e3"
    assert list(B) == [9, 3, 4, 6, 12, 7, 11, 0, 10, 15, 3, 5, 8, 15, 1, 13]


def test_internal_key() -> None:
    X, S, B = parts(internal_key(FROG), 0)
    assert X.hex() == "42c3eaafb864845a41c7b2cb0f4415e5"
    assert S[:16].hex() == "4306bcdcba010ea42ba287086d816424"
    assert list(B) == [10, 6, 9, 7, 1, 8, 5, 12, 3, 15, 4, 13, 2, 15, 0, 11]
    X, S, B = parts(internal_key(FROG), 7)
    assert X.hex() == "b2fb4ed1af19a7baf2efa521d5799a02"
    assert list(B) == [7, 0, 5, 5, 6, 3, 8, 12, 10, 14, 13, 2, 15, 1, 11, 9]


@pytest.mark.parametrize("key", [KEY, bytes(24), bytes(range(32))], ids=len)
@pytest.mark.every(2)
def test_each_record_can_be_undone(key: bytes) -> None:
    """Its substitution is a permutation; no byte is XORed to itself, nor twice to its neighbour."""
    internal = internal_key(FROG, key=key)
    for record in range(ROUNDS):
        _, S, B = parts(internal, record)
        assert sorted(S) == list(range(256))
        assert all(place < BLOCK and place not in (i, (i + 1) % BLOCK) for i, place in enumerate(B))


def test_decryption_has_the_inverse_substitutions() -> None:
    both = internal_key(FROG, "decrypt")
    key, inverse = both[: ROUNDS * RECORD], both[ROUNDS * RECORD :]
    assert key == internal_key(FROG)
    for record in range(ROUNDS):
        _, S, _ = parts(key, record)
        own = inverse[256 * record : 256 * (record + 1)]
        assert [own[y] for y in S] == list(range(256))


def test_states_of_a_block() -> None:
    found = []
    with tracing():
        key = Array(ROUNDS * RECORD, 8, internal_key(FROG)[: ROUNDS * RECORD])
        b = Array(BLOCK, 8, range(16))
        for record in range(ROUNDS):
            iteration(b, key, constant(record * RECORD, 32))
            found.append(list(b))
        words = [byte.node for state in found for byte in state]
        made = interpreter.run(Graph("states", (), words), [])
    assert bytes(int(value) for value in made).hex() == "".join(STATES)


def permutation_by_the_book(given: list[int]) -> list[int]:
    use, j, made = list(range(len(given))), 0, []
    for byte in given[:-1]:
        j = (j + byte) % len(use)
        made.append(use.pop(j))
    return [*made, *use]


@pytest.mark.parametrize("seed", range(4))
def test_permutations(seed: int) -> None:
    given = list(random.Random(seed).randbytes(20))
    with tracing():
        key = Array(20, 8, given)
        make_permutation(key, constant(2, 32), 16)
        found = entries(key)
    assert found[2:18] == permutation_by_the_book(given[2:18])
    assert (found[:2], found[18:]) == (given[:2], given[18:])


def cycle_by_the_book(B: list[int]) -> list[int]:
    used, j = [False] * BLOCK, 0
    for _ in range(BLOCK - 1):
        if B[j] == 0:
            k = (j + 1) % BLOCK
            while used[k]:
                k = (k + 1) % BLOCK
            B[j] = k
            last = k
            while B[last] != k:
                last = B[last]
            B[last] = 0
        used[j] = True
        j = B[j]
    return B


#: The identity, sixteen cycles of their own; two halves; pairs; one cycle already.
PERMUTATIONS = [
    list(range(16)),
    [*range(1, 8), 0, *range(9, 16), 8],
    [n ^ 1 for n in range(16)],
    [(n + 3) % 16 for n in range(16)],
    random.Random(1).sample(range(16), 16),
]


@pytest.mark.parametrize("given", PERMUTATIONS)
def test_one_cycle_through_all_places(given: list[int]) -> None:
    with tracing():
        key = Array(BLOCK + 1, 8, [99, *given])
        make_cycle(key, constant(1, 32))
        first, *found = entries(key)
    assert first == 99
    assert found == cycle_by_the_book(list(given))
    place, met = 0, []
    for _ in range(BLOCK):
        met.append(place)
        place = found[place]
    assert sorted(met) == list(range(BLOCK))
