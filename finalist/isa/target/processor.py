"""A processor as data: registers, units, instructions, and what its programs find in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.isa.target.data_cache import DataCache
from finalist.isa.target.instruction import Effect, Instruction
from finalist.isa.target.meaning import InRegister, Leaf, Term
from finalist.isa.target.memory import Interleaved
from finalist.isa.target.registers import Register, RegisterFile

#: An instruction, numbers that have a few values only, and what it writes, with other operands open.
Form = tuple[Instruction, dict[str, int], Term]
#: An instruction of two results, numbers that it has, and both results.
Double = tuple[Instruction, dict[str, int], Effect, Effect]
#: The operations of a term's operands; None for what can be anything.
Shape = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Predicates:
    """Conditions under which instructions are executed: bits ``high`` .. ``low`` of an instruction.

    0 there means always, 2k - 1 that ``registers[k - 1]``, a file and a number, is other than 0, 2k that it
    is 0. ``skipped``: numbers after 0 that an instruction does not have.
    """

    high: int
    low: int
    registers: tuple[Register, ...]
    skipped: int = 0

    def encode(self, condition: int) -> int:
        """The bits of an instruction for a condition, by its number."""
        return condition + self.skipped << self.low if condition else 0

    def decode(self, word: int) -> int:
        """The number of the condition that an instruction has; -1 where it is none."""
        code = word >> self.low & (1 << self.high - self.low + 1) - 1
        number = code - self.skipped if code else 0
        return number if code == 0 or 1 <= number <= 2 * len(self.registers) else -1

    def tested(self, condition: int) -> tuple[Register, bool]:
        """The register that a condition, by its number, is about; whether it is that it is not 0."""
        return self.registers[(condition - 1) // 2], condition % 2 == 1

    def number(self, register: Register, sense: bool) -> int:
        """The number of the condition that a register is not 0, or, without ``sense``, that it is."""
        return 2 * self.registers.index(register) + (1 if sense else 2)


@dataclass(frozen=True, slots=True)
class WorkingMemory:
    """Memory that the words of programs live in, where registers only hold what is being worked on.

    ``direct`` bytes from address ``first`` on, which instructions name by short addresses; and as many as
    ``beyond`` elsewhere, which they name by long ones. All else that a program has lies from ``rest`` on,
    before ``end``, if that is given. ``block``: the block of data is in the first of them, and its words are
    worked on where they are.
    """

    first: int
    direct: int
    rest: int
    beyond: int = 0
    block: bool = False
    end: int = 0


@dataclass(frozen=True, slots=True)
class Idiom:
    """A few instructions that selection takes for one: ``parts``, of which a branch goes to their end.

    ``instruction``: what they do together, with the cycles of the longest way through them, and bits of all.
    """

    instruction: Instruction
    parts: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Counting:
    """How a loop counts down to 0 in the register that is added to addresses: its ``file``, and what sets it,
    takes 1 from it, and goes to the next iteration unless it was 0."""

    file: str
    set: Instruction
    down: Instruction
    again: Instruction

    @property
    def bits(self) -> int:
        """Of all three."""
        return self.set.bits + self.down.bits + self.again.bits

    @property
    def cycles(self) -> int:
        """Of an iteration."""
        return self.down.cycles + self.again.cycles


@dataclass(frozen=True)
class Processor:
    """A processor.

    ``files``: register files by name, that of its words first. ``issue``: instructions a cycle; ``units``:
    for each kind of unit or path how many of them; what is not named has ``issue``. ``banks``: how many
    memories of its own there are, of ``entries`` words of ``entry_bits`` bits each. ``link``: the register of
    the first file that calls write.

    ``word``: bits of a word of code, of which an instruction takes one or several. ``exposed``: whether a
    register keeps its old value until a result is there, and what follows a branch is still executed while
    it is under way; if not, instructions wait for what they read. ``parallel``: the bit of an instruction
    that says that the next one is issued in the same cycle.

    ``data``: where blocks lie in memory, behind everything else; ``slots``: words of memory before tables and
    arrays for what has no register, and how many more at a time behind them; ``reserved``: registers that a
    basic block keeps for words of its own; ``reach``: bytes that the displacement of a load or store spans.

    ``working``: where words live on a processor whose registers are too few for them; a place in memory is
    then named by an instruction, to which a register can add an index. ``single``: a call works on the one
    block that is at ``data``'s place, not on all that follow it. ``code``: the address of the first word of
    code, from which instructions with whole addresses count. ``stack``: where calls put the first byte of
    the address to return to, its lower one; each further one lies below; None where they have ``link``.
    ``idioms``: what is written for some words in place of an instruction; ``counting``: what
    iterations of a loop are counted with.

    ``cache``: between it and its data; None where every access takes a cycle. Of processors that wait alone.

    ``fetch``: words of code that are fetched together, from the first of which branches count; 0 where they
    count from their end. ``crossing``: whether instructions issued together may be fetched apart; ``base``:
    where memory that programs use begins; ``prelude``: macros that stand before a program, for assemblers of
    others; ``reads``: how often one register can be read in a cycle, 0 for any
    number; ``aligned``: whether addresses are multiples of what is read or written there. ``across``: cycles
    more that a result takes to be read over a path from the other side without a wait, unless a load has
    brought it; such paths are in ``paths``. ``shared``: those of them over which several units can read one
    register in a cycle. ``interleaved``: the banks of memory, where accesses of one cycle can meet; None
    for memory that serves all of them. ``copies``: by register file the address from which fixed tables lie
    once more, in a block of memory of their own, for what is looked up with an address in that file.
    """

    name: str
    files: Mapping[str, RegisterFile]
    instructions: tuple[Instruction, ...]
    issue: int = 1
    units: Mapping[str, int] = field(default_factory=dict)
    banks: int = 0
    entries: int = 256
    entry_bits: int = 0
    link: int | None = None
    word: int = 32
    exposed: bool = False
    parallel: int | None = None
    predicates: Predicates | None = None
    data: int = 1 << 20
    slots: int = 1024
    reserved: int = 22
    reach: int = 1 << 15
    working: WorkingMemory | None = None
    single: bool = False
    code: int = 0
    stack: int | None = None
    idioms: tuple[Idiom, ...] = ()
    counting: Counting | None = None
    fetch: int = 0
    crossing: bool = True
    base: int = 0
    prelude: str = ""
    reads: int = 0
    aligned: bool = False
    across: int = 0
    paths: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    interleaved: Interleaved | None = None
    copies: Mapping[str, int] = field(default_factory=dict)
    cache: DataCache | None = None

    def __post_init__(self) -> None:
        if self.cache and self.exposed:
            raise ValueError(f"cache={self.cache}: {self.name} does not wait for what it reads")

    # -- registers and units --------------------------------------------------------------------

    @cached_property
    def main(self) -> RegisterFile:
        """The registers that words of programs live in."""
        return next(iter(self.files.values()))

    @property
    def width(self) -> int:
        """Bits of a word."""
        return self.main.width

    @property
    def registers(self) -> int:
        """Registers of the first file."""
        return self.main.count

    def file(self, name: str) -> RegisterFile:
        """A register file by name; the first without one."""
        return self.files[name] if name else self.main

    def unit_count(self, unit: str) -> int:
        """Units of a kind."""
        return self.units.get(unit, self.issue)

    # -- instructions ---------------------------------------------------------------------------

    @cached_property
    def by_name(self) -> dict[str, list[Instruction]]:
        """The instructions of each mnemonic."""
        found: dict[str, list[Instruction]] = {}
        for one in self.instructions:
            found.setdefault(one.name, []).append(one)
        return found

    @cached_property
    def by_root(self) -> dict[tuple[object, int], list[Form]]:
        """Forms of instructions that have one effect beside status, by the operation that this ends in."""
        found: dict[tuple[object, int], list[Form]] = {}
        for one in self.instructions:
            for given, effects in one.forms:
                values = [e.value for e in effects if not (e.target and self._is_status(one, e.target))]
                if len(values) == 1:
                    found.setdefault((values[0].op, values[0].lane), []).append((one, given, values[0]))
        return found

    def _is_status(self, one: Instruction, target: str) -> bool:
        return self.file(one.by_name[target].file).status

    @cached_property
    def by_shape(self) -> dict[tuple[object, int], list[tuple[Shape, list[Form]]]]:
        """The same, put together by the operations that their operands end in: there can be hundreds."""
        found: dict[tuple[object, int], list[tuple[Shape, list[Form]]]] = {}
        for root, forms in self.by_root.items():
            shapes: dict[Shape, list[Form]] = {}
            for form in forms:
                shapes.setdefault(_shape(form[2]), []).append(form)
            found[root] = list(shapes.items())
        return found

    @cached_property
    def doubles(self) -> tuple[Double, ...]:
        """The forms of instructions that write two words."""
        return tuple(
            (one, given, effects[0], effects[1])
            for one in self.instructions
            for given, effects in one.forms
            if len(effects) == 2 and all(e.target and not self._is_status(one, e.target) for e in effects)
        )

    @cached_property
    def lanes(self) -> frozenset[int]:
        """Bits of the parts of a word that it adds in one instruction, beside the whole."""
        return frozenset(lane for op, lane in self.by_root if op is Op.ADD and lane)

    @cached_property
    def rotated(self) -> frozenset[int]:
        """Bits of the words that it rotates in one instruction."""
        return frozenset(lane or self.width for op, lane in self.by_root if op in (Op.ROR, Op.ROL))

    @cached_property
    def shifts_by_words(self) -> bool:
        """Whether it shifts by an amount in a register."""
        return any(
            one.by_name[name].is_register
            for one, _, meaning in self.by_root.get((Op.SHL, 0), ())
            for name in _operands(meaning.args[1])
        )

    @cached_property
    def amounts(self) -> int:
        """Amounts of shifts that count in a register: those below this, where it gives 0 for more than a
        word has bits."""
        for _, _, meaning in self.by_root.get((Op.SHL, 0), ()):
            amount = meaning.args[1]
            if amount.op is Op.AND and amount.args[1].number is not None:
                return amount.args[1].number + 1
        return self.width

    @cached_property
    def fields(self) -> bool:
        """Whether an instruction takes a field of bits out of a word."""
        return any(
            m.args[0].op is Op.SHL and all(arg.op is Leaf.OPERAND for arg in (m.args[1], *m.args[0].args))
            for _, _, m in self.by_root.get((Op.SHR, 0), ())
        )

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


def _shape(meaning: Term) -> Shape:
    """What the operands of a meaning end in."""
    return tuple(None if arg.op is Leaf.OPERAND else arg.op for arg in meaning.args)


def _operands(meaning: Term) -> Iterator[str]:
    if meaning.op is Leaf.OPERAND:
        yield meaning.attr
    for arg in meaning.args:
        yield from _operands(arg)


def _tables(meaning: Term) -> Iterator[object]:
    if meaning.op is Op.LOOKUP and isinstance(meaning.attr, TableData):
        yield meaning.attr
    for arg in meaning.args:
        yield from _tables(arg)
