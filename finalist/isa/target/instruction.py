"""An instruction as data: operands with their places in the word, unit, latency, and a meaning.

A processor is a table of these, with registers and units. Adding an instruction is adding one entry.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from finalist.errors import FinalistError
from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.isa.target.meaning import Bank, Flow, InRegister, Leaf, Term, operand, term


class AssemblyError(FinalistError):
    """Assembly text, or an instruction word, that the processor does not have; names line and operand."""


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand and the bits ``high`` .. ``low`` of the instruction word that hold it.

    ``kind``: ``def`` (register written), ``use`` (register read), ``imm`` (a number), ``target`` (the
    number of instructions from the next one to where a branch goes). ``values``: where only these numbers
    are accepted, of which the word holds the place; they may be part of the instruction's name.
    """

    name: str
    kind: str
    high: int
    low: int
    signed: bool = False
    values: tuple[int, ...] = ()

    @property
    def bits(self) -> int:
        """Bits in the instruction word."""
        return self.high - self.low + 1

    def accepts(self, value: int, width: int = 64) -> bool:
        """Whether the operand can be this number; ``width``: bits of a register, modulo which it counts."""
        if self.values:
            return value in self.values
        if self.signed:
            half = 1 << self.bits - 1
            return -half <= _signed(value, width) < half
        return 0 <= value < 1 << self.bits

    def encode(self, value: int) -> int:
        """The number as the instruction word has it."""
        code = self.values.index(value) if self.values else value
        return (code & (1 << self.bits) - 1) << self.low

    def decode(self, word: int) -> int:
        """The number that an instruction word holds. Raises AssemblyError."""
        code = word >> self.low & (1 << self.bits) - 1
        if self.values:
            if code >= len(self.values):
                raise AssemblyError(
                    f"word {word:08x}: {self.name} is {code}; accepted: under {len(self.values)}"
                )
            return self.values[code]
        return _signed(code, self.bits) if self.signed or self.kind == "target" else code

    def accepted(self) -> str:
        """What the operand can be, for messages."""
        if self.values:
            return ", ".join(map(str, self.values))
        low = -(1 << self.bits - 1) if self.signed else 0
        return f"{low} to {low + (1 << self.bits) - 1}"


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


@dataclass(frozen=True, eq=False)
class Instruction:
    """One instruction.

    ``syntax``: how it is written, with operands in braces: ``"add {rd}, {ra}, {rb}"``. ``code``: the bits of
    the instruction word that are not operands. ``meaning``: a function of those operands that it names,
    giving the word that is written to the ``def`` operand, or a store, a write to a bank, or what it does to
    the course of the program; None where a combination of numbers is not legal.
    """

    syntax: str
    operands: tuple[Operand, ...]
    code: int
    meaning: Callable[..., Term | None]
    unit: str = "alu"
    latency: int = 1
    #: What the profile counts it as, where the unit does not say.
    kind: str = ""

    @cached_property
    def name(self) -> str:
        """The mnemonic without numbers."""
        return self.syntax.partition(" ")[0].partition(".{")[0]

    @cached_property
    def fixed(self) -> int:
        """The bits of the instruction word that say which instruction it is."""
        used = sum((1 << o.high + 1) - (1 << o.low) for o in self.operands)
        return 0xFFFFFFFF & ~used

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The operands that the meaning names."""
        return tuple(inspect.signature(self.meaning).parameters)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What its text looks like."""
        text = re.escape(self.syntax.replace("{", "<").replace("}", ">"))
        for o in self.operands:
            what = r"[Rr]\d+" if o.kind in ("def", "use") else r"-?\w+"
            text = text.replace(f"<{o.name}>", f"(?P<{o.name}>{what})")
        return re.compile(text.replace(r"\ ", r"\s*").replace("\\ ", r"\s*") + r"\Z")

    def __repr__(self) -> str:
        return f"<{self.syntax}>"

    # -- meanings -------------------------------------------------------------------------------

    def means(self, values: Mapping[str, Term | int]) -> Term:
        """The meaning for these operands. Raises AssemblyError for a combination that is not legal."""
        given = {
            name: values[name] if self.by_name[name].values else term(values[name])
            for name in self.parameters
        }
        found = self.meaning(**given)
        if found is None:
            told = " ".join(f"{o.name}={values[o.name]}" for o in self.operands if o.values)
            raise AssemblyError(f"{self.name}: this combination is not legal: {told}")
        return found

    @cached_property
    def forms(self) -> tuple[tuple[dict[str, int], Term], ...]:
        """Its legal forms: numbers that have a few values only, and the meaning with other operands open."""
        return tuple(self._forms())

    def _forms(self) -> Iterator[tuple[dict[str, int], Term]]:
        listed = [o for o in self.operands if o.values]
        for chosen in product(*(o.values for o in listed)):
            given = {o.name: value for o, value in zip(listed, chosen, strict=True)}
            values = {name: given.get(name, operand(name)) for name in self.parameters}
            meaning = self.meaning(**values)
            if meaning is not None:
                yield given, term(meaning)

    @cached_property
    def by_name(self) -> dict[str, Operand]:
        """Its operands."""
        return {o.name: o for o in self.operands}

    @cached_property
    def written(self) -> int | None:
        """The place among its operands of the register that it writes."""
        return next((k for k, o in enumerate(self.operands) if o.kind == "def"), None)

    @cached_property
    def read(self) -> tuple[int, ...]:
        """The places among its operands of the registers that it reads."""
        return tuple(k for k, o in enumerate(self.operands) if o.kind == "use")

    @cached_property
    def flow(self) -> Flow | None:
        """What it does to the course of the program, if anything."""
        found = self.forms[0][1].op
        return found if isinstance(found, Flow) else None

    @cached_property
    def effect(self) -> str:
        """What it does outside of registers: load, store, read or write (of a bank), or nothing."""
        meaning = self.forms[0][1]
        if meaning.op is Op.STORE:
            return "store" if isinstance(meaning.attr, int) else "write"
        return _reads(meaning)


