"""Branches that are too short for their distance."""

from __future__ import annotations

from finalist.isa.assembly.reach import within_reach
from finalist.isa.code import Block, Code, Ins
from tests.processors.accumulator import PROCESSOR


def code(between: int) -> Code:
    """A branch over so many instructions of a byte each."""
    one = PROCESSOR.by_name["asla"][0]
    branch = PROCESSOR.by_name["beq"][0]
    halt = PROCESSOR.by_name["halt"][0]
    body = [Ins(one, [0] * len(one.operands)) for _ in range(between)]
    return Code([Block("a", [Ins(branch, [0, "c"])]), Block("b", body), Block("c", [Ins(halt, [])])])


def test_what_reaches_stays() -> None:
    made = code(127)
    within_reach(made, PROCESSOR)
    assert [ins.instruction.name for ins in made.blocks[0].body] == ["beq"]


def test_what_is_too_far_goes_around_a_jump() -> None:
    made = code(128)
    within_reach(made, PROCESSOR)
    assert [block.label for block in made.blocks] == ["a", "a_far", "b", "c"]
    around, jump = made.blocks[0].body[-1], made.blocks[1].body[-1]
    assert (around.instruction.name, around.target) == ("bne", "b")
    assert (jump.instruction.name, jump.target) == ("jmp", "c")
