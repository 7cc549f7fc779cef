"""Rows that are alike are covered once: with the figures of a cover of the whole design."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.ops import Op
from finalist.machines.fpga.machine import Fpga
from finalist.machines.fpga.model.cover import Cover
from finalist.machines.fpga.model.delays import longest_way
from finalist.machines.fpga.model.rows import Rows
from finalist.machines.fpga.part import virtex
from finalist.machines.fpga.signals import Design, Signal
from finalist.schedule import parse_schedule


def made(name: str, *choices: str) -> Design:
    schedule = parse_schedule(choices)
    return Fpga().compile(cipher(name), operation="encrypt", key_bits=128, schedule=schedule).design


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("rc6", ["architecture=PP-4"]),
        ("rijndael", ["architecture=SP-2-1", "directions=both"]),
        ("twofish", ["architecture=SP-8-1"]),
        ("serpent", ["architecture=LU-1", "key-schedule=chip"]),
    ],
)
def test_cells_are_those_of_the_whole(name: str, choices: list[str]) -> None:
    design = made(name, *choices)
    whole = sum(cell.luts for cell in Cover(design.ends()).cells.values())
    assert sum(cell.luts * times for cell, times in Rows(design).cells()) == pytest.approx(whole)


def test_rounds_that_are_alike_are_covered_once() -> None:
    design = made("twofish", "architecture=SP-8-1")
    assert len({id(row) for row in Rows(design).stages}) < len(design.stages) / 2


def test_each_stage_takes_as_long_as_the_ways_that_end_in_its_registers() -> None:
    design, fabric = made("rc6", "architecture=SP-20-1"), virtex()
    for place, found in enumerate(Rows(design).delays(fabric)[:-1]):
        ends = [register.input for register in design.stages[place + 1].registers]
        assert found == pytest.approx(longest_way(ends, fabric))


def test_a_row_of_a_copied_stage_is_looked_at_again_where_it_takes_something_else() -> None:
    """Stages that were copied say so; a pass that changes one of them afterwards must be seen."""
    design = made("twofish", "architecture=SP-8-1")
    copied = [stage for stage in design.stages if stage.like() is not None]
    assert len({id(stage.like()) for stage in copied}) < len(copied)
    changed = copied[-1]
    register = changed.registers[0]
    one = Signal(Op.CONST, (), register.input.width, 1)
    register.input = Signal(Op.ADD, (register.input, one), register.input.width)
    assert changed.like() is None
    whole = sum(cell.luts for cell in Cover(design.ends()).cells.values())
    assert sum(cell.luts * times for cell, times in Rows(design).cells()) == pytest.approx(whole)
