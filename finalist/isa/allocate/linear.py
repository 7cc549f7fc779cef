"""Register allocation.

Words that live across blocks get a register for all of their life, those first that are used most where it
counts; the others live in memory. Inside a block registers go to whatever is needed next: the word that is
needed last gives way (L. A. Belady 1966), to memory unless it is there already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from finalist.errors import ScheduleError
from finalist.isa.allocate.liveness import Live, live_words
from finalist.isa.assembly.text import Issue
from finalist.isa.code import ZERO, Block, Code, Ins
from finalist.isa.target.meaning import Flow
from finalist.isa.target.processor import Processor


class NoRoomError(ScheduleError):
    """A program that needs more memory for its words than the processor's conventions leave."""


_NEVER = 1 << 40


@dataclass(slots=True)
class Frame:
    """The words that live in memory. ``home``: hands out the address of a new word; ``lasting``: the words
    that live across blocks, which keep their address for good; ``constants``: the contents of those that a
    program finds there."""

    home: Callable[[], int]
    lasting: set[int] = field(default_factory=set)
    homes: dict[int, int] = field(default_factory=dict)
    constants: dict[int, int] = field(default_factory=dict)
    _vacant: list[int] = field(default_factory=list)

    def of(self, word: int) -> int:
        """A word's address."""
        if word not in self.homes:
            taken_over = self._vacant and word not in self.lasting
            self.homes[word] = self._vacant.pop() if taken_over else self.home()
        return self.homes[word]

    def leave(self, word: int) -> None:
        """The word is not read any more: its address is another word's, if it was only one block's."""
        if word in self.homes and word not in self.lasting:
            self._vacant.append(self.homes.pop(word))


class Registers:
    """The registers that words can have, of all files of a processor numbered through in the files' order.

    ``usable``: by file. Where words are tested by conditions, the registers that these can test,
    ``conditions``, are kept for such words, ``tested``.
    """

    def __init__(self, code: Code, processor: Processor) -> None:
        self.code = code
        self.first = next(iter(processor.files))
        self.offsets: dict[str, int] = {}
        self.usable: dict[str, list[int]] = {}
        calls = any(ins.instruction.flow is Flow.CALL for ins in code.instructions())
        total = 0
        for name, file in processor.files.items():
            self.offsets[name] = total
            taken = {file.zero, processor.link if calls and name == self.first else None, *file.reserved}
            self.usable[name] = [total + k for k in range(0 if file.status else file.count) if k not in taken]
            total += file.count
        self.predicates = processor.predicates
        conditions = () if processor.predicates is None else processor.predicates.registers
        self.conditions = {self.offsets[name] + number for name, number in conditions}
        self.tested = {ins.condition[0] for ins in code.instructions() if ins.condition is not None}

    def file(self, word: int) -> str:
        """A word's register file."""
        return self.code.files.get(word, self.first)

    def of(self, word: int) -> list[int]:
        """The registers that a word can be in."""
        return [r for r in self.usable[self.file(word)] if self.may_be(word, r)]

    def may_be(self, word: int, register: int) -> bool:
        """Whether a word can be in a register of its file."""
        return not self.tested or (word in self.tested) == (register in self.conditions)

    def settle(self, ins: Ins) -> None:
        """Gives an instruction's operands their files and the numbers that they have there, and its
        condition."""
        files = []
        for k, o in enumerate(ins.instruction.operands):
            file = o.file
            if o.is_register and not o.implied:
                file = self._file_of(int(ins.operands[k]))
                ins.operands[k] = int(ins.operands[k]) - self.offsets[file]
            files.append(file)
        ins.files = tuple(files)
        if ins.condition is not None and self.predicates is not None:
            register, sense = ins.condition
            file = self._file_of(register)
            condition = self.predicates.number((file, register - self.offsets[file]), sense)
            ins.issue = Issue(ins.instruction.ways[0], condition)

    def _file_of(self, register: int) -> str:
        return [name for name, start in self.offsets.items() if start <= register][-1]


@dataclass(frozen=True, slots=True)
class Spilling:
    """How a processor moves words: instructions from and to a fixed address, and one for a constant."""

    load: Callable[[int, int], Ins]
    store: Callable[[int, int], Ins]
    constant: Callable[[int, int], list[Ins]]


