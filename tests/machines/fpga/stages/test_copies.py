"""Copies of registers that drive much: the same words, and no register drives many cells."""

from __future__ import annotations

import random
import re

import pytest

from finalist.api import compile as compile_cipher
from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.machines.fpga.model.fanout import fanouts
from finalist.machines.fpga.signals import Part, Register, Signal, Stage, constant
from finalist.machines.fpga.stages.copies import MOST, spread
from finalist.machines.fpga.walks import in_order
from tests.machines.fpga.values import value, word


def row(*widths: int) -> tuple[Stage, list[Signal]]:
    """A stage with registers of these widths, and what the logic before it hands them."""
    before = [word(width, f"before{k}") for k, width in enumerate(widths)]
    registers = [Register(word(w.width, f"s1_{k}"), w) for k, w in enumerate(before)]
    return Stage("some logic", word(1), registers), before


def selected(bit: Signal, place: int, one: Signal, other: Signal) -> Signal:
    return Signal(Op.SELECT, (Signal(Op.SLICE, (bit,), 1, place), one, other), one.width)


def after_the_clock(stage: Stage, before: dict[Signal, int]) -> dict[Signal, int]:
    return {register.output: value(register.input, before) for register in stage.registers}


def check(stage: Stage, before: list[Signal], ends: list[Signal], alone: int = MOST) -> None:
    """The same words as before, from registers that drive at most so much."""
    draw = random.Random(5)
    given = [{own: draw.getrandbits(own.width) for own in before} for _ in range(20)]
    wanted = [[value(end, after_the_clock(stage, words)) for end in ends] for words in given]
    found = spread(stage, ends)
    assert [[value(end, after_the_clock(stage, words)) for end in found] for words in given] == wanted
    loads = fanouts(in_order(found), ())
    assert max(loads.get(register.output, 0) for register in stage.registers) <= alone


def copies(stage: Stage) -> list[tuple[str, int]]:
    own = [r for r in stage.registers if r.keep]
    found = [(r.output.name, r.output.width) for r in own if "_copy" in r.output.name]
    assert {r.output.name for r in own} - dict(found).keys() == {name.split("_copy")[0] for name, _ in found}
    return found


def test_a_rotation_by_a_word_has_copies_of_the_amount() -> None:
    stage, before = row(32, 32)
    amount, data = (register.output for register in stage.registers)
    for place in range(5):
        moved = Signal(Op.ROL, (data, constant(1 << place, 8)), 32)
        data = selected(amount, 27 + place, moved, data)
    check(stage, before, [data])
    assert copies(stage) == [(f"s1_0_copy{k}", 5) for k in (1, 2, 3)]


def test_a_choice_among_many_is_made_in_parts() -> None:
    stage, before = row(2, 20, 20, 20, 20)
    select, *words = (register.output for register in stage.registers)
    check(stage, before, [Signal(Part.MUX, (select, *words), 20, (2, 0, 3, 1))])
    assert copies(stage) == [(f"s1_0_copy{k}", 2) for k in (1, 2, 3, 4)]


@pytest.mark.parametrize("seed", range(5))
def test_a_linear_map_is_made_in_parts(seed: int) -> None:
    draw = random.Random(seed)
    stage, before = row(8, 8, 8)
    words = [register.output for register in stage.registers]
    matrices = tuple(tuple(draw.getrandbits(32) for _ in range(8)) for _ in words)
    check(stage, before, [Signal(Op.LINEAR, words, 32, matrices)])
    assert copies(stage)


def test_tables_are_not_parted_but_read_copies() -> None:
    """Three of sixteen bits at one address: each has a register of its own, and the sum reads the first."""
    stage, before = row(4)
    (address,) = (register.output for register in stage.registers)
    draw = random.Random(3)
    tables = [TableData(tuple(draw.getrandbits(16) for _ in range(16)), 16, f"T{k}") for k in range(3)]
    ends = [Signal(Op.LOOKUP, (address,), 16, table) for table in tables]
    check(stage, before, [*ends, address], alone=16)
    assert copies(stage) == [("s1_0_copy1", 4), ("s1_0_copy2", 4)]


def test_registers_that_drive_little_stay() -> None:
    stage, _ = row(8, 8)
    a, b = (register.output for register in stage.registers)
    ends = [Signal(Op.XOR, (a, b), 8), selected(a, 0, constant(3, 6), constant(5, 6))]
    assert spread(stage, ends) == ends
    assert len(stage.registers) == 2


@pytest.mark.parametrize("seed", range(10))
def test_random_logic(seed: int) -> None:
    draw = random.Random(seed)
    stage, before = row(16, 16, 16)
    words = [register.output for register in stage.registers]
    for _ in range(25):
        a, b, c = draw.choices(words, k=3)
        kind = draw.randrange(4)
        if kind == 0:
            made = selected(a, draw.randrange(16), b, c)
        elif kind == 1:
            made = Signal(Op.XOR, (a, Signal(Op.ROL, (b, constant(draw.randrange(16), 8)), 16)), 16)
        elif kind == 2:
            matrix = tuple(draw.getrandbits(16) & draw.getrandbits(16) for _ in range(16))
            made = Signal(Op.LINEAR, (a, b), 16, (matrix, matrix[::-1]))
        else:
            made = Signal(Op.JOIN, (Signal(Op.SLICE, (a,), 7, 3), Signal(Op.SLICE, (b,), 9, 7)), 16)
        words.append(made)
    check(stage, before, words[-4:])


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("verilog", r'\(\* keep = "true" \*\) reg \[\d+:0\] (s2_\w+)'),
        ("vhdl", r'attribute keep of (s2_\w+) : signal is "true";'),
    ],
)
def test_the_text_says_that_copies_are_to_be_kept(language: str, says: str) -> None:
    """Else a synthesiser takes registers that are always equal for one."""
    program = compile_cipher("rc6", "fpga", architecture="SP-1-2", language=language)
    found = re.findall(says, program.text)
    kept = [r.output.name for stage in program.design.stages for r in stage.registers if r.keep]
    assert found == kept
    assert len(kept) == 2 + 6


def test_one_bit_that_is_chosen_of_many_is_not_parted() -> None:
    """A multiplexer of one bit has a heavy select, and no parts."""
    stage, before = row(5, 1)
    select, bit = (register.output for register in stage.registers)
    words = [bit, *(constant(k % 2, 1) for k in range(31))]
    end = Signal(Part.MUX, (select, *words), 1, tuple(range(32)))
    given = {before[0]: 3, before[1]: 1}
    wanted = value(end, after_the_clock(stage, given))
    (found,) = spread(stage, [end])
    assert value(found, after_the_clock(stage, given)) == wanted
