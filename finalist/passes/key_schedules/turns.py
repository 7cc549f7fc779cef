"""Turns of a loop: what each operand of equal stretches of code is, turn for turn.

An operand is made in the same turn, or some turns before; or it is a constant, one value that was there
before the loop, or such a value of its own for each turn. The last turn says which: by then all that turns
hand on to one another is under way. Turns before the first one that fits are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from finalist.ir.graph import Node, WordType
from finalist.ir.ops import COMMUTATIVE, Op

#: Last turns that may be left out because they are unlike the others.
_LEFT_OUT = 2


@dataclass(frozen=True, slots=True)
class Inside:
    """What stands at ``place`` of a turn, made ``age`` turns before."""

    place: int
    age: int


@dataclass(frozen=True, slots=True)
class Same:
    """What was there before the first turn."""

    node: Node


@dataclass(frozen=True, slots=True)
class Series:
    """A value for each turn, all of which were there before the first; ``constant`` if they are constants.

    Where they repeat themselves, those of the first turns alone, unless they are constants.
    """

    nodes: tuple[Node, ...]
    constant: bool


Operand = Inside | Same | Series


@dataclass(frozen=True, slots=True)
class Turns:
    """Equal turns: ``nodes[t][p]`` is what stands at place p of turn t.

    ``operands[p]``: those of place p. ``initial[p, k]``: what stands for the value at place p of the turn k
    turns before the first one.
    """

    nodes: tuple[tuple[Node, ...], ...]
    operands: tuple[tuple[Operand, ...], ...]
    initial: dict[tuple[int, int], Node]

    @property
    def count(self) -> int:
        """How many."""
        return len(self.nodes)

    @property
    def template(self) -> tuple[Node, ...]:
        """The nodes of the last, whose operands are those of all."""
        return self.nodes[-1]


def turns_of(nodes: Sequence[Node], period: int) -> Turns | None:
    """The most turns that a sequence of nodes, each like the one ``period`` places before, is made of."""
    count = len(nodes) // period
    cut = [tuple(nodes[t * period : (t + 1) * period]) for t in range(count)]
    best: Turns | None = None
    for stop in range(count, max(1, count - _LEFT_OUT - 1), -1):
        if best is None or best.count < stop:
            found = _Fit(cut[:stop]).turns()
            best = found if found and (best is None or found.count > best.count) else best
    return best


@dataclass
class _Fit:
    nodes: list[tuple[Node, ...]]
    place: dict[Node, tuple[int, int]] = field(default_factory=dict)
    first: int = 0

    def __post_init__(self) -> None:
        for turn, nodes in enumerate(self.nodes):
            self.place.update({node: (turn, place) for place, node in enumerate(nodes)})
        last = len(self.nodes) - 1
        template = self.nodes[last]
        self.relative = [[self._relative(child, last) for child in node.inputs] for node in template]
        self.inputs = [
            [self._inputs(turn, place) for turn in range(len(self.nodes))] for place in range(len(template))
        ]

    def turns(self) -> Turns | None:
        operands = [
            tuple(self._operand(place, number) for number in range(len(node.inputs)))
            for place, node in enumerate(self.nodes[-1])
        ]
        while len(self.nodes) - self.first > 1:
            initial = self._initial(operands)
            if initial is not None:
                kept = tuple(tuple(self._from_first(operand) for operand in row) for row in operands)
                return Turns(tuple(self.nodes[self.first :]), kept, initial)
            self.first += 1
        return None

    def _from_first(self, operand: Operand) -> Operand:
        if isinstance(operand, Series):
            nodes = operand.nodes[self.first :]
            return Series(nodes if operand.constant else _repeated(nodes), operand.constant)
        return operand

    # -- operands -------------------------------------------------------------------------------

    def _relative(self, node: Node, turn: int) -> object:
        """What can be the same in all turns about an operand."""
        found = self.place.get(node)
        if found is not None:
            return turn - found[0], found[1]
        return Op.CONST if node.op is Op.CONST else None

    def _series(self, place: int, number: int) -> list[Node]:
        return [inputs[number] for inputs in self.inputs[place]]

    def _inputs(self, turn: int, place: int) -> tuple[Node, ...]:
        """The operands, exchanged where that makes them more like the last turn's."""
        node = self.nodes[turn][place]
        if node.op not in COMMUTATIVE or len(node.inputs) != 2:
            return node.inputs
        a, b = (self._relative(child, turn) for child in node.inputs)
        first, second = self.relative[place]
        exchanged = (a == second) + (b == first) > (a == first) + (b == second)
        return node.inputs[::-1] if exchanged else node.inputs

    def _operand(self, place: int, number: int) -> Operand:
        """What the operand is in the last turns; ``first`` becomes the first turn in which it is that."""
        series, last = self._series(place, number), len(self.nodes) - 1
        relative = self.relative[place][number]
        if relative is Op.CONST:
            self.first = max(self.first, _end_of(node.op is Op.CONST for node in series))
            return Series(tuple(series), constant=True)
        made = self.place.get(series[last])
        if made is not None and series[last - 1] is not series[last]:
            return self._made(series, last - made[0], made[1])
        before = made[0] + 1 if made else 0
        same = max(before, _end_of(node is series[last] for node in series))
        other = _end_of(node not in self.place and isinstance(node.type, WordType) for node in series)
        if made is None and other < same:
            self.first = max(self.first, other)
            return Series(tuple(series), constant=False)
        self.first = max(self.first, same)
        return Same(series[last])

    def _made(self, series: list[Node], age: int, place: int) -> Operand:
        """What is made in the turns; in the first ones, what was there before stands for it."""
        at = [self.place.get(node) for node in series]
        fits = [where == (turn - age, place) for turn, where in enumerate(at)]
        begin = max(0, _end_of(fits) - age)
        for turn in range(begin, len(series)):
            where = at[turn]
            if not fits[turn] and where is not None and where[0] >= begin:
                begin = turn + 1
        self.first = max(self.first, begin)
        return Inside(place, age)

    def _initial(self, operands: list[tuple[Operand, ...]]) -> dict[tuple[int, int], Node] | None:
        """What values from before the first turn are; None if something would have to be two things."""
        initial: dict[tuple[int, int], Node] = {}
        for place, row in enumerate(operands):
            for number, operand in enumerate(row):
                if not isinstance(operand, Inside):
                    continue
                for turn in range(self.first, min(self.first + operand.age, len(self.nodes))):
                    node = self.inputs[place][turn][number]
                    inside = self.place.get(node, (-1, 0))[0] >= self.first
                    key = (operand.place, operand.age - (turn - self.first))
                    if inside or initial.setdefault(key, node) is not node:
                        return None
        return initial


def _repeated(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The first nodes, if all others repeat them."""
    for count in range(1, len(nodes)):
        if all(a is b for a, b in zip(nodes, nodes[count:], strict=False)):
            return nodes[:count]
    return nodes


def _end_of(fits: Iterable[bool]) -> int:
    """The place after the last that does not fit."""
    return max((place + 1 for place, fit in enumerate(fits) if not fit), default=0)
