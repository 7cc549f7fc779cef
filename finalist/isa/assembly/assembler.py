"""Assembly text to instruction words, and back.

A line is a label, an instruction, or a directive; a semicolon begins a comment.

    .order big                      how words lie in memory: little or big
    .place name address size count  room for ``count`` entries of ``size`` bytes
    .values v v v ...               contents of the place above, from its start or after those given before
    .part name                      what follows belongs to this part of the program
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from finalist.isa.target.instruction import AssemblyError, Instruction, Processor
from finalist.isa.target.memory import Place


@dataclass(slots=True)
class Image:
    """An assembled program: instruction words, where labels are among them, and what memory holds."""

    words: list[int] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    contents: dict[str, list[int]] = field(default_factory=dict)
    order: Literal["little", "big"] = "little"
    #: For each instruction the part of the program that it belongs to.
    parts: list[str] = field(default_factory=list)
    #: For each instruction the comment that stands beside it: what it is for.
    notes: list[str] = field(default_factory=list)
    #: For each instruction its line in the text, from 1.
    lines: list[int] = field(default_factory=list)


def assemble(text: str, processor: Processor) -> Image:
    """The image of a text. Raises AssemblyError, naming the line."""
    image = Image()
    pending: list[tuple[int, Instruction, dict[str, str], int]] = []
    part, place = "", ""
    for number, line in enumerate(text.splitlines(), start=1):
        line, _, note = (part.strip() for part in line.partition(";"))
        if not line:
            continue
        if line.endswith(":"):
            image.labels[line[:-1]] = len(image.words)
        elif line.startswith("."):
            part, place = _directive(image, line.split(), part, place, number)
        else:
            instruction, operands = _parsed(line, processor, number)
            pending.append((len(image.words), instruction, operands, number))
            image.words.append(0)
            image.parts.append(part)
            image.notes.append(note)
            image.lines.append(number)
    for address, instruction, operands, number in pending:
        image.words[address] = _encoded(address, instruction, operands, image, processor, number)
    return image


def _directive(image: Image, words: list[str], part: str, place: str, number: int) -> tuple[str, str]:
    kind, values = words[0], words[1:]
    if kind == ".order" and values in (["little"], ["big"]):
        image.order = "big" if values == ["big"] else "little"
    elif kind == ".place" and len(values) == 4:
        place = values[0]
        where, size, count = (_integer(value, number) for value in values[1:])
        image.places[place] = Place(place, where, size, count)
    elif kind == ".values" and place:
        image.contents.setdefault(place, []).extend(_integer(value, number) for value in values)
    elif kind == ".part" and len(values) == 1:
        part = values[0]
    else:
        raise AssemblyError(f"line {number}: {' '.join(words)!r}; accepted: .order, .place, .values, .part")
    return part, place


def _integer(text: str, number: int) -> int:
    try:
        return int(text, 0)
    except ValueError as error:
        raise AssemblyError(f"line {number}: {text!r} is no number") from error


def _parsed(line: str, processor: Processor, number: int) -> tuple[Instruction, dict[str, str]]:
    head = line.split()[0]
    name = head
    while name not in processor.by_name and "." in name:
        name = name.rpartition(".")[0]
    for instruction in processor.by_name.get(name, ()):
        match = instruction.pattern.match(line)
        if match:
            return instruction, match.groupdict()
    known = ", ".join(f"'{one.syntax}'" for one in processor.by_name.get(name, ()))
    raise AssemblyError(f"line {number}: {line!r}; accepted: {known or 'instructions of ' + processor.name}")


def _encoded(
    address: int,
    instruction: Instruction,
    operands: dict[str, str],
    image: Image,
    processor: Processor,
    number: int,
) -> int:
    word, values = instruction.code, {}
    for o in instruction.operands:
        text = operands[o.name]
        if o.kind in ("def", "use"):
            value = int(text[1:])
            if value >= processor.registers:
                raise AssemblyError(f"line {number}: {text}; accepted: r0 to r{processor.registers - 1}")
        elif o.kind == "target":
            if text not in image.labels:
                raise AssemblyError(f"line {number}: there is no label {text!r}")
            value = image.labels[text] - address - 1
            _check(-(1 << o.bits - 1) <= value < 1 << o.bits - 1, number, text, "a label within reach")
        else:
            value = _integer(text, number)
            _check(o.accepts(value), number, f"{o.name}={text}", o.accepted())
        values[o.name] = value
        word |= o.encode(value)
    try:
        instruction.means({name: v if instruction.by_name[name].values else 0 for name, v in values.items()})
    except AssemblyError as error:
        raise AssemblyError(f"line {number}: {error}") from error
    return word


def _check(good: bool, number: int, what: str, accepted: str) -> None:
    if not good:
        raise AssemblyError(f"line {number}: {what}; accepted: {accepted}")


@dataclass(frozen=True, slots=True)
class Decoded:
    """An instruction word taken apart; ``target`` is where it may branch to, as a place among the words."""

    instruction: Instruction
    values: dict[str, int]
    target: int | None

    @property
    def written(self) -> int | None:
        """The register that it writes."""
        place = self.instruction.written
        return None if place is None else self.values[self.instruction.operands[place].name]

    @property
    def read(self) -> list[int]:
        """The registers that it reads."""
        return [self.values[self.instruction.operands[k].name] for k in self.instruction.read]


class Decoder:
    """Takes instruction words of a processor apart."""

    def __init__(self, processor: Processor) -> None:
        self.by_fixed: dict[int, dict[int, Instruction]] = {}
        for one in processor.instructions:
            self.by_fixed.setdefault(one.fixed, {})[one.code & one.fixed] = one

    def decode(self, word: int, address: int = 0) -> Decoded:
        """The instruction of a word at a place. Raises AssemblyError where there is none."""
        for fixed, codes in self.by_fixed.items():
            instruction = codes.get(word & fixed)
            if instruction is None:
                continue
            values = {o.name: o.decode(word) for o in instruction.operands}
            target = next(
                (address + 1 + values[o.name] for o in instruction.operands if o.kind == "target"), None
            )
            return Decoded(instruction, values, target)
        raise AssemblyError(f"word {word:08x} at {address} is no instruction")


def disassemble(words: Iterable[int], processor: Processor) -> str:
    """Text that assembles to the same words; places that are branched to get labels L0, L1, ..."""
    decoder = Decoder(processor)
    decoded = [decoder.decode(word, address) for address, word in enumerate(words)]
    targets = sorted({d.target for d in decoded if d.target is not None})
    names = {target: f"L{number}" for number, target in enumerate(targets)}
    lines = []
    for address, d in enumerate(decoded):
        if address in names:
            lines.append(f"{names[address]}:")
        lines.append("    " + written(d.instruction, d.values, names.get(d.target or 0, "")))
    if len(decoded) in names:
        lines.append(f"{names[len(decoded)]}:")
    return "\n".join(lines) + "\n"


def written(instruction: Instruction, values: dict[str, int], target: str) -> str:
    """One instruction as text."""
    texts = {}
    for o in instruction.operands:
        if o.kind == "target":
            texts[o.name] = target
        else:
            texts[o.name] = f"r{values[o.name]}" if o.kind in ("def", "use") else str(values[o.name])
    return instruction.syntax.format(**texts)
