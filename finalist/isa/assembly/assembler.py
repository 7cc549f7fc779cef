"""Assembly text to instruction words.

A line is a label, an instruction, or a directive; a semicolon begins a comment.

    .order big                      how words lie in memory: little or big
    .place name address size count  room for ``count`` entries of ``size`` bytes; with one more number so many
                                    bytes from one entry to the next
    .values v v v ...               contents of the place above, from its start or after those given before
    .part name                      what follows belongs to this part of the program
    .macro ... .endm                passed by: what another assembler is told

Before an instruction can stand ``||`` (it is issued in the same cycle as the one before) and a condition in
brackets, ``[b0]`` or ``[!b0]``, on processors that have these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from finalist.isa.assembly.text import PARALLEL, conditions, file_of
from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.memory import Place
from finalist.isa.target.operand import AssemblyError
from finalist.isa.target.processor import Processor


@dataclass(slots=True)
class Image:
    """An assembled program: words of code, where labels are among them, and what memory holds."""

    words: list[int] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    contents: dict[str, list[int]] = field(default_factory=dict)
    order: Literal["little", "big"] = "little"
    #: For each word the part of the program that it belongs to.
    parts: list[str] = field(default_factory=list)
    #: For each word the comment that stands beside its instruction: what it is for.
    notes: list[str] = field(default_factory=list)
    #: For each word its line in the text, from 1.
    lines: list[int] = field(default_factory=list)


def assemble(text: str, processor: Processor) -> Image:
    """The image of a text. Raises AssemblyError, naming the line."""
    return _Assembler(processor).image_of(text)


@dataclass(slots=True)
class _Pending:
    """An instruction whose labels may come later: its line, the ways that its text can be, operands as text,
    the bits of its condition; its address once it has one."""

    line: int
    instruction: Instruction
    operands: dict[str, str]
    ways: tuple[Way, ...]
    condition: int
    note: str
    address: int = -1


class _Assembler:
    def __init__(self, processor: Processor) -> None:
        self.processor = processor
        self.image = Image()
        self.conditions = conditions(processor)
        self.part = self.place = ""
        #: Instructions that are issued together, and labels before them, which have no address yet.
        self.together: list[_Pending] = []
        self.labels: list[str] = []
        #: Instructions with enumerated operands that are known to be legal.
        self.legal: set[tuple[object, ...]] = set()
        #: What lines are that have been read, of which a program has many alike.
        self.read: dict[str, tuple[Instruction, tuple[Way, ...], dict[str, str]]] = {}

    def image_of(self, text: str) -> Image:
        pending, macro = [], False
        for number, whole in enumerate(text.splitlines(), start=1):
            line, _, note = (part.strip() for part in whole.partition(";"))
            if macro or line.startswith(".macro "):
                macro = line != ".endm"
            elif line.endswith(":"):
                self._lay()
                self.labels.append(line[:-1])
            elif line.startswith("."):
                if line.startswith(".part"):
                    self._lay()
                self._directive(line.split(), number)
            elif line:
                pending.append(self._instruction(line, note, number))
        self._lay()
        self._name()
        for one in pending:
            self._put(one.address, one.instruction, self._encoded(one))
        return self.image

    # -- places ---------------------------------------------------------------------------------

    def _name(self) -> None:
        """The labels before the next instruction."""
        for label in self.labels:
            self.image.labels[label] = len(self.image.words)
        self.labels.clear()

    def _lay(self) -> None:
        """Addresses for instructions that are issued together."""
        together, self.together = self.together, []
        if not together:
            return
        self._name()
        for one in together:
            one.address = len(self.image.words)
            self._room(self._length(one.instruction), one.note, one.line)
            if one is not together[-1]:
                assert self.processor.parallel is not None
                self.image.words[one.address] |= 1 << self.processor.parallel

    def _room(self, words: int, note: str, line: int) -> None:
        for _ in range(words):
            self.image.words.append(0)
            self.image.parts.append(self.part)
            self.image.notes.append(note)
            self.image.lines.append(line)

    # -- directives -----------------------------------------------------------------------------

    def _directive(self, words: list[str], number: int) -> None:
        kind, values = words[0], words[1:]
        if kind == ".order" and values in (["little"], ["big"]):
            self.image.order = "big" if values == ["big"] else "little"
        elif kind == ".place" and len(values) in (4, 5):
            self.place = values[0]
            numbers = [_integer(value, number) for value in values[1:]]
            self.image.places[self.place] = Place(self.place, *numbers)
        elif kind == ".values" and self.place:
            entries = self.image.contents.setdefault(self.place, [])
            entries.extend(_integer(value, number) for value in values)
        elif kind == ".part" and len(values) == 1:
            self.part = values[0]
        else:
            raise AssemblyError(
                f"line {number}: {' '.join(words)!r}; accepted: .order, .place, .values, .part"
            )

    # -- instructions ---------------------------------------------------------------------------

    def _instruction(self, line: str, note: str, number: int) -> _Pending:
        parallel, condition, rest = self._prefixes(line, number)
        if not parallel:
            self._lay()
        elif self.processor.parallel is None or not self.together:
            why = (
                f"{self.processor.name} has no such thing"
                if self.processor.parallel is None
                else "follows no instruction"
            )
            raise AssemblyError(f"line {number}: {PARALLEL}: {why}")
        if rest not in self.read:
            self.read[rest] = self._parsed(rest, number)
        instruction, ways, operands = self.read[rest]
        if condition and not instruction.predicable:
            raise AssemblyError(f"line {number}: {instruction.name} has no condition")
        name = operands.get("way", "")
        ways = tuple(way for way in ways if way.name == name) if name else ways[:1]
        bits = 0 if self.processor.predicates is None else self.processor.predicates.encode(condition)
        made = _Pending(number, instruction, operands, ways, bits, note)
        self.together.append(made)
        return made

    def _prefixes(self, line: str, number: int) -> tuple[bool, int, str]:
        parallel = line.startswith(PARALLEL)
        rest = line.removeprefix(PARALLEL).strip()
        match = re.match(r"\[([^\]]*)\]\s*", rest)
        if match is None:
            return parallel, 0, rest
        if match[1] not in self.conditions:
            accepted = ", ".join(self.conditions) or "none on this processor"
            raise AssemblyError(f"line {number}: [{match[1]}]; accepted conditions: {accepted}")
        return parallel, self.conditions[match[1]], rest[match.end() :]

    def _parsed(self, line: str, number: int) -> tuple[Instruction, tuple[Way, ...], dict[str, str]]:
        name = line.split()[0] if line else ""
        while name not in self.processor.by_name and "." in name:
            name = name.rpartition(".")[0]
        found = [
            (instruction, ways, match.groupdict())
            for instruction in self.processor.by_name.get(name, ())
            for pattern, ways in instruction.patterns
            if (match := pattern.match(line)) and self._fits(instruction, match.groupdict())
        ]
        if len(found) > 1:  # of several that are written alike, the shortest that has these numbers
            found.sort(key=lambda one: (not _accepts(one[0], one[2]), one[0].bits))
        if found:
            return found[0]
        known = ", ".join(f"'{one.syntax}'" for one in self.processor.by_name.get(name, ()))
        accepted = known or "instructions of " + self.processor.name
        raise AssemblyError(f"line {number}: {line!r}; accepted: {accepted}")

    def _length(self, instruction: Instruction) -> int:
        """Words of code."""
        return instruction.bits // self.processor.word

    def _put(self, address: int, instruction: Instruction, code: int) -> None:
        """An instruction's words, that with its highest bits first; what says which is issued with it
        stays."""
        size, count = self.processor.word, self._length(instruction)
        for k in range(count):
            self.image.words[address + k] |= code >> size * (count - 1 - k) & (1 << size) - 1

    def _fits(self, instruction: Instruction, operands: dict[str, str]) -> bool:
        """Whether registers stand where the instruction has registers, rather than numbers."""
        files = self.processor.files.values()
        for o in instruction.operands:
            text = operands.get(o.name, "")
            if o.kind == "imm" and any(re.fullmatch(file.pattern, text) for file in files):
                return False
        return True

    def _encoded(self, one: _Pending) -> int:
        """The bits of an instruction, in the first way that takes its operands."""
        for way in one.ways[:-1]:
            try:
                return self._encoded_in(one, way)
            except AssemblyError:
                continue
        return self._encoded_in(one, one.ways[-1])

    def _encoded_in(self, one: _Pending, way: Way) -> int:
        code, values = one.instruction.code | way.code | one.condition, {}
        for o in (one.instruction.operand_in(way, o.name) for o in one.instruction.operands):
            if o.implied:
                values[o.name] = 0
                continue
            text = one.operands[o.name]
            if o.is_register:
                value = self._register(text, file_of(one.instruction, way, o.name), one.line)
            elif o.kind == "target":
                value = self._displacement(one, text)
                reach = 1 << o.bits - 1
                _check(-reach <= value < reach, one.line, text, "a label within reach")
            elif o.kind == "place":
                value = self.processor.code + self._address(one, text)
                _check(o.accepts(value), one.line, text, "a label within reach")
            else:
                value = _integer(text, one.line)
                _check(o.accepts(value), one.line, f"{o.name}={text}", o.accepted())
            values[o.name] = value
            code |= 0 if o.pair else o.encode(value)
        self._check_pairs(one, values)
        self._check_legal(one, values)
        return code

    def _check_legal(self, one: _Pending, values: dict[str, int]) -> None:
        """That an instruction has this combination of enumerated operands."""
        listed = {name: v if one.instruction.by_name[name].values else 0 for name, v in values.items()}
        key = one.instruction, *listed.values()
        if key in self.legal:
            return
        try:
            one.instruction.effects(listed)
        except AssemblyError as error:
            raise AssemblyError(f"line {one.line}: {error}") from error
        self.legal.add(key)

    def _check_pairs(self, one: _Pending, values: dict[str, int]) -> None:
        for o in one.instruction.operands:
            if o.pair:
                low = values[o.pair]
                good = low % 2 == 0 and values[o.name] == low + 1
                what = f"{one.operands[o.name]}:{one.operands[o.pair]}"
                _check(good, one.line, what, "an odd register and the even one below it")

    def _register(self, text: str, file: str, line: int) -> int:
        registers = self.processor.file(file)
        number = registers.read(text)
        _check(number is not None, line, text, registers.accepted())
        assert number is not None
        return number

    def _displacement(self, one: _Pending, label: str) -> int:
        fetch = self.processor.fetch
        start = one.address - one.address % fetch if fetch else one.address + self._length(one.instruction)
        return self._address(one, label) - start

    def _address(self, one: _Pending, label: str) -> int:
        """The place of a label among the words of code."""
        if label not in self.image.labels:
            raise AssemblyError(f"line {one.line}: there is no label {label!r}")
        return self.image.labels[label]


def _accepts(instruction: Instruction, operands: dict[str, str]) -> bool:
    """Whether the numbers among the operands are what an instruction can have."""
    numbers = [(o, operands[o.name]) for o in instruction.operands if o.kind == "imm"]
    return all(o.accepts(int(text, 0)) for o, text in numbers if _is_integer(text))


def _is_integer(text: str) -> bool:
    try:
        int(text, 0)
    except ValueError:
        return False
    return True


def _integer(text: str, number: int) -> int:
    try:
        return int(text, 0)
    except ValueError as error:
        raise AssemblyError(f"line {number}: {text!r} is no number") from error


def _check(good: bool, number: int, what: str, accepted: str) -> None:
    if not good:
        raise AssemblyError(f"line {number}: {what}; accepted: {accepted}")