def allocate(code: Code, processor: Processor, frame: Frame, spilling: Spilling) -> None:
    """Replaces the numbers of words by those of registers."""
    living, registers, fixed, free = across(code, processor, frame)
    for block in code.blocks:
        Local(block, fixed, registers, free[block.label], living.end[block.label], frame, spilling).run()
    set_up(code, fixed, frame, spilling)
    if len(processor.files) > 1 or processor.predicates is not None:
        for ins in code.instructions():
            registers.settle(ins)


def across(
    code: Code, processor: Processor, frame: Frame
) -> tuple[Live[int], Registers, dict[int, int], dict[str, dict[str, list[int]]]]:
    """What lives across blocks, the registers, those that words across blocks are given, and by block and
    file the others."""
    living = live_words(code.blocks)
    frame.lasting = crossing(code, living)
    registers = Registers(code, processor)
    fixed = assigned(code, living, registers, processor.reserved)
    for word, value in code.constants.items():
        if word not in fixed:
            frame.constants[frame.of(word)] = value
    free = {}
    for block in code.blocks:
        taken = {fixed[word] for word in present(block, living) if word in fixed}
        free[block.label] = {
            file: [r for r in usable if r not in taken] for file, usable in registers.usable.items()
        }
    return living, registers, fixed, free


def set_up(code: Code, targets: Mapping[int, int], frame: Frame, spilling: Spilling) -> None:
    """Constants that have a register get their values at the beginning; ``targets``: by word what is written
    there."""
    setup: list[Ins] = []
    for word in sorted(set(targets) & set(code.constants)):
        made = spilling.constant(targets[word], code.constants[word])
        if not made:
            frame.constants[frame.of(word)] = code.constants[word]
            made = [spilling.load(targets[word], frame.of(word))]
        setup += made
    code.blocks[0].body[:0] = setup


def present(block: Block, living: Live[int]) -> set[int]:
    """The words that are alive somewhere in a block."""
    found = set(living.start[block.label]) | living.end[block.label]
    for ins in block.body:
        found.update(ins.read)
        found.update(ins.written)
    found.discard(ZERO)
    return found


def pressure(block: Block, local: set[int], ends: set[int]) -> int:
    """The most words of the block's own that are alive at once."""
    live = ends & local
    most = len(live)
    for ins in reversed(block.body):
        live.difference_update(ins.written)
        live.update(word for word in ins.read if word in local)
        most = max(most, len(live) + sum(word in local and word not in live for word in ins.written))
    return most


def crossing(code: Code, living: Live[int]) -> set[int]:
    """The words that live across blocks, constants among them."""
    found = set(code.constants)
    for block in code.blocks:
        found |= living.start[block.label] | living.end[block.label]
    return found


def assigned(code: Code, living: Live[int], registers: Registers, reserved: int) -> dict[int, int]:
    """Registers of words that live across blocks, as far as there are some; ``reserved`` for the others."""
    wide = crossing(code, living)
    limits: dict[tuple[str, str], int] = {}
    where: dict[int, set[str]] = {}
    weight: dict[int, float] = {}
    for block in code.blocks:
        here = present(block, living)
        for file, usable in registers.usable.items():
            local = {word for word in here - wide if registers.file(word) == file}
            own = pressure(block, local, living.end[block.label])
            plain = len(usable) - (len(registers.conditions & set(usable)) if registers.tested else 0)
            limits[block.label, file] = plain - min(own + _SPARE, reserved)
        for word in here & wide:
            where.setdefault(word, set()).add(block.label)
        value = (4.0 if block.part == "block" else 1.0) * 10.0**block.depth
        for ins in block.body:
            for word in [*ins.read, *ins.written]:
                if word in wide:
                    weight[word] = weight.get(word, 0.0) + value
    busy: dict[str, set[int]] = {block.label: set() for block in code.blocks}
    fixed: dict[int, int] = {}
    for word in sorted(weight, key=lambda word: (-weight[word], word)):
        labels = where[word]
        most = min(limits[label, registers.file(word)] for label in labels)
        usable = registers.of(word) if word in registers.tested else registers.of(word)[:most]
        free = (r for r in usable if not any(r in busy[label] for label in labels))
        register = next(free, None)
        if register is not None:
            fixed[word] = register
            for label in labels:
                busy[label].add(register)
    return fixed


#: Registers for words that are fetched from memory in passing.
_SPARE = 2


