"""Bits as clauses: what a solver finds for them is what they are."""

from __future__ import annotations

import random
import time

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import Word, bits_of
from finalist.prove.clauses import Clauses
from finalist.prove.cone import cone
from finalist.prove.evaluate import Valuation
from finalist.prove.solver import Answer, solve
from finalist.prove.words import Words

pytest.importorskip("pysat")

TABLE = tuple(k * 37 % 251 for k in range(256))


def products(words: Words, a: Word, b: Word) -> list[Word]:
    """Entries of a table, each a product, a sum, or known."""
    do = words.apply
    return [
        (k, do(Op.AND, [a, do(Op.XOR, [b, k], 8)], 8), do(Op.ADD, [a, do(Op.XOR, [b, k], 8)], 8))[k % 3]
        for k in range(256)
    ]


def made(words: Words) -> dict[str, Word]:
    """A word for each kind of atom: gates, sums with named bits, products, multiples, functions of an index
    with entries that are known and such that are not, reads that are opaque."""
    a, b, c = (words.symbol((name, 0), 8) for name in "abc")
    do = words.apply
    return {
        "gates": do(Op.XOR, [do(Op.AND, [a, b], 8), do(Op.NOT, [c], 8)], 8),
        "sum": do(Op.ADD, [do(Op.XOR, [a, do(Op.XOR, [b, c], 8)], 8), do(Op.XOR, [a, c], 8)], 8),
        "borrow": do(Op.LT, [a, do(Op.ADD, [b, c], 8)], 8),
        "product": do(Op.MULHI, [a, b], 8),
        "multiple": do(Op.MUL, [do(Op.XOR, [a, b], 8), 23], 8),
        "entry": words.lookup(TABLE, do(Op.ADD, [a, 3], 8), 8),
        "opaque": words.lookup(products(words, a, b), do(Op.XOR, [c, 5], 8), 8),
        "carries": do(Op.ADD, [do(Op.ADD, [a, do(Op.AND, [a, b], 8)], 8), c], 8),
        "own entry": words.lookup([b, c, do(Op.AND, [b, c], 8), 5], a[:2], 8),
        "rotated": do(Op.ROL, [b, a[:3]], 8),
    }


@pytest.mark.parametrize("name", made(Words()))
def test_a_word_at_some_inputs(name: str) -> None:
    """With the inputs assumed there is one model, which has the word's value; another value has none."""
    words = Words()
    word = bits_of(made(words)[name], 8)
    clauses = Clauses(words)
    assert clauses.include(word)
    source = random.Random(name)
    inputs = [words.symbol((letter, 0), 8) for letter in "abc"]
    clauses.include([bit for one in inputs for bit in one])
    for _ in range(4):
        given = {(letter, 0): source.getrandbits(8) for letter in "abc"}
        wanted = Valuation(words, given).word(word)
        assumed = [
            clauses.literal(bit ^ 1 ^ (value >> k & 1))
            for one, value in zip(inputs, given.values(), strict=True)
            for k, bit in enumerate(one)
        ]
        right = [clauses.literal(bit ^ 1 ^ (wanted >> k & 1)) for k, bit in enumerate(word)]
        assert solve(clauses.clauses, assumed + right)[0] is Answer.MODEL
        clauses.clauses.append([-one for one in right])
        assert solve(clauses.clauses, assumed)[0] is Answer.NEVER
        clauses.clauses.pop()


def test_more_atoms_than_asked_for_are_left() -> None:
    words = Words()
    word = bits_of(made(words)["product"], 8)
    clauses = Clauses(words)
    before = list(clauses.clauses)
    assert not clauses.include(word, most=3)
    assert clauses.clauses == before
    assert cone(words, word, most=3) is None


def test_atoms_come_after_what_they_are_made_of() -> None:
    words = Words()
    found = cone(words, bits_of(made(words)["own entry"], 8))
    assert found is not None
    kinds = [words.store.atoms[atom][0] for atom in found]
    assert kinds.index("function") > kinds.index("input")


def places_for(things: int, places: int) -> list[list[int]]:
    """Each thing has a place of its own."""
    clauses = [[places * thing + place + 1 for place in range(places)] for thing in range(things)]
    return clauses + [
        [-(places * one + place + 1), -(places * other + place + 1)]
        for place in range(places)
        for other in range(things)
        for one in range(other)
    ]


def test_few_conflicts_are_given_up() -> None:
    """Seven things in six places: what a solver can't settle in one conflict."""
    clauses = places_for(7, 6)
    assert solve(clauses, conflicts=1)[0] is Answer.OPEN
    assert solve(clauses)[0] is Answer.NEVER


def test_another_process_gives_the_same_answers() -> None:
    assert solve(places_for(7, 6), seconds=60)[0] is Answer.NEVER
    answer, model = solve(places_for(6, 6), [1], seconds=60)
    assert answer is Answer.MODEL
    assert 1 in model


def test_what_takes_too_long_is_given_up() -> None:
    """Twelve things in eleven places take minutes, and a process that can't be asked to stop."""
    start = time.monotonic()
    assert solve(places_for(12, 11), conflicts=10**9, seconds=0.5)[0] is Answer.OPEN
    assert time.monotonic() - start < 30
