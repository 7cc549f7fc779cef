"""Sums of moved words: any plan gives the sums, and known ones are as short as they can be."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers.rijndael import FIELD
from finalist.language import gf_multiply
from finalist.machines.native.passes.byteslice import sums
from finalist.machines.native.passes.byteslice.moves import NONE

SLOTS = 16


def moved(word: list[int], move: tuple[int, ...]) -> list[int]:
    return [0 if at == NONE else word[at] for at in move]


def xor(a: list[int], b: list[int]) -> list[int]:
    return [x ^ y for x, y in zip(a, b, strict=True)]


def evaluated(total: sums.Sum, words: list[list[int]]) -> list[int]:
    made = [0] * len(words[0])
    for number, move in total:
        made = xor(made, moved(words[number], move))
    return made


def check(wanted: tuple[sums.Sum, ...], count: int, slots: int) -> sums.Plan:
    """The plan, which must give the same on words of symbols, of which each is a bit of its own."""
    given = [[1 << (word * slots + slot) for slot in range(slots)] for word in range(count)]
    plan = sums.plan(wanted, count)
    words = list(given)
    for a, (b, move) in plan.steps:
        words.append(xor(words[a], moved(words[b], move)))
    assert [evaluated(s, words) for s in plan.sums] == [evaluated(s, given) for s in wanted]
    return plan


@pytest.mark.parametrize("seed", range(12))
def test_random_sums(seed: int) -> None:
    """Moves with and without a way back."""
    source = random.Random(seed)
    moves = [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 2, 1, 0), (1, 0, NONE, NONE), (0, 0, 2, 2)]
    every = [(word, move) for word in range(3) for move in moves]
    wanted = tuple(frozenset(source.sample(every, source.randrange(9))) for _ in range(4))
    check(wanted, 3, 4)


def columns(row: tuple[int, ...]) -> tuple[sums.Sum, ...]:
    """The bits of a row of a matrix over GF(2^8) that turns: slot n takes from n, n + 1, .. of its four."""
    wanted = []
    for bit in range(8):
        terms: set[sums.Term] = set()
        for k, factor in enumerate(row):
            turn = tuple(n // 4 * 4 + (n + k) % 4 for n in range(SLOTS))
            terms ^= {(j, turn) for j in range(8) if gf_multiply(factor, 1 << j, FIELD) >> bit & 1}
        wanted.append(frozenset(terms))
    return tuple(wanted)


def test_mix_columns() -> None:
    """27 XORs and 16 shuffles, as Kaesper and Schwabe have it (CHES 2009, section 4.4)."""
    assert check(columns((2, 3, 1, 1)), 8, SLOTS).cost == 27 + 16


def test_its_inverse_takes_less_than_twice_as_much() -> None:
    assert check(columns((14, 11, 13, 9)), 8, SLOTS).cost < 2 * (27 + 16)


def test_no_words_and_no_terms() -> None:
    assert sums.plan((), 0) == sums.Plan((), ())
    assert check((frozenset(), frozenset({(0, (1, 0))})), 1, 2).cost == 1
