"""Copies of fixed tables in another block of memory: which words get the address of one."""

from __future__ import annotations

import pytest

from finalist.ir.graph import TableData
from finalist.isa.bases import copied
from finalist.isa.code import Ins
from finalist.isa.target.memory import Memory
from finalist.machines.c6x.model import processor

P = processor("c62x")
#: Words of a body: with the address of the table, an index, a result.
BASE, INDEX, MADE = 1, 2, 3
HELD = [(BASE, "a"), (BASE, "b")]
BLOCK = 1 << 15


def ins(syntax: str, **operands: int) -> Ins:
    """The instruction that begins so."""
    found = next(one for one in P.instructions if one.syntax.startswith(syntax))
    return Ins(found, [operands[o.name] for o in found.operands])


def looked_up() -> Ins:
    return ins("LDW {way} *+{ra}[{rb}]", ra=BASE, rb=INDEX, rd=MADE)


@pytest.fixture
def memory() -> Memory:
    made = Memory(128)
    made.table(TableData(tuple(range(256)), 32, "t"))
    return made


def copies(memory: Memory, body: list[Ins], value: int = 128, **blocks: int) -> dict[tuple[int, str], int]:
    found = copied(body, HELD, {BASE: value}, memory, blocks)
    return {held: place.address for held, place in found.items()}


def test_each_side_looks_up_in_its_own_block(memory: Memory) -> None:
    assert copies(memory, [looked_up()], a=BLOCK) == {(BASE, "a"): BLOCK}
    copy = memory.places[-1]
    assert copy.address == BLOCK and memory.contents[copy] == tuple(range(256))


def test_without_blocks_nothing_is_copied(memory: Memory) -> None:
    assert copies(memory, [looked_up()]) == {}
    assert len(memory.places) == 1


@pytest.mark.parametrize(
    "other",
    [
        ins("ADD {way} {ra},{rb},{rd}", ra=BASE, rb=INDEX, rd=MADE),  # its value counts
        ins("LDW {way} *+{ra}({imm})", ra=BASE, imm=0, rd=MADE),  # what lies at a distance from it
        ins("STW {way} {rs},*+{ra}[{rb}]", ra=BASE, rb=INDEX, rs=MADE),  # changed in one place
        ins("LDW {way} *+{ra}[{rb}]", ra=BASE, rb=BASE, rd=MADE),  # an index, too
    ],
)
def test_what_is_not_only_looked_up_in_stays(memory: Memory, other: Ins) -> None:
    assert copies(memory, [looked_up(), other], a=BLOCK) == {}


def test_a_number_that_is_no_tables_address_stays(memory: Memory) -> None:
    assert copies(memory, [looked_up()], value=132, a=BLOCK) == {}


def test_without_room_in_the_block_nothing_is_copied(memory: Memory) -> None:
    memory.top = 2 * BLOCK - 1023
    assert copies(memory, [looked_up()], a=BLOCK) == {}