def _reads(meaning: Term) -> str:
    if meaning.op is Op.LOAD:
        return "load"
    if meaning.op is Op.LOOKUP and isinstance(meaning.attr, Bank):
        return "read"
    return next(filter(None, map(_reads, meaning.args)), "")


#: An instruction, numbers that have a few values only, and the meaning with other operands open.
Form = tuple[Instruction, dict[str, int], Term]
#: The operations of a term's operands; None for what can be anything.
Shape = tuple[object, ...]


def shape(meaning: Term) -> Shape:
    """What the operands of a meaning end in."""
    return tuple(None if arg.op is Leaf.OPERAND else arg.op for arg in meaning.args)


def _tables(meaning: Term) -> Iterator[object]:
    if meaning.op is Op.LOOKUP and isinstance(meaning.attr, TableData):
        yield meaning.attr
    for arg in meaning.args:
        yield from _tables(arg)


@dataclass(frozen=True)
class Processor:
    """A processor: registers, instructions, and how many it starts in a cycle.

    ``width``: bits of a register. Register 0 reads as 0. ``issue``: instructions a cycle, in order;
    ``units``: for each kind of unit how many of them; what is not named has ``issue``. ``banks``: how many
    memories of its own there are, of ``entries`` words each.
    """

    name: str
    width: int
    registers: int
    instructions: tuple[Instruction, ...]
    issue: int = 1
    units: Mapping[str, int] = field(default_factory=dict)
    banks: int = 0
    entries: int = 256
    link: int = 31

    @cached_property
    def by_name(self) -> dict[str, list[Instruction]]:
        """The instructions of each mnemonic."""
        found: dict[str, list[Instruction]] = {}
        for one in self.instructions:
            found.setdefault(one.name, []).append(one)
        return found

    @cached_property
    def by_root(self) -> dict[tuple[object, int], list[Form]]:
        """All forms of instructions that make a word, by the operation that they end in."""
        found: dict[tuple[object, int], list[Form]] = {}
        for one in self.instructions:
            for given, meaning in one.forms:
                found.setdefault((meaning.op, meaning.lane), []).append((one, given, meaning))
        return found

    @cached_property
    def by_shape(self) -> dict[tuple[object, int], list[tuple[Shape, list[Form]]]]:
        """The same, put together by the operations that their operands end in: there can be hundreds."""
        found: dict[tuple[object, int], list[tuple[Shape, list[Form]]]] = {}
        for root, forms in self.by_root.items():
            shapes: dict[Shape, list[Form]] = {}
            for form in forms:
                shapes.setdefault(shape(form[2]), []).append(form)
            found[root] = list(shapes.items())
        return found

    @cached_property
    def lanes(self) -> frozenset[int]:
        """Bits of the parts of a word that it adds in one instruction, beside the whole."""
        return frozenset(lane for op, lane in self.by_root if op is Op.ADD and lane)

    @cached_property
    def rotated(self) -> frozenset[int]:
        """Bits of the words that it rotates in one instruction."""
        return frozenset(lane or self.width for op, lane in self.by_root if op is Op.ROR)

    @cached_property
    def built_in(self) -> frozenset[object]:
        """Fixed tables that instructions look up."""
        return frozenset(table for forms in self.by_root.values() for *_, m in forms for table in _tables(m))

    @cached_property
    def permutes(self) -> tuple[InRegister, ...]:
        """How instructions read a table in a register."""
        attrs = [m.attr for *_, m in self.by_root.get((Op.LOOKUP, 0), ())]
        return tuple(dict.fromkeys(attr for attr in attrs if isinstance(attr, InRegister)))

    def has(self, op: object, lane: int = 0) -> bool:
        """Whether an instruction ends in this operation."""
        return (op, lane) in self.by_root

    def unit_count(self, unit: str) -> int:
        """Units of a kind."""
        return self.units.get(unit, self.issue)
