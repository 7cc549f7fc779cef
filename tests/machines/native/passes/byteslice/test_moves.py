"""Moves of slots: composition, inverses, and what moves are found for terms."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from finalist.machines.native.passes.byteslice.moves import (
    FEW,
    NONE,
    completed,
    composed,
    inverse,
    sums_of,
)

ONE, TWO = (1, 2, 4, 8), (2, 4, 8, 3)


def applied(move: tuple[int, ...], word: str) -> str:
    return "".join("." if at == NONE else word[at] for at in move)


def test_all_moves_of_three_slots() -> None:
    every = list(permutations(range(3)))
    for a in every:
        back = inverse(a)
        assert back is not None and applied(a, applied(back, "abc")) == "abc"
        for b in every:
            assert applied(composed(a, b), "abc") == applied(a, applied(b, "abc"))
    assert inverse((0, 0, 1)) is None and inverse((0, NONE, 2)) is None
    assert applied(composed((1, NONE, 0), (2, 2, 1)), "abc") == "c.c"


def test_completed() -> None:
    assert completed((NONE, 0, NONE)) == (1, 0, 2) or sorted(completed((NONE, 0, NONE))) == [0, 1, 2]
    assert completed((0, 0, NONE)) == (0, 0, NONE)


def check(terms) -> list[set[tuple[str, int, tuple[int, ...]]]]:
    """The sums, which must take to each slot just its terms' bits."""
    found = sums_of(terms, 4)
    for to, wanted in enumerate(terms):
        if wanted is None:
            continue
        for i, total in enumerate(found):
            taken = [(source, move[to], j) for source, j, move in total if move[to] != NONE]
            bits = [(s, at, j) for s, at, matrix in wanted for j in range(4) if matrix[j] >> i & 1]
            assert sorted(taken) == sorted(bits)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_random_terms(seed: int) -> None:
    source = random.Random(seed)
    every = [(pack, at) for pack in "VW" for at in range(4)]
    check(
        [
            source.choice(
                [None, [(*t, source.choice((ONE, TWO))) for t in source.sample(every, source.randrange(5))]]
            )
            for _ in range(4)
        ]
    )


def moves(found) -> set[tuple[int, ...]]:
    return {move for total in found for _, _, move in total}


def test_moves_that_are_others_twice_are_found() -> None:
    """Two terms by one matrix: a turn by two and one by three, not a mixture."""
    terms = [
        [("V", n, TWO), ("V", (n + 1) % 4, (3, 5, 9, 1)), ("V", (n + 2) % 4, ONE), ("V", (n + 3) % 4, ONE)]
        for n in range(4)
    ]
    assert moves(check(terms)) == {tuple((n + k) % 4 for n in range(4)) for k in range(4)}


def test_bits_with_masks_that_differ() -> None:
    """Bit i of slot n takes all slots but one: three moves, whichever that is."""
    terms = [
        [("V", at, tuple(1 << j if (n + at + j) % 4 else 0 for j in range(4))) for at in range(4)]
        for n in range(4)
    ]
    assert [len(total) for total in check(terms)] == [3, 3, 3, 3]


def test_free_slots_make_a_move_one_that_has_a_way_back() -> None:
    found = check([[("V", 2, ONE)], None, [("V", 0, ONE)], None])
    assert all(inverse(move) for move in moves(found))


def test_a_dense_layer_of_matrices_that_all_differ() -> None:
    """Of sixteen slots with sixteen terms each: more moves than are tried one after another."""
    source = random.Random(1)
    terms = [
        [("V", at, tuple(source.randrange(16) for _ in range(4))) for at in range(16)] for _ in range(16)
    ]
    assert len(moves(check(terms))) > FEW
