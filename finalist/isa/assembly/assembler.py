"""Assembly text to instruction words.

A line is a label, an instruction, or a directive; a semicolon begins a comment.

    .order big                      how words lie in memory: little or big
    .place name address size count  room for ``count`` entries of ``size`` bytes
    .values v v v ...               contents of the place above, from its start or after those given before
    .part name                      what follows belongs to this part of the program

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


@dataclass(frozen=True, slots=True)
class _Pending:
    """An instruction whose labels may come later: its place and line, operands as text, what is known of its
    code."""

    address: int
    line: int
    instruction: Instruction
    operands: dict[str, str]
    way: Way
    code: int


class _Assembler:
    def __init__(self, processor: Processor) -> None:
        self.processor = processor
        self.image = Image()
        self.conditions = conditions(processor)
        self.part = self.place = ""
        #: Where the instruction before begins, for one that is issued with it.
        self.last = -1

    def image_of(self, text: str) -> Image:
        image = self.image
        pending = []
        for number, whole in enumerate(text.splitlines(), start=1):
            line, _, note = (part.strip() for part in whole.partition(";"))
            if line.endswith(":"):
                image.labels[line[:-1]] = len(image.words)
                self.last = -1
            elif line.startswith("."):
                self._directive(line.split(), number)
            elif line:
                pending.append(self._instruction(line, note, number))
        for one in pending:
            self._put(one.address, one.instruction, self._encoded(one))
        return image

    # -- directives -----------------------------------------------------------------------------

    def _directive(self, words: list[str], number: int) -> None:
        kind, values = words[0], words[1:]
        if kind == ".order" and values in (["little"], ["big"]):
            self.image.order = "big" if values == ["big"] else "little"
        elif kind == ".place" and len(values) == 4:
            self.place = values[0]
            where, size, count = (_integer(value, number) for value in values[1:])
            self.image.places[self.place] = Place(self.place, where, size, count)
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
        if parallel:
            self._chain(number)
        instruction, operands = self._parsed(rest, number)
        if condition and not instruction.predicable:
            raise AssemblyError(f"line {number}: {instruction.name} has no condition")
        name = operands.pop("way", instruction.ways[0].name)
        way = next(way for way in instruction.ways if way.name == name)
        code = instruction.code | way.code
        if condition:
            assert self.processor.predicates is not None
            code |= condition << self.processor.predicates.low
        address = self.last = len(self.image.words)
        for _ in range(self._length(instruction)):
            self.image.words.append(0)
            self.image.parts.append(self.part)
            self.image.notes.append(note)
            self.image.lines.append(number)
        made = _Pending(address, number, instruction, operands, way, code)
        self._put(address, instruction, code)
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

    def _chain(self, number: int) -> None:
        """The instruction before says that this one is issued with it."""
        if self.processor.parallel is None or self.last < 0:
            why = "follows no instruction" if self.last < 0 else f"{self.processor.name} has no such thing"
            raise AssemblyError(f"line {number}: {PARALLEL}: {why}")
        self.image.words[self.last] |= 1 << self.processor.parallel

    def _parsed(self, line: str, number: int) -> tuple[Instruction, dict[str, str]]:
        name = line.split()[0] if line else ""
        while name not in self.processor.by_name and "." in name:
            name = name.rpartition(".")[0]
        matches = [(one, one.pattern.match(line)) for one in self.processor.by_name.get(name, ())]
        found = [(one, match.groupdict()) for one, match in matches if match]
        if len(found) > 1:  # of several that are written alike, the shortest that has these numbers
            found.sort(key=lambda one: (not _accepts(*one), one[0].bits))
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

    def _encoded(self, one: _Pending) -> int:
        code, values = one.code, {}
        for o in one.instruction.operands:
            if o.implied:
                values[o.name] = 0
                continue
            text = one.operands[o.name]
            if o.is_register:
                value = self._register(text, file_of(one.instruction, one.way, o.name), one.line)
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
            code |= o.encode(value)
        listed = {name: v if one.instruction.by_name[name].values else 0 for name, v in values.items()}
        try:
            one.instruction.effects(listed)
        except AssemblyError as error:
            raise AssemblyError(f"line {one.line}: {error}") from error
        return code

    def _register(self, text: str, file: str, line: int) -> int:
        registers = self.processor.file(file)
        number = registers.read(text)
        _check(number is not None, line, text, registers.accepted())
        assert number is not None
        return number

    def _displacement(self, one: _Pending, label: str) -> int:
        return self._address(one, label) - one.address - self._length(one.instruction)

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
