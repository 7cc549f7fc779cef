"""Words changed where they are, where nothing wants the register afterwards."""

from __future__ import annotations

import pytest

from finalist.isa.allocate.in_place import changed_in_place
from finalist.isa.allocate.tidy import live_at_ends
from finalist.isa.assembly.text import written
from finalist.isa.code import Block, Cell, Ins
from finalist.machines.hc05.model import Parameters, processor

CARD = processor(Parameters())
BY_SYNTAX = {one.syntax: one for one in CARD.instructions}
Line = tuple[str, int]


def made(*lines: Line) -> list[str]:
    body = []
    for syntax, number in (*lines, ("stop", 0)):
        one = BY_SYNTAX[syntax]
        body.append(Ins(one, [Cell(number) if o.kind == "imm" else 0 for o in one.operands]))
    block = Block("start", body)
    changed_in_place([block], CARD, live_at_ends([block]))
    return [written(CARD, one.instruction, one.values) for one in block.body[:-1]]


def three(change: str, to: int = 5, register: str = "a") -> list[Line]:
    return [(f"ld{register} *{{m}}", 5), (change, 0), (f"st{register} *{{m}}", to)]


@pytest.mark.parametrize(
    ("change", "register", "whole"),
    [
        ("rola", "a", "rol *5"),
        ("lsra", "a", "lsr *5"),
        ("inca", "a", "inc *5"),
        ("coma", "a", "com *5"),
        ("aslx", "x", "asl *5"),
    ],
)
def test_three_are_one(change: str, register: str, whole: str) -> None:
    assert made(*three(change, register=register)) == [whole]


def test_carries_go_from_one_to_the_next() -> None:
    lines = [*three("asla"), ("lda *{m}", 6), ("rola", 0), ("sta *{m}", 6), ("lda *{m}", 7), ("adc *{m}", 8)]
    assert made(*lines, ("sta *{m}", 9)) == ["asl *5", "rol *6", "lda *7", "adc *8", "sta *9"]


def test_of_a_word_that_is_wanted_no_more_the_carry() -> None:
    out = ("sta *{m}", 9)
    lines = [("ldx *{m}", 5), ("aslx", 0), ("rola", 0), out]
    assert made(*lines) == ["asl *5", "rola", "sta *9"]
    assert made(*lines, ("lda *{m}", 5), out)[:2] == ["ldx *5", "aslx"]


def test_a_carry_may_be_made_between_the_load_and_what_takes_it() -> None:
    rest = [("rola", 0), ("sta *{m}", 5), ("ldx *{m}", 6), ("stx *{m}", 9)]
    assert made(("lda *{m}", 5), ("ldx *{m}", 6), ("aslx", 0), *rest)[:3] == ["ldx *6", "aslx", "rol *5"]


@pytest.mark.parametrize(
    "between",
    [
        [("inc *{m}", 5)],  # the word is another one then
        [("sta *{m}", 8), ("aslx", 0)],  # what was loaded is taken
        [("add *{m}", 8), ("aslx", 0)],
    ],
)
def test_else_nothing_is_between_them(between: list[Line]) -> None:
    assert made(("lda *{m}", 5), *between, ("rola", 0), ("sta *{m}", 5))[0] == "lda *5"


@pytest.mark.parametrize(
    "lines",
    [
        three("rola", to=6),  # another place
        [*three("rola"), ("sta *{m}", 6)],  # the register is wanted
        [("lda *{m}", 200), ("rola", 0), ("sta *{m}", 200)],  # no short address
        [("lda *{m}", 5), ("eor *{m}", 6), ("sta *{m}", 5)],  # of two words
        [("ldx *{m}", 5), ("rola", 0), ("stx *{m}", 5)],  # of another register
        [("sta *{m}", 5), ("rola", 0), ("sta *{m}", 5)],
        [("lda *{m}", 5), ("rola", 0), ("sta *{m}", 6)],
    ],
)
def test_what_is_more_than_that_stays(lines: list[Line]) -> None:
    kept = [line[0].replace("{m}", str(line[1])) for line in lines]
    assert made(*lines) == kept
