"""Addresses as instructions have them."""

from __future__ import annotations

from finalist.ir.ops import Op
from finalist.isa.lower.places import Places
from finalist.isa.lower.rewrites import InMemory
from finalist.isa.target.meaning import Term, address, branch, constant, equal, load, register
from tests.processors.accumulator import PROCESSOR

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