class Local:
    """Registers inside one block; ``fixed``: those of words that live across blocks, ``free``: by file the
    others."""

    def __init__(
        self,
        block: Block,
        fixed: Mapping[int, int],
        registers: Registers,
        free: Mapping[str, list[int]],
        leaving: set[int],
        frame: Frame,
        spilling: Spilling,
    ) -> None:
        self.block, self.fixed, self.leaving = block, fixed, leaving
        self.registers, self.frame, self.spilling = registers, frame, spilling
        self.free = {file: numbers[::-1] for file, numbers in free.items()}
        self.where: dict[int, int] = {}
        #: Words whose present value is in memory, too.
        self.clean: set[int] = set()
        self.nexts = _next_uses(block)
        self.last = {word: place for place, ins in enumerate(block.body) for word in ins.written}
        self.out: list[Ins] = []

    def run(self) -> None:
        for place, ins in enumerate(self.block.body):
            self._one(place, ins)
        self.block.body = self.out

    def _one(self, place: int, ins: Ins) -> None:
        reads = [word for word in ins.read if word != ZERO]
        written = [word for word in ins.written if word != ZERO]
        known = {word: self._register(word, place, reads) for word in reads}
        in_place = set(reads).intersection(ins.in_place)
        for word in reads:
            if word in self.where and word not in in_place and self._next(word, place) == _NEVER:
                self._let_go(word)
        made = {word: self._target(word, place, [*reads, *written]) for word in written}
        for k, o in enumerate(ins.instruction.operands):
            if o.is_register:
                ins.operands[k] = (made if o.written else known).get(int(ins.operands[k]), ZERO)
        if ins.condition is not None:
            ins.condition = known[ins.condition[0]], ins.condition[1]
        self.out.append(ins)
        for word in written:
            self._keep(word, place)

    def _register(self, word: int, place: int, reads: list[int]) -> int:
        """The register of a word that is read, fetched where it is in memory."""
        if word in self.fixed:
            return self.fixed[word]
        if word not in self.where:
            self.where[word] = self._take(word, place, reads)
            self.out.append(self.spilling.load(self.where[word], self.frame.of(word)))
            self.clean.add(word)
        return self.where[word]

    def _target(self, word: int, place: int, reads: list[int]) -> int:
        """The register of a word that is written."""
        if word in self.fixed:
            return self.fixed[word]
        if word not in self.where:
            self.where[word] = self._take(word, place, reads)
        self.clean.discard(word)
        return self.where[word]

    def _keep(self, word: int, place: int) -> None:
        """A word that lives on after the block goes to memory at once; one that nobody reads is let go."""
        if word in self.fixed:
            return
        if word in self.leaving and self.last.get(word) == place:
            self._to_memory(word)
        if self._next(word, place) == _NEVER:
            self._let_go(word)

    def _to_memory(self, word: int) -> None:
        self.out.append(self.spilling.store(self.where[word], self.frame.of(word)))
        self.clean.add(word)

    def _take(self, word: int, place: int, reads: list[int]) -> int:
        file = self.registers.file(word)
        free = self.free[file]
        for k in reversed(range(len(free))):
            if self.registers.may_be(word, free[k]):
                return free.pop(k)
        movable = [
            other
            for other, register in self.where.items()
            if other not in reads
            and self.registers.file(other) == file
            and self.registers.may_be(word, register)
        ]
        victim = max(movable, key=lambda other: (self._next(other, place - 1), other in self.clean))
        if victim not in self.clean:
            self._to_memory(victim)
        return self._release(victim)

    def _let_go(self, word: int) -> None:
        """Register and memory of a word that is not read any more."""
        self.free[self.registers.file(word)].append(self._release(word))
        self.frame.leave(word)

    def _release(self, word: int) -> int:
        self.clean.discard(word)
        return self.where.pop(word)

    def _next(self, word: int, place: int) -> int:
        """The next instruction that reads the word."""
        places = self.nexts.get(word, [])
        while places and places[-1] <= place:
            places.pop()
        return places[-1] if places else _NEVER


def _next_uses(block: Block) -> dict[int, list[int]]:
    """For each word the places where it is read, the last one first."""
    found: dict[int, list[int]] = {}
    for place in reversed(range(len(block.body))):
        for word in set(block.body[place].read):
            if word != ZERO:
                found.setdefault(word, []).append(place)
    return found
