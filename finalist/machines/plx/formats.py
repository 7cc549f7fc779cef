"""Where operands stand in an instruction word; the encoding is this project's own."""

from __future__ import annotations

from finalist.isa.target.instruction import Way
from finalist.isa.target.operand import Operand

RD = Operand("rd", "def", 25, 21)
RA = Operand("ra", "use", 20, 16)
RB = Operand("rb", "use", 15, 11)
RS = Operand("rs", "use", 25, 21)
SIGNED = Operand("imm", "imm", 15, 0, signed=True)
UNSIGNED = Operand("imm", "imm", 15, 0)
TARGET = Operand("to", "target", 15, 0)
FAR = Operand("to", "target", 25, 0)


def on(unit: str) -> tuple[Way, ...]:
    """The one way in which an instruction is issued: on a unit of this kind."""
    return (Way(unit),)
