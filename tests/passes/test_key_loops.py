"""Key schedules as loops: random ones that repeat themselves, more or less, and what each kind becomes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import ArrayType, Graph, Node, TableData, WordType
from finalist.ir.ops import COMMUTATIVE, Op
from finalist.passes.key_loops import length, with_key_loops
from tests.graphs import Choices, Seeded
from tests.passes.meaning import keeps_graph, operations

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


@given(st.integers(0, 1 << 40), st.integers(2, 24), st.sampled_from((0, 0, 1, 3)))
@settings(deadline=None, max_examples=60)
def test_random_key_schedules(seed: int, turns: int, unlike: int) -> None:
    keeps_graph(with_key_loops, Repetitive(Seeded(seed), turns, unlike).graph(), seed % 7)


def test_random_key_schedules_become_loops() -> None:
    """Else the test before this one would show nothing."""
    made = [with_key_loops(Repetitive(Seeded(seed), 12).graph()) for seed in range(20)]
    assert sum(bool(operations(graph, Op.LOOP)) for graph in made) >= 8


# -- one kind each -----------------------------------------------------------------------------------


def stored(make: Builder, values: list[Node], places: range | None = None) -> Node:
    array = make.array([0] * len(values), WIDTH)
    for place, value in zip(places or range(len(values)), values, strict=True):
        array = make.make(Op.STORE, (array, make.const(place, 32), value))
    return array


def recurrence(age: int, turns: int = 40) -> Graph:
    """w[i] = rol(w[i - age] ^ w[i - 1] ^ constant of i, 11), all in the expanded key, the last one first."""
    make = Builder()
    key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(age)]
    w = list(key)
    for turn in range(turns):
        mixed = make.make(Op.XOR, (make.make(Op.XOR, (w[-age], w[-1])), make.const(turn * turn, WIDTH)))
        w.append(make.make(Op.ROL, (mixed, make.const(11, 8))))
    return Graph("g", key, [stored(make, w[age:], range(turns - 1, -1, -1))])


@pytest.mark.parametrize(("age", "arrays"), [(2, 1), (8, 1), (9, 2)])
def test_old_words_are_handed_on_or_stand_in_an_array(age: int, arrays: int) -> None:
    looped = keeps_graph(with_key_loops, recurrence(age))
    (loop,) = operations(looped, Op.LOOP)
    assert loop.inputs[1].attr == 40
    assert length(looped) < 20 + 2 * age
    assert sum(isinstance(node.type, ArrayType) for node in loop.region.params) == arrays


def test_words_of_the_key_for_each_turn_stand_in_an_array() -> None:
    make = Builder()
    key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(3)]
    a, found = key[0], []
    for turn in range(12):
        a = make.make(Op.ADD, (make.make(Op.ROL, (a, make.const(3, 8))), key[turn % 3]))
        found.append(make.make(Op.XOR, (a, make.const(5, WIDTH))))
    looped = keeps_graph(with_key_loops, Graph("g", key, [stored(make, found)]))
    (read,) = operations(looped, Op.LOAD)
    assert read.inputs[0].length == 3


def test_what_is_needed_after_the_loop_comes_out_of_it() -> None:
    make = Builder()
    (a,) = key = [make.param("memory", WordType(WIDTH), "k")]
    rows = []
    for turn in range(20):
        a = make.make(Op.ADD, (make.make(Op.ROL, (a, make.const(3, 8))), make.const(turn, WIDTH)))
        rows.append(a)
    late = make.make(Op.MUL, (rows[4], rows[19]))
    looped = keeps_graph(with_key_loops, Graph("g", key, [stored(make, rows), late]))
    assert len(operations(looped, Op.LOOP)) == 1


def test_turns_that_are_unlike_the_others_stay_outside() -> None:
    make = Builder()
    key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(2)]
    a, b, found = *key, []
    for turn in range(30):
        op = Op.SUB if turn in (0, 29) else Op.ADD
        a, b = b, make.make(op, (make.make(Op.ROL, (a, make.const(turn % 7, 8))), b))
        found.append(b)
    looped = keeps_graph(with_key_loops, Graph("g", key, [stored(make, found)]))
    (loop,) = operations(looped, Op.LOOP)
    assert loop.inputs[1].attr == 28 and len(operations(looped, Op.SUB)) == 2


def test_an_array_that_is_filled_and_then_read_is_filled_in_time() -> None:
    make = Builder()
    (k,) = key = [make.param("memory", WordType(WIDTH), "k")]
    a, found = k, []
    for turn in range(16):
        a = make.make(Op.ADD, (make.make(Op.ROL, (a, make.const(7, 8))), make.const(turn, WIDTH)))
        found.append(a)
    table = stored(make, found)
    read = make.make(Op.LOAD, (table, k))
    written = make.make(Op.STORE, (table, k, read))
    keeps_graph(with_key_loops, Graph("g", key, [written, read]))


def test_what_does_not_repeat_stays_as_it_is() -> None:
    make = Builder()
    key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(4)]
    a = key[0]
    for number, op in enumerate((Op.ADD, Op.XOR, Op.MUL, Op.SUB, Op.AND, Op.OR, Op.MULHI)):
        a = make.make(op, (a, key[number % 4]))
    graph = Graph("g", key, [a])
    assert with_key_loops(graph) is graph
