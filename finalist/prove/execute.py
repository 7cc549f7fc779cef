"""Assembled words of any simulated processor carried out on keys and blocks that are not known.

What is executed are decoded instructions, each by its meaning. The control flow has to be known: where a
branch depends on key or block, this ends with `NotCoveredError`, which says where. Registers, banks and
memory that the program has not written are unknown words of their own, so that a program whose output
depends on what was left there is no proof.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from finalist.ir.ops import Op
from finalist.isa.assembly.assembler import Image
from finalist.isa.assembly.decoder import Decoded, Decoder
from finalist.isa.target.instruction import Effect
from finalist.isa.target.meaning import Bank, Flow, Leaf, Term, operand
from finalist.isa.target.processor import Processor
from finalist.prove.bits import Word, bits_of, known
from finalist.prove.exposed import Pipeline
from finalist.prove.meanings import value
from finalist.prove.memory import Memory
from finalist.prove.words import NotCoveredError, Words

#: Instructions after which a program is taken not to end.
LIMIT = 2_000_000


@dataclass(frozen=True, slots=True)
class Deferred:
    """The word of a status register that nothing has read yet: a meaning, the words of its operands, and of
    the terms within it that have one already, those out of memory among them."""

    meaning: Term
    operands: Mapping[str, Word]
    made: dict[Term, Word]


Registers = dict[tuple[str, int], Word | Deferred]


@dataclass(slots=True)
class Leaks:
    """Lines of the text with addresses that depend on key or block; everything else is the same for all."""

    addresses: set[int] = field(default_factory=set)

    @property
    def label(self) -> str:
        """As `finalist.passes.timing` has it."""
        return "table lookups" if self.addresses else "constant-time"


def leaks(*runs: Execution) -> Leaks:
    """Those of some runs together."""
    return Leaks(set[int]().union(*(run.leaks.addresses for run in runs)))


class Execution:
    """One processor with its memory."""

    def __init__(self, image: Image, processor: Processor, words: Words, limit: int) -> None:
        self.image, self.processor, self.words = image, processor, words
        self.code = Decoder(processor).all(image.words)
        self.memory = Memory(words, image.order, limit, processor.aligned)
        self.banks: dict[tuple[int, int], Word] = {}
        self.registers: Registers = {}
        self.leaks = Leaks()
        self.first = next(iter(processor.files))
        self.entered = ""
        self.executed = 0
        #: Where instructions begin that were executed.
        self.visited: set[int] = set()
        self._effects: dict[int, tuple[Effect, ...]] = {}
        #: By place the names of the operands that the instruction there reads.
        self._read: dict[int, frozenset[str]] = {}
        #: The instruction under way.
        self.at = 0
        for name, values in image.contents.items():
            place = image.places[name]
            for k, entry in enumerate(values):
                self.memory.store(place.bytes, place.address + k * place.bytes, entry)

    # -- registers ------------------------------------------------------------------------------

    def register(self, file: str, number: int) -> Word:
        """What a register holds."""
        kind = self.processor.files[file]
        if number == kind.zero:
            return 0
        found = self.registers.get((file, number))
        if found is None:
            name = "register", self.entered, file, number
            found = self.registers[file, number] = self.words.symbol(name, kind.width)
        elif isinstance(found, Deferred):
            word = self.word(found.meaning, found.operands, found.made)
            found = self.registers[file, number] = known(bits_of(word, kind.width))
        return found

    def set(self, file: str, number: int, word: Word | Deferred) -> None:
        """Writes a register."""
        kind = self.processor.files[file]
        if isinstance(word, Deferred):
            self.registers[file, number] = word
        elif number != kind.zero:
            self.registers[file, number] = (
                word & (1 << kind.width) - 1 if isinstance(word, int) else known(bits_of(word, kind.width))
            )

    def file(self, one: Decoded, name: str) -> str:
        """The register file of an operand."""
        return one.file(name) or self.first

    # -- instructions ---------------------------------------------------------------------------

    def effects(self, at: int) -> tuple[Effect, ...]:
        """What the instruction at a place changes, its registers left open."""
        found = self._effects.get(at)
        if found is None:
            one = self.code[at]
            values: dict[str, Term | int] = {}
            for o in one.instruction.operands:
                if o.is_register:
                    values[o.name] = operand(o.name)
                elif o.values:
                    values[o.name] = one.values[o.name]
                else:
                    wide = o.bits if o.bits > self.processor.width else 0
                    values[o.name] = Term(Leaf.CONSTANT, attr=one.values[o.name], width=wide)
            found = self._effects[at] = one.instruction.effects(values)
        return found

    def operands(self, one: Decoded, only: Container[str] | None = None) -> Mapping[str, Word]:
        """The words of its registers; ``only``: of those that are named."""
        return {
            o.name: self.register(self.file(one, o.name), one.values[o.name])
            for o in one.instruction.operands
            if o.is_register and (only is None or o.name in only)
        }

    def word(self, meaning: Term, operands: Mapping[str, Word], made: dict[Term, Word] | None = None) -> Word:
        """What a meaning gives; ``made``: of `finalist.prove.meanings.value`."""
        return value(self.words, meaning, operands, self.processor.width, self._outside, made)

    def _deferred(self, meaning: Term, operands: Mapping[str, Word], made: dict[Term, Word]) -> Deferred:
        """The same of a status register, which nothing may ever read; what it takes out of memory it takes
        now."""
        for part in meaning.parts():
            if part.op in (Op.LOAD, Op.LOOKUP):
                self.word(part, operands, made)
        return Deferred(meaning, operands, made)

    def _reads(self, at: int) -> frozenset[str]:
        """The names of the operands that the instruction at a place reads."""
        found = self._read.get(at)
        if found is None:
            parts = (part for effect in self.effects(at) for part in effect.value.parts())
            found = self._read[at] = frozenset(part.attr for part in parts if part.op is Leaf.OPERAND)
        return found

    def condition(self, one: Decoded) -> int:
        """The bit that says whether an instruction is executed."""
        if not one.issue.condition:
            return 1
        assert self.processor.predicates is not None
        (file, number), sense = self.processor.predicates.tested(one.issue.condition)
        width = self.processor.files[file].width
        met = self.words.nonzero(bits_of(self.register(file, number), width))
        return met if sense else met ^ 1

    def _outside(self, meaning: Term, values: tuple[Word, ...]) -> Word:
        if not isinstance(known(values[0]), int):
            self.leaks.addresses.add(self.at)
        if isinstance(meaning.attr, Bank):
            number = meaning.attr.number
            index = known(bits_of(values[0], 8))
            if isinstance(index, int):
                return self.bank(number, index)
            return self.words.lookup([self.bank(number, k) for k in range(256)], index, self.processor.width)
        return self.memory.load(meaning.attr, values[0])

    def bank(self, number: int, entry: int) -> Word:
        """An entry of a bank."""
        if (number, entry) not in self.banks:
            self.banks[number, entry] = self.words.symbol(("bank", number, entry), self.processor.width)
        return self.banks[number, entry]

    def put(self, meaning: Term, values: Sequence[Word]) -> None:
        """A store, or a write to a bank."""
        place, word = values
        if not isinstance(known(place), int):
            self.leaks.addresses.add(self.at)
        if isinstance(meaning.attr, int):
            self.memory.store(meaning.attr, place, word)
            return
        number, entry = meaning.attr.number, known(bits_of(place, 8))
        if isinstance(entry, int):
            self.banks[number, entry] = known(bits_of(word, self.processor.width))
            return
        entries = self.words.stored(
            [self.bank(number, k) for k in range(256)], entry, word, self.processor.width
        )
        self.banks.update({(number, k): one for k, one in enumerate(entries)})

    # -- running --------------------------------------------------------------------------------

    def run(self, entry: str) -> None:
        """From a label until the program halts. Raises NotCoveredError, saying where."""
        self.entered = entry
        self.registers.clear()
        try:
            if self.processor.exposed:
                Pipeline(self).run(self.image.labels[entry])
            else:
                self._in_order(self.image.labels[entry])
        except NotCoveredError as error:
            raise NotCoveredError(f"line {self.image.lines[self.at]}: {error}") from error

    def set_up(self, key: Sequence[Word]) -> None:
        """The key schedule, on the bytes of a key. Raises NotCoveredError."""
        self.memory.fill(self.image.places["key"].address, key)
        self.run("expand_key")

    def call(self, operation: str, data: Sequence[Word]) -> list[Word]:
        """The bytes that an operation leaves in the place of its data. Raises NotCoveredError."""
        start = self.image.places["data"].address
        self.memory.fill(start, data)
        if not self.processor.single:
            stop = self.image.places["end"]
            self.memory.store(stop.bytes, stop.address, start + len(data))
        self.run(operation)
        return [self.memory.byte(start + k) for k in range(len(data))]

    def begins(self, other: Execution) -> bool:
        """Whether what was executed so far from the beginning, its key schedule, would come out the same on
        another processor that has executed nothing: the same code up to wherever it went, the same memory."""
        end = max((at + self.code[at].length for at in self.visited), default=0)
        return (
            self.processor is other.processor
            and _entry(self.image) == _entry(other.image)
            and self.memory.limit == other.memory.limit
            and [self.code.get(at) for at in range(end)] == [other.code.get(at) for at in range(end)]
        )

    def continued(self, other: Execution) -> Execution:
        """Another processor, of which this one `begins` what it would execute, as this one is now."""
        other.memory = self.memory.copied()
        other.banks = dict(self.banks)
        other.leaks = Leaks(set(self.leaks.addresses))
        other.executed, other.visited = self.executed, set(self.visited)
        return other

    def _in_order(self, pc: int | None) -> None:
        """One instruction after the other."""
        stack: list[int] = []
        while pc is not None:
            self.executed += 1
            self.words.check()
            if self.executed > LIMIT:
                raise NotCoveredError(f"more than {LIMIT} instructions")
            if pc not in self.code:
                raise NotCoveredError(f"no instruction begins at {pc}")
            self.at = pc
            self.visited.add(pc)
            pc = self._step(self.code[pc], pc, stack)

    def _step(self, one: Decoded, at: int, stack: list[int]) -> int | None:
        """One instruction: it reads, stores, writes registers; gives the next place, None at the end."""
        operands, follows = self.operands(one, self._reads(at)), at + one.length
        made: dict[Term, Word] = {}
        condition = self.condition(one)
        if condition > 1:
            raise NotCoveredError("a condition that depends on key or block")
        if not condition:
            return follows
        registers: list[tuple[str, Word | Deferred]] = []
        stores: list[tuple[Term, list[Word]]] = []
        flow: tuple[Term, Word] | None = None
        for effect in self.effects(at):
            meaning = effect.value
            if effect.target:
                status = self.processor.files[self.file(one, effect.target)].status
                make = self._deferred if status else self.word
                registers.append((effect.target, make(meaning, operands, made)))
            elif meaning.op is Op.STORE:
                stores.append((meaning, [self.word(arg, operands, made) for arg in meaning.args]))
            else:
                flow = meaning, known(self.word(meaning.args[0], operands, made)) if meaning.args else 1
        for meaning, values in stores:
            self.put(meaning, values)
        for name, word in registers:
            self.set(self.file(one, name), one.values[name], word)
        return follows if flow is None else self._next(flow[0], flow[1], one, follows, stack)

    def _next(self, flow: Term, condition: Word, one: Decoded, follows: int, stack: list[int]) -> int | None:
        """Where the program goes on."""
        if not isinstance(condition, int):
            raise NotCoveredError("a branch that depends on key or block")
        if flow.op is Flow.IDLE or not condition:
            return follows
        if flow.op is Flow.HALT:
            return None
        if flow.op is Flow.BRANCH:
            return one.target
        if self.processor.stack is not None:
            return self._stacked(flow, one, follows, stack)
        link = self.processor.link
        assert link is not None
        if flow.op is Flow.CALL:
            self.set(self.first, link, follows)
            return one.target
        back = self.register(self.first, link)
        if not isinstance(back, int):
            raise NotCoveredError("a return to an address that depends on key or block")
        return back

    def _stacked(self, flow: Term, one: Decoded, follows: int, stack: list[int]) -> int | None:
        """A call or a return whose address lies on the stack, in memory."""
        assert self.processor.stack is not None
        top = self.processor.stack - 2 * len(stack)
        if flow.op is Flow.CALL:
            there = self.processor.code + follows
            self.memory.put(top, there & 0xFF)
            self.memory.put(top - 1, there >> 8)
            stack.append(follows)
            return one.target
        if not stack:
            return None
        stack.pop()
        high, low = self.memory.byte(top + 1), self.memory.byte(top + 2)
        if not (isinstance(high, int) and isinstance(low, int)):
            raise NotCoveredError("a return to an address that depends on key or block")
        return (high << 8 | low) - self.processor.code


def _entry(image: Image) -> tuple[object, ...]:
    """Where a key schedule begins, and the memory that it finds."""
    return image.labels["expand_key"], image.places, image.contents, image.order


def prepared(image: Image, processor: Processor, words: Words, data: int) -> Execution:
    """A processor with a program in its memory; ``data``: bytes of data and of what may be read behind."""
    end = max(place.end for place in image.places.values())
    return Execution(image, processor, words, max(end, image.places["data"].address + data))
