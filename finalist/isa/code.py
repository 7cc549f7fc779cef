"""Programs of a processor before they are text: instructions on numbered words, labels between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from finalist.isa.assembly.text import Issue
from finalist.isa.target.instruction import Instruction

#: The number of the word that is always 0.
ZERO = 0


class Cell(int):
    """A word that lives in memory, by number, where an instruction will have its address."""

    __slots__ = ()


@dataclass(slots=True)
class Ins:
    """An instruction. ``operands``: in the instruction's order; words by number, numbers, a label's name.

    ``phase``: the round that it belongs to; ``note``: what it is for; ``access``: the array of a load or
    store, so that accesses of different ones may change places.
    """

    instruction: Instruction
    operands: list[int | str]
    phase: int = 0
    note: str = ""
    access: object = None
    #: The word on which it depends whether this is executed, and whether it must be other than 0, or 0.
    condition: tuple[int, bool] | None = None
    #: The register file of each operand, by name, once that is known; none where there is but one.
    files: tuple[str, ...] = ()
    #: How it is issued, once that is known.
    issue: Issue | None = None
    #: Of a call, or a return: words in memory that it reads, and those that it changes, as lists that grow.
    takes: list[int] = field(default_factory=list)
    gives: list[int] = field(default_factory=list)
    #: Register files that a call changes, and those that it, or a return, takes.
    changes: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()

    def copy(self) -> Ins:
        """The same, with operands of its own."""
        issued = self.access, self.condition, self.files, self.issue
        known = self.takes, self.gives, self.changes, self.wants
        return Ins(self.instruction, list(self.operands), self.phase, self.note, *issued, *known)

    @property
    def written(self) -> list[int]:
        """The words that it writes."""
        return [int(self.operands[place]) for place in self.instruction.written]

    @property
    def values(self) -> dict[str, int]:
        """By name the operands that are words or numbers."""
        pairs = zip(self.instruction.operands, self.operands, strict=True)
        return {o.name: int(x) for o, x in pairs if not o.is_target}

    @property
    def target(self) -> str:
        """The label that it may branch to; empty without one."""
        pairs = zip(self.instruction.operands, self.operands, strict=True)
        return next((str(x) for o, x in pairs if o.is_target), "")

    @property
    def in_place(self) -> list[int]:
        """The words that it reads and writes in one register."""
        pairs = zip(self.operands, self.instruction.operands, strict=True)
        return [int(word) for word, o in pairs if o.kind == "both"]

    @property
    def read(self) -> list[int]:
        """The words that it reads."""
        found = [int(self.operands[place]) for place in self.instruction.read]
        return found if self.condition is None else [*found, self.condition[0]]


@dataclass(slots=True)
class Block:
    """Instructions without a label between them; only the last may be a branch.

    ``depth``: how many loops it lies in; ``part``: ``setup`` or ``block``, the work on one block of data.
    """

    label: str
    body: list[Ins] = field(default_factory=list)
    depth: int = 0
    part: str = "block"
    comment: str = ""
    #: The name of the operation that begins here.
    entry: str | None = None
    #: Of a loop of its own: its trip count if that is known, else 0.
    trips: int = 0


@dataclass(slots=True)
class Code:
    """A piece of program. ``constants``: the words that hold a constant for the whole of it."""

    blocks: list[Block] = field(default_factory=list)
    words: int = 1
    constants: dict[int, int] = field(default_factory=dict)
    #: The register file of a word, by name, where there are several.
    files: dict[int, str] = field(default_factory=dict)
    #: Words that must be in one byte of working memory, by the number of that.
    homes: dict[int, int] = field(default_factory=dict)

    def fresh(self) -> int:
        """The number of a word that nothing else has."""
        self.words += 1
        return self.words - 1

    def copy(self) -> Code:
        """The same, of which nothing changes when this does."""
        blocks = [replace(block, body=[ins.copy() for ins in block.body]) for block in self.blocks]
        return Code(blocks, self.words, dict(self.constants), dict(self.files), dict(self.homes))

    def at_home(self, home: int) -> int:
        """The number of a new word that is in this byte of working memory."""
        word = self.fresh()
        self.homes[word] = home
        return word

    def instructions(self) -> Iterator[Ins]:
        """All instructions."""
        for block in self.blocks:
            yield from block.body


def successors(blocks: Iterable[Block]) -> dict[str, list[str]]:
    """Where each block may go on."""
    blocks = list(blocks)
    found: dict[str, list[str]] = {}
    for place, block in enumerate(blocks):
        nexts = []
        last = block.body[-1] if block.body else None
        if last is not None and last.target:
            nexts.append(last.target)
        ends = (
            last is not None
            and last.instruction.flow is not None
            and last.instruction.flow.value in ("halt", "return")
        )
        if not ends and place + 1 < len(blocks):
            nexts.append(blocks[place + 1].label)
        found[block.label] = nexts
    return found
