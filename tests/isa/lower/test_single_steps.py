"""Rewrites for processors that shift by one bit: each is the same word."""

from __future__ import annotations

from itertools import product

import pytest

from finalist.ir.ops import Op
from finalist.isa.lower.rewrites import InMemory
from finalist.isa.lower.single_steps import Places, is_bit, single_steps
from finalist.isa.target.meaning import (
    Leaf,
    Term,
    address,
    branch,
    constant,
    equal,
    evaluate,
    less,
    load,
    operand,
    register,
)
from tests.processors.accumulator import PROCESSOR

A, B = operand("a"), operand("b")
TERMS = [
    A << 3,
    A >> 0,
    A >> 7,
    Term(Op.ROL, (A, constant(3))),
    Term(Op.ROR, (A, constant(1))),
    Term(Op.ROL, (A, constant(0))),
    ~A,
    A + less(A, B),
    A - less(A, B),
    less(A, B),
    equal(A, B),
    equal(A, constant(0)),
    A & 255,
]


@pytest.mark.parametrize("term", TERMS, ids=repr)
def test_the_same_word(term: Term) -> None:
    others = list(single_steps(term, PROCESSOR, status=False))
    assert others
    for other in others:
        for a, b in product((0, 1, 127, 128, 200, 255), repeat=2):
            values = {"a": a, "b": b}
            assert evaluate(other, values, 8) == evaluate(term, values, 8), (other, values)


def test_bits() -> None:
    assert is_bit(less(A, B)) and is_bit(less(A, B) | less(B, A)) and is_bit(A >> 7)
    assert is_bit(Term(Leaf.REGISTER, attr="c")) and not is_bit(Term(Leaf.REGISTER, attr=3))
    assert not is_bit(A) and not is_bit(A >> 6)


def test_a_condition_stays_one_where_it_is_wanted_as_one() -> None:
    assert not list(single_steps(less(A, B), PROCESSOR, status=True))


PLACES = Places(PROCESSOR)
INDEX = register(5)


def test_fixed_places_are_one_address() -> None:
    assert PLACES.canonical(load(1, address(0) + 300)) == load(1, address(300))


def test_an_index_is_extended() -> None:
    expected = load(1, INDEX.extend(16) + address(300))
    assert PLACES.canonical(load(1, INDEX + address(300))) == expected
    assert PLACES.canonical(Term(Op.LOOKUP, (INDEX,), InMemory(address(300), 1))) == expected


def test_a_sum_inside_of_an_index_wraps_as_words_do() -> None:
    """It is not a part of the address."""
    found = PLACES.canonical(load(1, (INDEX + 3) + address(300)))
    assert found == load(1, (INDEX + 3).extend(16) + address(300))


def test_numbers_are_words() -> None:
    assert PLACES.canonical(constant(-1)) == constant(255)
    assert PLACES.canonical(register(0)) == constant(0)
    assert PLACES.canonical(branch(equal(register(0), register(0)))) == branch(constant(1))
