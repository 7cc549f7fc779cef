"""Words that have no register: what stores them, what fetches them, and which constants are made anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.allocate.linear import Spilling
from finalist.isa.allocate.spilling import spilling
from finalist.isa.assembly.text import written
from finalist.isa.code import ZERO
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.target.memory import Memory
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed

#: Homes are at the addresses that an instruction has room for.
HOME = 48


def of(parameters: str = "") -> Spilling:
    return spilling(processor(parsed(parameters)), Memory(), Conventions())


@pytest.mark.parametrize(("parameters", "bits"), [("", 32), ("word=64", 64), ("word=128,with=ptlu", 128)])
def test_a_whole_register_goes_to_its_home_and_back(parameters: str, bits: int) -> None:
    model, by = processor(parsed(parameters)), of(parameters)
    stored, loaded = by.store(7, HOME), by.load(9, HOME)
    assert written(model, stored.instruction, stored.values) == f"store.{bits} r7, {HOME}(r0)"
    assert written(model, loaded.instruction, loaded.values) == f"load.{bits} r9, {HOME}(r0)"
    assert (stored.written, stored.read) == ([], [7, ZERO])
    assert (loaded.written, loaded.read) == ([9], [ZERO])
    assert {stored.note, loaded.note} == {"spilled"}


#: What one instruction's number reaches to, either side of 0.
MOST = 2**20 - 1


@pytest.mark.parametrize("value", [0, 1, MOST, -1, -MOST - 1])
@pytest.mark.parametrize(("parameters", "bits"), [("", 32), ("word=64", 64)])
def test_a_constant_is_made_by_one_instruction(value: int, parameters: str, bits: int) -> None:
    (made,) = of(parameters).constant(5, value % 2**bits)
    assert written(processor(parsed(parameters)), made.instruction, made.values) == f"loadi r5, {value}"


@pytest.mark.parametrize("value", [MOST + 1, 2**31 - 1, 2**31, 2**32 - MOST - 3])
def test_or_not_at_all(value: int) -> None:
    assert of().constant(5, value) == []


def test_nor_where_no_instruction_takes_a_number() -> None:
    model = processor(parsed(""))
    without = replace(model, instructions=tuple(i for i in model.instructions if i.name != "loadi"))
    assert spilling(without, Memory(), Conventions()).constant(5, 3) == []
