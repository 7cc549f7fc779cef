"""Moves of slots: composition, inverses, and what moves are found for terms."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from finalist.passes.byteslice.moves import NONE, completed, composed, inverse, moves_of

ONE, TWO = (1, 2, 4, 8), (2, 4, 8, 3)


def applied(move: tuple[int, ...], word: str) -> str:
    return "".join("." if at == NONE else word[at] for at in move)


def test_all_moves_of_three_slots() -> None:
    moves = list(permutations(range(3)))
    for a in moves:
        back = inverse(a)
        assert back is not None and applied(a, applied(back, "abc")) == "abc"
        for b in moves:
            assert applied(composed(a, b), "abc") == applied(a, applied(b, "abc"))
    assert inverse((0, 0, 1)) is None and inverse((0, NONE, 2)) is None
    assert applied(composed((1, NONE, 0), (2, 2, 1)), "abc") == "c.c"


def test_completed() -> None:
    assert completed((NONE, 0, NONE)) == (1, 0, 2) or sorted(completed((NONE, 0, NONE))) == [0, 1, 2]
    assert completed((0, 0, NONE)) == (0, 0, NONE)


def total(terms, found) -> bool:
    """Whether the moves take to each slot just its terms."""
    for to, wanted in enumerate(terms):
        if wanted is None:
            continue
        taken = [(m.source, m.move[to], m.matrix) for m in found if m.move[to] != NONE]
        if sorted(taken) != sorted(wanted):
            return False
    return True


@pytest.mark.parametrize("seed", range(20))
def test_random_terms(seed: int) -> None:
    source = random.Random(seed)
    every = [(pack, at, matrix) for pack in "VW" for at in range(4) for matrix in (ONE, TWO)]
    terms = [source.choice([None, source.sample(every, source.randrange(5))]) for _ in range(4)]
    assert total(terms, moves_of(terms))


def test_moves_that_are_others_twice_are_found() -> None:
    """Two terms by one matrix: a turn by two and one by three, not a mixture."""
    terms = [
        [("V", n, TWO), ("V", (n + 1) % 4, (3, 5, 9, 1)), ("V", (n + 2) % 4, ONE), ("V", (n + 3) % 4, ONE)]
        for n in range(4)
    ]
    found = moves_of(terms)
    assert {m.move for m in found} == {tuple((n + k) % 4 for n in range(4)) for k in range(4)}
    assert total(terms, found)
