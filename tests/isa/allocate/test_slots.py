"""Words of memory for what has no register: the first area, further ones, and where there is no more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.allocate.linear import NoRoomError, Spilling
from finalist.isa.allocate.slots import Slots, spilling
from finalist.isa.assembly.text import written
from finalist.isa.code import ZERO
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.target.memory import Memory
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed


def slots(count: int = 3, reach: int = 1 << 10) -> Slots:
    return Slots("toy", Memory(256), 4, count, reach)


def test_words_come_one_after_the_other() -> None:
    made = slots()
    assert [made.take() for _ in range(3)] == [256, 260, 264]
    assert [(area.address, area.size) for area in made.areas] == [(256, 12)]


def test_further_words_lie_behind_all_else() -> None:
    made = slots()
    table = made.memory.place("T", 2, 5)
    assert [made.take() for _ in range(7)] == [256, 260, 264, 280, 284, 288, 292]
    assert table.end == 278 and len(made.areas) == 3
    assert len({area.name for area in made.areas}) == 3


def test_what_is_made_anew_begins_with_fewer() -> None:
    made = slots()
    before = [made.take() for _ in range(5)]
    made.taken = 1
    assert [made.take() for _ in range(4)] == before[1:]
    assert len(made.areas) == 2


def test_displacements_span_no_more() -> None:
    made = slots(reach=256 + 24)
    for _ in range(6):
        assert made.take() + 4 <= 280
    with pytest.raises(NoRoomError, match=r"^toy needs more than 6 words beside the registers$"):
        made.take()


def test_a_processor_that_works_in_memory_has_none() -> None:
    with pytest.raises(NoRoomError, match=r"^toy needs more than 0 words beside the registers$"):
        slots(0).take()


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


def test_each_word_that_is_fetched_or_spilled_has_an_instruction_of_its_own() -> None:
    by = of()
    first, second = by.load(7, HOME), by.load(9, HOME)
    assert first.instruction is second.instruction and (first.written, second.written) == ([7], [9])
    first.operands[0] = 3
    assert by.load(7, HOME).written == [7] and by.load(7, HOME + 4).operands != by.load(7, HOME).operands
    assert by.store(7, HOME).read == [7, ZERO] and by.store(9, HOME).read == [9, ZERO]
