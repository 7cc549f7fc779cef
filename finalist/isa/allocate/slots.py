"""Words of memory for what has no register."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from finalist.isa.allocate.linear import NoRoomError, Spilling
from finalist.isa.code import Code, Ins
from finalist.isa.lower.lowerer import Conventions, Lowerer
from finalist.isa.lower.select import Selector
from finalist.isa.target.meaning import Leaf, constant, load, register, store
from finalist.isa.target.memory import Memory, Place
from finalist.isa.target.processor import Processor


@dataclass(slots=True)
class Slots:
    """Words of ``size`` bytes, handed out one after the other.

    ``areas``: first ``count`` words that every program has, so that tables and arrays lie behind them; once
    these are taken, as many again behind all else, as long as a displacement of ``reach`` bytes spans them.
    ``values``: by address what a word holds before the program runs.
    """

    cipher: str
    memory: Memory
    size: int
    count: int
    reach: int
    areas: list[Place] = field(default_factory=list)
    values: dict[int, int] = field(default_factory=dict)
    #: Words that were handed out; what is made anew can begin with fewer.
    taken: int = 0

    def __post_init__(self) -> None:
        self._another()

    def take(self) -> int:
        """The address of a word that nothing has yet. Raises NoRoomError."""
        area, at = divmod(self.taken, max(self.count, 1))
        if area == len(self.areas) and self._room():
            self._another()
        if area >= len(self.areas) or at >= self.count:
            raise NoRoomError(f"{self.cipher} needs more than {self.taken} words beside the registers")
        self.taken += 1
        return self.areas[area].address + at * self.size

    def _room(self) -> bool:
        begin = -(-self.memory.top // self.size) * self.size
        return self.count > 0 and begin + self.size * self.count <= self.reach

    def _another(self) -> None:
        self.areas.append(self.memory.place("slots", self.size, self.count))


#: Stands for any word, in an instruction that is selected once for all of them.
_ANY = 1 << 40


def _of_word(one: Ins, word: int) -> Ins:
    """A new instruction that does with this word what one does with any."""
    made = one.copy()
    made.operands = [word if x == _ANY else x for x in made.operands]
    return made


def spilling(processor: Processor, memory: Memory, conventions: Conventions) -> Spilling:
    """How a processor's words are spilled, fetched again, and constants made anew."""
    size = processor.width // 8

    def selected(act: Callable[[Selector], object]) -> Ins:
        found: list[Ins] = []
        selector = Lowerer(processor, memory, Code(), conventions).selector
        selector.emit, selector.fresh = found.append, lambda: _ANY
        act(selector)
        (made,) = found
        made.note = "spilled"
        return made

    @cache
    def fetched(home: int) -> Ins:
        return selected(lambda selector: selector.root(load(size, constant(0) + home), _ANY))

    @cache
    def spilled(home: int) -> Ins:
        stored = store(size, constant(0) + home, register(_ANY))
        return selected(lambda selector: selector.act(stored))

    def fetch(target: int, home: int) -> Ins:
        return _of_word(fetched(home), target)

    def spill(source: int, home: int) -> Ins:
        return _of_word(spilled(home), source)

    def rematerialized(target: int, value: int) -> list[Ins]:
        """By one instruction; nothing where none takes the constant."""
        for instruction, _, _ in processor.by_root.get((Leaf.OPERAND, 0), ()):
            number = value - (1 << processor.width) if value >> processor.width - 1 else value
            operand = instruction.operands[1]
            if operand.kind == "imm" and operand.accepts(number, processor.width):
                return [Ins(instruction, [target, number])]
        return []

    return Spilling(fetch, spill, rematerialized)
