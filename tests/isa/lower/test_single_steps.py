"""Rewrites for processors that shift by one bit: each is the same word."""

from __future__ import annotations

from itertools import product

import pytest

from finalist.ir.ops import Op
from finalist.isa.lower.single_steps import is_bit, single_steps
from finalist.isa.target.meaning import Leaf, Term, constant, equal, evaluate, less, operand
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
