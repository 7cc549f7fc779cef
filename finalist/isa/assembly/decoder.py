"""Instruction words taken apart, and back to text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finalist.isa.assembly.text import Issue, file_of, written
from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.operand import AssemblyError
from finalist.isa.target.processor import Processor
from finalist.isa.target.registers import Register


@dataclass(frozen=True, slots=True)
class Decoded:
    """An instruction taken apart. ``target``: where it may branch to, as a place among the words of code;
    ``length``: its own words; ``chained``: whether the next one is issued in the same cycle."""

    instruction: Instruction
    values: dict[str, int]
    target: int | None
    issue: Issue
    length: int = 1
    chained: bool = False

    @property
    def written(self) -> list[int]:
        """The registers that it writes, of the first file."""
        return self._registers(self.instruction.written)

    @property
    def read(self) -> list[int]:
        """The registers that it reads, of the first file."""
        return self._registers(self.instruction.read)

    def _registers(self, places: Sequence[int]) -> list[int]:
        operands = (self.instruction.operands[place] for place in places)
        return [self.values[o.name] for o in operands if not self.file(o.name)]

    def file(self, name: str) -> str:
        """The register file of an operand, by name; empty for the first."""
        return file_of(self.instruction, self.issue.way, name)

    def across(self) -> list[Register]:
        """The registers that it reads of other files than those that it writes."""
        own = {self.file(o.name) for o in self.instruction.operands if o.written}
        read = ((self.file(o.name), self.values[o.name]) for o in self.instruction.operands if o.read)
        return [register for register in read if register[0] not in own]


class Decoder:
    """Takes instruction words of a processor apart."""

    def __init__(self, processor: Processor) -> None:
        self.processor = processor
        #: By length in words and the bits that say which instruction it is, and in which way.
        self.by_fixed: dict[tuple[int, int], dict[int, tuple[Instruction, Way]]] = {}
        #: By the bits that say which instruction it is.
        self.ignoring_ways: dict[tuple[int, int], dict[int, Instruction]] = {}
        shared = 0 if processor.parallel is None else 1 << processor.parallel
        if processor.predicates is not None:
            shared |= (1 << processor.predicates.high + 1) - (1 << processor.predicates.low)
        found: dict[tuple[int, int], dict[int, tuple[Instruction, Way]]] = {}
        for one in processor.instructions:
            length = one.bits // processor.word
            self.ignoring_ways.setdefault((length, one.fixed & ~shared), {})[
                one.code & one.fixed & ~shared
            ] = one
            for way in one.ways:
                fixed = one.fixed_in(way) & ~shared
                found.setdefault((length, fixed), {}).setdefault((one.code | way.code) & fixed, (one, way))
        # What has more bits that are no operand's is the name that a special case has of its own.
        self.by_fixed = dict(sorted(found.items(), key=lambda item: -item[0][1].bit_count()))

    def all(self, words: Sequence[int]) -> dict[int, Decoded]:
        """All instructions of some code by their places, one after the other."""
        found, address, chained = {}, 0, False
        while address < len(words):
            one = found[address] = self._decoded(words[address : address + 8], address, chained)
            address, chained = address + one.length, one.chained
        return found

    def decode(self, word: int, address: int = 0) -> Decoded:
        """The instruction of one word at a place. Raises AssemblyError where there is none."""
        return self._decoded((word,), address, False)

    def _decoded(self, words: Sequence[int], address: int, parallel: bool) -> Decoded:
        size = self.processor.word
        for (length, fixed), codes in self.by_fixed.items():
            if length > len(words):
                continue
            code = 0
            for word in words[:length]:
                code = code << size | word
            known = codes.get(code & fixed)
            if known is not None:
                return self._apart(*known, code, address, length, parallel)
        raise AssemblyError(f"word {words[0]:0{size // 4}x} at {address} {self._lacking(words)}")

    def _lacking(self, words: Sequence[int]) -> str:
        """What is wrong with words that are no instruction."""
        size = self.processor.word
        for (length, fixed), codes in self.ignoring_ways.items():
            code = 0
            for word in words[:length]:
                code = code << size | word
            if length <= len(words) and code & fixed in codes:
                return f"is {codes[code & fixed].name}, which is not issued in this way"
        return "is no instruction"

    def _apart(
        self, instruction: Instruction, way: Way, code: int, address: int, length: int, parallel: bool
    ) -> Decoded:
        p = self.processor
        values = {o.name: instruction.operand_in(way, o.name).decode(code) for o in instruction.operands}
        values |= {o.name: values[o.pair] + 1 for o in instruction.operands if o.pair}
        for o in instruction.operands:
            file = p.file(file_of(instruction, way, o.name)) if o.is_register else None
            if file is not None and values[o.name] >= file.count:
                raise AssemblyError(
                    f"word {code:08x} at {address}: {o.name} is {file.prefix}{values[o.name]};"
                    f" accepted: {file.accepted()}"
                )
        start = address - address % p.fetch if p.fetch else address + length
        goes = next((o for o in instruction.operands if o.is_target), None)
        target = None
        if goes is not None:
            target = values[goes.name] + (start if goes.kind == "target" else -p.code)
        condition = 0 if p.predicates is None else p.predicates.decode(code)
        if condition < 0:
            raise AssemblyError(f"word {code:08x} at {address}: {p.name} has no such condition")
        chained = p.parallel is not None and bool(code >> p.parallel & 1)
        return Decoded(instruction, values, target, Issue(way, condition, parallel), length, chained)


def disassemble(words: Sequence[int], processor: Processor) -> str:
    """Text that assembles to the same words; places that are branched to get labels L0, L1, ..."""
    decoded = Decoder(processor).all(words)
    targets = sorted({d.target for d in decoded.values() if d.target is not None})
    names = {target: f"L{number}" for number, target in enumerate(targets)}
    lines = []
    for address, d in decoded.items():
        if address in names:
            lines.append(f"{names[address]}:")
        target = "" if d.target is None else names[d.target]
        lines.append("    " + written(processor, d.instruction, d.values, target, d.issue))
    if len(words) in names:
        lines.append(f"{names[len(words)]}:")
    return "\n".join(lines) + "\n"
