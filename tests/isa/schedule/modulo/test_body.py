"""Bodies of loops as problems: choices, counters, and operands that take longer across."""

from __future__ import annotations

import pytest

from finalist.isa.code import Ins
from finalist.isa.schedule.modulo.body import Body, body_of
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.processor import Processor
from finalist.machines.c6x.model import processor

C62, C64 = processor("c62x"), processor("c64x")


def named(name: str, syntax: str, p: Processor = C64) -> Instruction:
    return next(one for one in p.instructions if one.name == name and syntax in one.syntax)


def body(p: Processor = C64) -> Body:
    """A word loaded, a sum with it, and a sum of that."""
    found = [
        Ins(named("LDW", "{ra}({imm})", p), [10, 1, 0]),
        Ins(named("XOR", "{rb}", p), [11, 10, 2]),
        Ins(named("XOR", "{rb}", p), [12, 11, 11]),
        Ins(named("XOR", "{rb}", p), [13, 12, 11]),
    ]
    return body_of(found, p, {"a": 9, "b": 9})


def crossing(found: Body, operation: int) -> set[tuple[int, ...]]:
    choices = found.problem.operations[operation].choices
    return {choice.waits for choice in choices if len(choice.resources) > 1}


def test_words_that_were_made_take_longer_across_and_loaded_ones_do_not() -> None:
    assert crossing(body(), 1) == {()}  # of a load, and of an invariant
    assert crossing(body(), 3) == {(1, 0), (0, 1)}
    assert crossing(body(C62), 3) == {()}


def test_an_operand_that_is_read_twice_does_not_cross() -> None:
    assert not crossing(body(), 2)


def test_what_is_read_and_never_made_is_an_invariant() -> None:
    found = body()
    assert found.invariants == [1, 2]
    assert [read.invariant for read in found.problem.operations[1].reads] == [-1, 1]


@pytest.mark.parametrize("p", [C62, C64])
def test_every_choice_has_a_form(p: object) -> None:
    found = body(p)
    for operation, forms in zip(found.problem.operations, found.forms, strict=True):
        assert len(operation.choices) == len(forms) > 0
        assert all(
            form.way.resources == c.resources for form, c in zip(forms, operation.choices, strict=True)
        )


def test_a_word_of_the_iteration_before() -> None:
    """A word that is read before it is written comes from an iteration earlier."""
    add = named("ADD", "{ra},{rb}")
    found = body_of([Ins(add, [10, 10, 2]), Ins(add, [11, 10, 2])], C64, {"a": 9, "b": 9})
    reads = [o.reads[0] for o in found.problem.operations]
    assert [(read.operation, read.distance) for read in reads] == [(0, 1), (0, 0)]
