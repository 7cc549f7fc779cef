"""Instructions: which of their bits say what they are."""

from __future__ import annotations

from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.operand import Operand

RA, RD = Operand("ra", "use", 5, 3), Operand("rd", "def", 2)


def test_bits_of_the_way_are_those_that_ways_differ_in() -> None:
    """What all ways have in common is the instruction's."""
    ways = tuple(Way("alu", name=str(k), code=code << 6) for k, code in enumerate((0b1100, 0b1101, 0b1110)))
    one = Instruction("mv.{way} {rd}, {ra}", (RD, RA), 0b101 << 12, lambda ra: ra, ways, bits=16)
    assert one.ways_mask == 0b0011 << 6
    assert one.fixed == 0b1111_1111_0000_0000


def test_an_instruction_of_one_way() -> None:
    one = Instruction("not {rd}, {ra}", (RD, RA), 0b101 << 12, lambda ra: ~ra, bits=16)
    assert one.ways_mask == 0
    assert one.fixed == 0b1111_1111_1100_0000
