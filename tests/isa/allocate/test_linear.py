"""Registers: programs with more live words than registers still compute what they did."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from finalist import api
from finalist.ir.builder import Builder
from finalist.ir.execute import interpret
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import ArrayType, WordType
from finalist.isa.allocate.linear import Frame, Registers, pressure
from finalist.isa.build import Plan, build
from finalist.isa.code import Block, Code, Ins
from finalist.isa.simulate.run import SimulatedProgram
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed
from finalist.schedule import Schedule
from tests.processors import vliw

WORDS = Layout(2, 32, ByteOrder.LITTLE)

#: Words of memory for what has no register.
SLOTS = processor(parsed("")).slots


def crowded(live: int, times: int = 1) -> Program:
    """A kernel in which so many words are alive at once, each used twice, far apart; so many times."""
    make = Builder()
    k = [make.param("memory", WordType(32), f"k{n}") for n in range(2)]
    array: Node = make.array([0, 0], 32)
    for n in range(2):
        array = make.make(Op.STORE, (array, make.const(n, 32), k[n]))
    expand = Graph("g_expand_key", k, [array])
    make = Builder()
    a, b = (make.param("memory", WordType(32), name) for name in "ab")
    keys = make.param("key", ArrayType(2, 32), "keys")
    up, down = a, b
    for _ in range(times):
        first, other = up, down
        masks = [make.const(77 * n + 1, 32) for n in range(live)]
        words = [make.make(Op.MUL, (first, make.make(Op.XOR, (other, mask)))) for mask in masks]
        up = down = make.make(Op.LOAD, (keys, make.const(1, 32)))
        for word, mirrored in zip(words, reversed(words), strict=True):
            up = make.make(Op.ADD, (make.make(Op.ROL, (up, make.const(3, 8))), word))
            down = make.make(Op.XOR, (make.make(Op.ROL, (down, make.const(5, 8))), mirrored))
    return Program("g", "encrypt", 64, WORDS, WORDS, expand, Graph("g_encrypt", [a, b, keys], [up, down]))


@pytest.mark.parametrize("how", ["levels", "critical"])
@pytest.mark.parametrize(("live", "registers"), [(4, 32), (20, 32), (40, 32), (60, 32), (12, 8), (12, 6)])
@pytest.mark.every(2)
def test_more_words_than_registers(live: int, registers: int, how: str) -> None:
    text = agreed(crowded(live), how, registers)
    assert ("; spilled" in text.partition(".part block")[2]) == (live > 30 or registers < 10)


def agreed(program: Program, how: str, registers: int = 32) -> str:
    """The text of a program that has just done what the interpreter does."""
    p = processor(parsed("issue=2/1"))
    p = replace(p, files={"r": replace(p.main, count=registers)}, link=registers - 1)
    made = SimulatedProgram(program, Schedule(), p, build(program, p, Plan(how)))
    key, data = bytes(range(8)), bytes(range(100, 116))
    rows = np.frombuffer(data, np.uint8).reshape(2, 8)
    expected = interpret(program, np.frombuffer(key, np.uint8).reshape(1, 8), rows)
    assert made.run(key, data).output == expected.tobytes()
    return made.text


@pytest.mark.check
def test_memory_of_words_that_are_done_with_is_used_again() -> None:
    """More words have no register than memory is kept for, but few of them at once."""
    text = agreed(crowded(80, times=25), "levels")
    assert sum("st" in line for line in text.splitlines() if "; spilled" in line) > SLOTS


@pytest.mark.check
def test_more_words_at_once_than_memory_is_kept_for() -> None:
    """The others lie behind tables and arrays."""
    text = agreed(crowded(SLOTS + 40), "levels")
    assert [line.split()[1] for line in text.splitlines() if ".place slots" in line] == ["slots", "slots_2"]


def test_only_words_of_one_block_share_their_memory() -> None:
    """A word that lives across blocks may be alive where another block, that stands before, has its own."""
    frame = Frame(home=count().__next__, lasting={7})
    assert frame.of(1) == 0
    frame.leave(1)
    assert frame.of(7) == 1
    assert frame.of(2) == 0
    frame.leave(7)
    assert (frame.of(3), frame.of(7)) == (2, 1)


def test_a_copy_that_need_not_be_made_is_not_made() -> None:
    """The words of a loop of rounds stay in their registers."""
    text = api.compile("rc6", "plx", rounds=4).text
    loop = text.partition(".part block")[2].partition("bne")[0]
    assert "loop" in loop
    assert ", r0\n" not in loop.partition("loop")[2]


def test_words_of_a_block_that_are_alive_at_once() -> None:
    """The most of its own, one that is being made among them; and what it hands on is alive to the end."""
    p = processor(parsed(""))
    add = p.by_name["add"][0]
    sums = [(1, 8, 9), (2, 8, 9), (3, 8, 9), (4, 1, 2), (5, 4, 3)]
    block = Block("x", [Ins(add, [*words]) for words in sums])
    assert pressure(block, {1, 2, 3, 4, 5}, set()) == 4
    assert pressure(block, {1, 2, 3, 4, 5}, {1, 2}) == 5
    assert pressure(block, {4, 5}, set()) == 2


def test_conditions_get_the_number_of_a_register() -> None:
    """And what has none is issued as it is."""
    p = vliw.processor()
    plain, tested = (Ins(p.by_name["add"][0], [1, 2, 16]) for _ in range(2))
    tested.condition = 17, False
    registers = Registers(Code([Block("a", [plain, tested])]), p)
    for one in (plain, tested):
        registers.settle(one)
    assert plain.issue is None
    assert tested.issue is not None and p.predicates is not None
    assert p.predicates.tested(tested.issue.condition) == (("b", 1), False)
    assert plain.operands == [1, 2, 0] and plain.files == ("a", "a", "b")
