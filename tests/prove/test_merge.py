"""Bits in another form are found and proved to be the definition's; others are not."""

from __future__ import annotations

import random
from functools import reduce

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import bits_of
from finalist.prove.local import Local, Tables, TooManyError
from finalist.prove.merge import Merger
from finalist.prove.solver import Answer, solve
from finalist.prove.words import Words


def distributed(words: Words, a: int, b: int, c: int) -> int:
    """``(a ^ b) & c`` as a sum of products."""
    return words.store.xor(words.store.both(a, c), words.store.both(b, c))


def test_a_bit_in_another_form_is_the_definitions() -> None:
    words = Words()
    a, b, c = words.symbol("x", 3)
    wanted = words.store.both(words.store.xor(a, b), c)
    merger = Merger(words)
    other = distributed(words, a, b, c)
    assert other != wanted
    assert (merger.same(other), merger.same(other ^ 1)) == (wanted, wanted ^ 1)
    assert merger.asked == 0


def test_a_bit_that_is_another_is_left() -> None:
    """It differs at one point of 2^20, which no point tried at random shows."""
    words = Words()
    x = words.symbol("x", 20)
    wanted = words.store.both(x[0], x[1])
    merger = Merger(words)
    rare = 1
    for bit in x:
        rare = words.store.both(rare, bit)
    other = words.store.xor(wanted, rare)
    assert merger.points.bit(other) == merger.points.bit(wanted)
    assert merger.same(other) == other


@pytest.mark.parametrize("seed", range(10))
def test_functions_of_an_index_in_another_form(seed: int) -> None:
    """A table read by choices, with a key added to its index in the choices themselves."""
    words, draw = Words(), random.Random(seed)
    x, k = words.symbol("x", 4), words.symbol("k", 4)
    entries = draw.sample(range(16), 16)
    index = tuple(map(words.store.xor, x, k))
    wanted = words.lookup(entries, index, 4, "box")
    assert not isinstance(wanted, int)
    merger = Merger(words)
    rows = [[entry >> bit & 1 for entry in entries] for bit in range(4)]
    for bit, row in enumerate(rows):
        for at in range(4):
            both = words.store
            row = [
                both.choose(k[at], both.choose(x[at], p, q), both.choose(x[at], q, p))
                for p, q in zip(row[::2], row[1::2], strict=True)
            ]
        assert merger.same(row[0]) == wanted[bit]


@pytest.mark.parametrize("fault", [False, True])
def test_rotations_by_words_as_choices(fault: bool) -> None:
    """By the amount's bits one after the other; the fault is one place too many for one amount of 32."""
    words = Words()
    x, k, n = (words.symbol(name, width) for name, width in (("x", 32), ("k", 32), ("n", 5)))
    amount = tuple(map(words.store.xor, n, k))
    added = bits_of(words.apply(Op.ADD, (x, k), 32), 32)
    wanted = bits_of(words.apply(Op.ROL, (added, amount), 32), 32)
    merger = Merger(words)
    row = list(added)
    for at, bit in enumerate(amount):
        row = [words.store.choose(bit, row[(j - (1 << at)) % 32], row[j]) for j in range(32)]
    if fault:
        last = reduce(words.store.both, amount)
        row = [words.store.choose(last, row[j - 1], row[j]) for j in range(32)]
    found = [merger.same(bit) for bit in row]
    assert (found == list(wanted)) is not fault
    assert fault or merger.asked == 0


def test_more_variables_than_are_gone_through_are_for_a_solver() -> None:
    pytest.importorskip("pysat")
    words = Words()
    x, y = words.symbol("x", 20), words.symbol("y", 20)
    products = [words.store.both(a, b) for a, b in zip(x, y, strict=True)]
    made = [words.store.sets[bit >> 1] for bit in products]
    atoms = sorted(atom for one in made for atom in one)
    with pytest.raises(TooManyError):
        Tables(words, atoms, products)
    clauses = Local(words, atoms)
    clauses.clauses += [[clauses.literal(products[0])], [-clauses.literal(x[0])]]
    assert solve(clauses.clauses)[0] is Answer.NEVER


def test_sums_of_what_lies_below_are_not_taken_apart() -> None:
    """A table whose index is made by tables, in a circuit split where a key has not been added to it: the
    sums that a mapper has there are few, whatever they are made of."""
    words, draw = Words(), random.Random(1)
    box = [draw.randrange(64) for _ in range(64)]
    x, k = words.symbol("x", 36), words.symbol("k", 6)
    rows = [bits_of(words.lookup(box, x[at : at + 6], 6, "box"), 6) for at in range(0, 36, 6)]
    y = [words.store.xor(row[at], x[at]) for at, row in enumerate(rows)]
    index = tuple(map(words.store.xor, y, k))
    wanted = bits_of(words.lookup(box, index, 6, "box"), 6)
    merger = Merger(words)
    row = [entry & 1 for entry in box]
    store = words.store
    for a, b in zip(y, k, strict=True):
        pairs = list(zip(row[::2], row[1::2], strict=True))
        row = [store.choose(b, store.choose(a, p, q), store.choose(a, q, p)) for p, q in pairs]
    assert (merger.same(row[0]), merger.asked) == (wanted[0], 0)


def test_a_table_whose_entries_are_left_open() -> None:
    """An entry that is no constant is below what is taken apart."""
    pytest.importorskip("pysat")
    words = Words()
    x, y = words.symbol("x", 2), words.symbol("y", 8)
    entries = [(words.store.both(y[2 * at], y[2 * at + 1]),) for at in range(4)]
    (read,) = bits_of(words.lookup(entries, x, 1), 1)
    made = [atom for atom in words.store.sets[read >> 1] if words.store.atoms[atom][0] == "function"]
    clauses = Local(words, made)
    first = [-clauses.literal(bit) for bit in x]
    differ = [[clauses.literal(read), clauses.literal(entries[0][0])]]
    differ.append([-one for one in differ[0]])
    assert solve([*clauses.clauses, *differ], first)[0] is Answer.NEVER
    assert solve([*clauses.clauses, *differ], [-first[0]])[0] is Answer.MODEL
