"""How often blocks are executed: by the loops around them, and by the calls of their routine."""

from __future__ import annotations

import pytest

from finalist.isa.code import Block, Code, Ins
from finalist.isa.shrink.frequency import executions
from finalist.machines.hc05.model import processor
from finalist.machines.hc05.parameters import Parameters

CARD = processor(Parameters())
BY_SYNTAX = {one.syntax: one for one in CARD.instructions}


def call(label: str) -> Ins:
    return Ins(BY_SYNTAX["jsr {to}"], [label])


def ins(syntax: str) -> Ins:
    one = BY_SYNTAX[syntax]
    return Ins(one, [0] * len(one.operands))


def back() -> Ins:
    return ins("rts")


def stop() -> Ins:
    return ins("stop")


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_loop_is_taken_to_have_sixteen_iterations(depth: int) -> None:
    assert executions(Code([Block("only", [stop()], depth)])) == {"only": 16**depth}


def test_a_routine_is_executed_as_often_as_it_is_called() -> None:
    blocks = [
        Block("start", [call("routine")]),
        Block("loop", [call("routine")], depth=1),
        Block("end", [stop()]),
        Block("routine", []),
        Block("inner", [back()], depth=1),
    ]
    assert executions(Code(blocks)) == {"start": 1, "loop": 16, "end": 1, "routine": 17, "inner": 17 * 16}


def test_calls_of_calls() -> None:
    blocks = [
        Block("start", [call("outer"), call("outer"), stop()]),
        Block("outer", [call("inner"), call("inner"), call("inner"), back()]),
        Block("inner", [back()]),
    ]
    assert executions(Code(blocks)) == {"start": 1, "outer": 2, "inner": 6}


def test_two_operations_share_a_routine() -> None:
    """In one run of one of them it is called half as often; but not less than once."""
    blocks = [
        Block("one", [call("routine")] * 3 + [stop()], entry="encrypt"),
        Block("two", [call("routine"), stop()], entry="decrypt"),
        Block("routine", [call("seldom"), back()]),
        Block("seldom", [back()]),
        Block("never", [back()]),
    ]
    found = executions(Code(blocks))
    assert (found["routine"], found["seldom"], found["never"]) == (2, 1, 1)


def test_what_calls_itself_ends() -> None:
    blocks = [Block("start", [call("loop"), stop()]), Block("loop", [call("loop"), back()])]
    assert executions(Code(blocks)) == {"start": 1, "loop": 1}


def test_a_loop_that_is_known_is_executed_as_often_as_that() -> None:
    blocks = [Block("known", [ins("rts")], 1, trips=8), Block("inner", [stop()], 2, trips=3)]
    assert executions(Code(blocks)) == {"known": 8, "inner": 48}
