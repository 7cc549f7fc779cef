"""Instructions as text: operands, ways, conditions, and what is issued in one cycle."""

from __future__ import annotations

import pytest

from finalist.isa.assembly.text import Issue, condition_text, conditions, file_of, written
from tests.processors.accumulator import PROCESSOR as PLAIN
from tests.processors.vliw import processor

PROCESSOR = processor()

ADD = PROCESSOR.by_name["add"][0]
ACROSS = next(way for way in ADD.ways if way.paths)
VALUES = {"rd": 3, "ra": 1, "rb": 2}


def test_registers_are_of_the_files_of_the_way() -> None:
    way = ADD.ways[0]
    assert written(PROCESSOR, ADD, VALUES) == f"add{way.name} a3, a1, a2"
    assert written(PROCESSOR, ADD, VALUES, issue=Issue(ACROSS)) == f"add{ACROSS.name} a3, a1, b2"
    assert (file_of(ADD, ACROSS, "ra"), file_of(ADD, ACROSS, "rb")) == ("a", "b")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_condition_stands_before_it(number: int) -> None:
    text = condition_text(PROCESSOR, number)
    assert text.startswith("!") is (number % 2 == 0)
    made = written(PROCESSOR, ADD, VALUES, issue=Issue(ADD.ways[0], number))
    assert made == f"[{text}] {written(PROCESSOR, ADD, VALUES)}"
    assert conditions(PROCESSOR)[text] == number


def test_what_is_issued_with_the_one_before() -> None:
    plain = written(PROCESSOR, ADD, VALUES)
    assert written(PROCESSOR, ADD, VALUES, issue=Issue(ADD.ways[0], parallel=True)) == f"|| {plain}"
    both = Issue(ADD.ways[0], 1, parallel=True)
    assert written(PROCESSOR, ADD, VALUES, issue=both) == f"|| [{condition_text(PROCESSOR, 1)}] {plain}"


def test_a_label() -> None:
    branch = PLAIN.by_name["beq"][0]
    assert written(PLAIN, branch, {"z": 0}, "end") == "beq end"


def test_processors_without_conditions_have_none() -> None:
    assert conditions(PLAIN) == {}
    assert PROCESSOR.predicates is not None
    assert len(conditions(PROCESSOR)) == 2 * len(PROCESSOR.predicates.registers)
