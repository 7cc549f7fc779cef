"""Entries of the key in line: in which order, whether they can be, and that the cipher stays the same."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.isa.prepare.key_in_line import can_be, in_line, orders
from finalist.language.definition import trace
from finalist.passes.subkeys import computed, settled
from tests.passes.meaning import keeps_program

ROWS = [[("a", 2), ("a", 0)], [("a", 3), ("b", 1)]]


def program() -> Program:
    return settled(computed(trace(cipher("twofish"), "encrypt", 128), shared=False))


def test_what_each_takes_first_lies_side_by_side() -> None:
    assert orders([ROWS]) == [("a", 2), ("a", 3), ("a", 0), ("b", 1)]


def test_a_second_wish_gets_what_the_first_leaves() -> None:
    assert orders([ROWS, [[("a", 3), ("c", 0)]]]) == [*orders([ROWS]), ("c", 0)]


@pytest.mark.parametrize(
    ("rows", "possible"),
    [
        (ROWS, True),
        ([*ROWS, ROWS[0]], True),
        ([[("a", 2), ("a", 0)], [("a", 0), ("a", 1)]], False),
        ([[("a", 2), ("a", 2)]], False),
    ],
)
def test_an_entry_is_in_one_place_of_one_stretch(rows: list[list[tuple[str, int]]], possible: bool) -> None:
    assert can_be(rows) is possible


@pytest.mark.check
def test_entries_are_read_from_one_array() -> None:
    order = [("key", 3), ("key", 1), ("key", 2), ("key", 0)]
    after = keeps_program(lambda one: in_line(one, order), program())
    assert after.key_names == ("key1_8", "key_in_line")
    (name,) = {n.inputs[0].name for n in every_node(after.kernel) if n.op is Op.LOAD} - {"key1_8"}
    assert name == "key_in_line"


def test_arrays_of_words_of_two_widths_stay() -> None:
    before = program()
    assert in_line(before, [("key", 0), ("key1_8", 0)]) is before


def test_arrays_that_are_read_at_other_places_stay() -> None:
    before = trace(cipher("rc4"), "encrypt", 128)
    assert in_line(before, [(before.key_names[0], 0)]) is before


def test_lookups_that_are_alike_stay_apart() -> None:
    before = program()
    after = in_line(before, [("key", 1)])
    assert _lookups(after) == _lookups(before)


def _lookups(one: Program) -> int:
    return sum(node.op is Op.LOOKUP for node in every_node(one.kernel))
