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
    or that of the way in which the instruction is issued. ``scale``: of a number the instruction holds the
    quotient by it, so that only multiples are accepted, from ``least`` on. ``pair``: the operand of which
    this one is the register after: both are an even register and the odd one above, written together.
    """

    name: str
    kind: str
    high: int = -1
    low: int = 0
    signed: bool = False
    values: tuple[int, ...] = ()
    file: str = ""
    scale: int = 1
    least: int | None = None
    pair: str = ""

    @property
    def bits(self) -> int:
        """Bits in the instruction."""
        return self.high - self.low + 1

    @property
    def implied(self) -> bool:
        """Whether it stands neither in the instruction nor in its text: a lone register."""
        return self.bits == 0 and not self.pair

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
        value = signed(value, width) if self.signed else value
        if value % self.scale or (self.least is not None and value < self.least):
            return False
        if self.signed:
            half = self.scale << self.bits - 1
            return -half <= value < half
        return 0 <= value < self.scale << self.bits

    def encode(self, value: int) -> int:
        """The number as the instruction has it."""
        code = self.values.index(value) if self.values else value // self.scale
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
        return self.scale * (signed(code, self.bits) if self.signed or self.kind == "target" else code)

    def accepted(self) -> str:
        """What the operand can be, for messages."""
        if self.values:
            return ", ".join(map(str, self.values))
        low = -(1 << self.bits - 1) if self.signed else 0
        first = low * self.scale if self.least is None else self.least
        steps = f", multiples of {self.scale}" if self.scale > 1 else ""
        return f"{first} to {(low + (1 << self.bits) - 1) * self.scale}{steps}"


def signed(value: int, bits: int) -> int:
    """The lowest ``bits`` bits as a number in two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits and value >> bits - 1 else value
