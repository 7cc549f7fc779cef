"""Random key schedules that repeat themselves, more or less."""

from __future__ import annotations

from dataclasses import dataclass, field

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import COMMUTATIVE, Op
from finalist.ir.types import WordType
from tests.graphs import Choices

WIDTH = 32
#: Where an operand comes from: kind, how many turns ago, place; and an operation: kind, which, two of those.
Source = tuple[int, int, int]
Step = tuple[int, int, Source, Source]
_BINARY = (Op.XOR, Op.ADD, Op.AND, Op.SUB, Op.MUL, Op.ROL)
TABLE = TableData(tuple((7 * x * x + 3) % 251 for x in range(256)), WIDTH, "T")


@dataclass
class Repetitive:
    """A key schedule of equal turns, in which now and then one is unlike the others.

    ``steps``: for each operation of a turn where its operands come from; ``unlike``: how many operations of
    all turns are others than they should be.
    """

    choices: Choices
    turns: int
    unlike: int = 0
    make: Builder = field(default_factory=Builder)

    def graph(self) -> Graph:
        pick, make = self.choices.integer, self.make
        self.key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(4)]
        self.made: list[list[Node]] = []
        steps = [self._step(place) for place in range(pick(3, 9))]
        stored = [place for place in range(len(steps)) if not pick(0, 2)] or [len(steps) - 1]
        odd = {(pick(0, self.turns - 1), pick(0, len(steps) - 1)) for _ in range(self.unlike)}
        for turn in range(self.turns):
            self.made.append([])
            for place, step in enumerate(steps):
                self.made[turn].append(self._made(turn, self._step(place) if (turn, place) in odd else step))
        return Graph("g", self.key, [self._array(place, pick(0, 2)) for place in stored])

    def _step(self, place: int) -> Step:
        pick = self.choices.integer
        return pick(0, 9), pick(0, len(_BINARY) - 1), self._source(place), self._source(place)

    def _source(self, place: int) -> Source:
        pick = self.choices.integer
        kind = pick(0, 5 if place else 4)
        return kind, pick(1, 12 if kind == 4 else 2), pick(0, max(0, place - 1))

    def _made(self, turn: int, step: Step) -> Node:
        kind, number, *sources = step
        a, b = (self._operand(turn, source) for source in sources)
        if kind == 0:
            return self.make.make(Op.LOOKUP, (self.make.slice(a, 8, 8),), TABLE)
        if kind == 1:
            return self.make.make(Op.ROL, (a, self.make.const(3 * turn % WIDTH, WIDTH)))
        op = _BINARY[number]
        exchanged = op in COMMUTATIVE and self.choices.integer(0, 3) == 3
        return self.make.make(op, (b, a) if exchanged else (a, b))

    def _operand(self, turn: int, source: Source) -> Node:
        kind, age, place = source
        if kind == 0:
            return self.make.const((0x9E3779B9 * turn + age) & mask(WIDTH), WIDTH)
        if kind == 1:
            return self.make.const((turn * turn * 77 + age) ^ place, WIDTH)
        if kind == 2:
            return self.key[turn % 3]
        if kind == 5:
            return self.made[turn][place]
        before = turn - age
        row = self.made[before] if before >= 0 else []
        return row[place] if place < len(row) else self.key[(age + place) % len(self.key)]

    def _array(self, place: int, layout: int) -> Node:
        """The values of a place of all turns, in order, from the last, or every second one twice apart."""
        values = [row[place] for row in self.made]
        where = [range(len(values)), range(len(values) - 1, -1, -1), range(1, 2 * len(values), 2)][layout]
        array = self.make.array([0] * (2 * len(values) if layout == 2 else len(values)), WIDTH)
        for at, value in zip(where, values, strict=True):
            array = self.make.make(Op.STORE, (array, self.make.const(at, 32), value))
        return array
