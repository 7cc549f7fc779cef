"""An operand of an instruction: what it can be, and the bits of the instruction that hold it."""

from __future__ import annotations

from dataclasses import dataclass

from finalist.errors import FinalistError


class AssemblyError(FinalistError):
    """Assembly text, or an instruction word, that the processor does not have; names line and operand."""


#: Kinds of operands that are registers.
REGISTERS = ("def", "use", "both")


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand and the bits ``high`` .. ``low`` of the instruction that hold it; of an implied one, none.

    ``kind``: ``def`` (register written), ``use`` (register read), ``both``, ``imm`` (a number), ``target``
    (the number of words of code from the instruction's end to where a branch goes), ``place`` (the address of
    where it goes). ``values``: where only
    these numbers are accepted, of which the instruction holds the place; they may be part of its name.
    ``file``: the registers that it can be one of, by name; the processor's first file where none is said,
    or that of the way in which the instruction is issued.
    """

    name: str
    kind: str
    high: int = -1
    low: int = 0
    signed: bool = False
    values: tuple[int, ...] = ()
    file: str = ""

    @property
    def bits(self) -> int:
        """Bits in the instruction."""
        return self.high - self.low + 1

    @property
    def implied(self) -> bool:
        """Whether it stands neither in the instruction nor in its text: a lone register."""
        return self.bits == 0

    @property
    def is_register(self) -> bool:
        """Whether it is one."""
        return self.kind in REGISTERS

    @property
    def is_target(self) -> bool:
        """Whether it is where the program goes on."""
        return self.kind in ("target", "place")

    @property
    def written(self) -> bool:
        """Whether it is a register that the instruction writes."""
        return self.kind in ("def", "both")

    @property
    def read(self) -> bool:
        """Whether it is a register that the instruction reads."""
        return self.kind in ("use", "both")

    def accepts(self, value: int, width: int = 64) -> bool:
        """Whether the operand can be this number; ``width``: bits of a register, modulo which it counts."""
        if self.values:
            return value in self.values
        if self.signed:
            half = 1 << self.bits - 1
            return -half <= signed(value, width) < half
        return 0 <= value < 1 << self.bits

    def encode(self, value: int) -> int:
        """The number as the instruction has it."""
        code = self.values.index(value) if self.values else value
        return (code & (1 << self.bits) - 1) << self.low

    def decode(self, word: int) -> int:
        """The number that an instruction holds. Raises AssemblyError."""
        code = word >> self.low & (1 << self.bits) - 1
        if self.values:
            if code >= len(self.values):
                raise AssemblyError(
                    f"word {word:08x}: {self.name} is {code}; accepted: under {len(self.values)}"
                )
            return self.values[code]
        return signed(code, self.bits) if self.signed or self.kind == "target" else code

    def accepted(self) -> str:
        """What the operand can be, for messages."""
        if self.values:
            return ", ".join(map(str, self.values))
        low = -(1 << self.bits - 1) if self.signed else 0
        return f"{low} to {low + (1 << self.bits) - 1}"


def signed(value: int, bits: int) -> int:
    """The lowest ``bits`` bits as a number in two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits and value >> bits - 1 else value
