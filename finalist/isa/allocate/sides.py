"""Register files of words, on processors that have several, and the copies between them.

Each instruction is issued in a way that allows certain files for its operands; one whose operands are
elsewhere asks for copies. Instruction by instruction the way of fewest copies is taken, and of these the one
whose side has been used less in the basic block (J. R. Ellis, "Bulldog: A Compiler for VLIW Architectures",
1985, bottom-up greedy).

Before that, what has no words in common is told apart: each such group can have a side for itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from finalist.errors import GraphError
from finalist.ir.ops import COMMUTATIVE
from finalist.isa.code import ZERO, Block, Code, Ins
from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.meaning import Leaf
from finalist.isa.target.processor import Processor


def assign(code: Code, processor: Processor, common: set[int] | None = None) -> None:
    """Gives each word a register file, `Code.files`, and makes the copies that this asks for.

    ``common``: the words that live across blocks; with these, parts of a block that have no others in common
    are each on a side of their own.
    """
    if sum(not file.status for file in processor.files.values()) > 1:
        _Sides(code, processor, common).run()


@dataclass(frozen=True, slots=True)
class _Choice:
    """A way to issue an instruction, its two register operands exchanged or not.

    ``side``: what balances: the file that it writes to, or else reads; ``read``, ``written``: the places
    among the operands, as they are before the exchange, of registers, and the file of each.
    """

    swapped: bool
    way: Way
    side: str
    read: tuple[tuple[int, str], ...]
    written: tuple[tuple[int, str], ...]


@lru_cache(maxsize=1 << 12)
def _choices_of(instruction: Instruction) -> tuple[_Choice, ...]:
    """All ways to issue an instruction: every instruction of a program asks for them."""
    orders = (False, True) if _commutes(instruction) else (False,)
    return tuple(_choice(instruction, way, swapped) for swapped in orders for way in instruction.ways)


def _choice(instruction: Instruction, way: Way, swapped: bool) -> _Choice:
    places = list(range(len(instruction.operands)))
    if swapped:
        first, second = instruction.read
        places[first], places[second] = second, first
    files = [
        (place, o, way.files.get(o.name) or o.file)
        for place, o in zip(places, instruction.operands, strict=True)
    ]
    return _Choice(
        swapped,
        way,
        next(iter(way.files.values()), ""),
        tuple((place, file) for place, o, file in files if o.is_register and not o.written),
        tuple((place, file) for place, o, file in files if o.written),
    )


class _Sides:
    def __init__(self, code: Code, processor: Processor, common: set[int] | None = None) -> None:
        self.common = common
        #: The file that an instruction should write, where its part of the block has a side for itself.
        self.wanted: str | None = None
        self.code, self.processor, self.files = code, processor, code.files
        self.used: Counter[str] = Counter()
        #: In the present block, the copy of a word in another file.
        self.copies: dict[tuple[int, str], int] = {}
        #: For a constant and a file the word that holds it there.
        self.constants: dict[tuple[int, str], int] = {}

    def run(self) -> None:
        for block in self.code.blocks:
            self.used.clear()
            self.copies.clear()
            block.body = list(self._placed(block))

    def _placed(self, block: Block) -> Iterator[Ins]:
        wanted = self._wanted(block)
        for place, ins in enumerate(block.body):
            self.wanted = wanted[place] if wanted else None
            chosen = min(self._choices(ins), key=lambda choice: self._cost(ins, choice))
            if chosen.swapped:
                ins.operands = _swapped(ins)
            yield from self._copies(ins, chosen.way)
            self.used[chosen.side] += 1
            for word in ins.written:
                self._overwritten(word)
            yield ins

    def _wanted(self, block: Block) -> list[str | None]:
        if self.common is None:
            return []
        names = [name for name, file in self.processor.files.items() if not file.status]
        found = groups(block.body, self.common)
        if len({number for number in found if number is not None}) < len(names):
            return []
        return [None if number is None else names[number % len(names)] for number in found]

    def _choices(self, ins: Ins) -> Iterator[_Choice]:
        """Those that write to where the words written already are."""
        for choice in _choices_of(ins.instruction):
            for place, file in choice.written:
                word = ins.operands[place]
                if word != ZERO and self.files.get(int(word), file) != file:
                    break
            else:
                yield choice

    def _cost(self, ins: Ins, choice: _Choice) -> tuple[int, ...]:
        copies = 0
        for place, file in choice.read:
            word = ins.operands[place]
            if word != ZERO and self._is_elsewhere(int(word), file):
                copies += 1
        away = self.wanted is not None and choice.side != self.wanted
        return copies, away, self.used[choice.side], len(choice.way.paths), choice.swapped

    def _is_elsewhere(self, word: int, file: str) -> bool:
        if word in self.code.constants or (word, file) in self.copies:
            return False
        return self.files.get(word, file) != file

    def _copies(self, ins: Ins, way: Way) -> Iterator[Ins]:
        """The operands brought to where the way wants them; those that are nowhere yet are there."""
        for k, o in enumerate(ins.instruction.operands):
            word = ins.operands[k]
            if not o.is_register or not isinstance(word, int) or word == ZERO:
                continue
            file = way.files.get(o.name) or o.file
            if o.written:
                self.files.setdefault(word, file)
            elif word in self.code.constants:
                ins.operands[k] = self._constant(word, file)
            elif self.files.setdefault(word, file) != file:
                if (word, file) not in self.copies:
                    made = self.copies[word, file] = self.code.fresh()
                    self.files[made] = file
                    yield Ins(self._copy_to(file, self.files[word]), [made, word], ins.phase)
                ins.operands[k] = self.copies[word, file]

    def _constant(self, word: int, file: str) -> int:
        """The word of a constant in a file: made once in each that needs it."""
        value = self.code.constants[word]
        if (value, file) not in self.constants:
            free = self.files.get(word) is None
            made = word if free else self.code.fresh()
            self.constants[value, file] = made
            self.code.constants[made] = value
            self.files[made] = file
        return self.constants[value, file]

    def _overwritten(self, word: int) -> None:
        """Copies of a word that has changed are old."""
        for file in self.processor.files:
            self.copies.pop((word, file), None)

    def _copy_to(self, target: str, source: str) -> Instruction:
        for instruction, _, meaning in self.processor.by_root.get((Leaf.OPERAND, 0), ()):
            made = next((o.name for o in instruction.operands if o.written), "")
            wanted = {made: target, str(meaning.attr): source}
            if instruction.by_name[meaning.attr].read and any(
                all(way.files.get(name) == file for name, file in wanted.items()) for way in instruction.ways
            ):
                return instruction
        raise GraphError(f"{self.processor.name} has no copy from registers {source} to {target}")


def _commutes(instruction: Instruction) -> bool:
    """Whether its two register operands can change places."""
    meaning = instruction.main
    return (
        meaning.op in COMMUTATIVE
        and len(meaning.args) == 2
        and all(arg.op is Leaf.OPERAND and instruction.by_name[arg.attr].read for arg in meaning.args)
    )


def _swapped(ins: Ins) -> list[int | str]:
    """The operands with the two that are read exchanged."""
    operands = list(ins.operands)
    first, second = ins.instruction.read
    operands[first], operands[second] = operands[second], operands[first]
    return operands


#: A part is one of several if it has at least this share of the instructions of the largest.
_SHARE = 0.5


def groups(body: Sequence[Ins], common: set[int]) -> list[int | None]:
    """For each instruction the number of its part, the largest first; None of one that serves several.

    Words in ``common`` (constants, pointers), and what is loaded by those alone (keys), join nothing.
    """
    above: dict[int, int] = {}

    def root(word: int) -> int:
        while above.get(word, word) != word:
            word = above[word]
        return word

    shared = common | {ZERO}
    for ins in body:
        words = [word for word in ins.read if word not in shared]
        if not words and ins.instruction.effect == "load" and ins.access != "data":
            shared = shared | set(ins.written)
            continue
        for word in (*words, *(w for w in ins.written if w not in shared)):
            above.setdefault(word, word)
            above[root(word)] = root(words[0] if words else word)
    roots = [_root(ins, shared, root) for ins in body]
    sizes = Counter(r for r in roots if r is not None)
    largest = max(sizes.values(), default=0)
    order = {r: n for n, (r, size) in enumerate(sizes.most_common()) if size >= _SHARE * largest}
    return [order.get(r) if r is not None else None for r in roots]


def _root(ins: Ins, shared: set[int], root: object) -> int | None:
    assert callable(root)
    words = [word for word in (*ins.written, *ins.read) if word not in shared]
    return int(root(words[0])) if words else None
