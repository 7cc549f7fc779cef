"""Equal iterations of a sequence of operations, with what each of their operands is.

The last iteration says which: by then all that iterations hand on to one another is in flight. Those before
the first one that fits are left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import numpy.typing as npt

from finalist.ir.graph import Node
from finalist.ir.ops import COMMUTATIVE, Op
from finalist.passes.repetition.operands import (
    Operand,
    Series,
    first_repeated,
    initial_values,
    operand_of,
    positions_of,
)

#: Last iterations that may be left out because they are unlike the others.
_LEFT_OUT = 2


@dataclass(frozen=True, slots=True)
class Iterations:
    """Equal iterations: ``nodes[k][p]`` is what stands at position p of iteration k.

    ``operands[p]``: those of position p; of a series that repeats itself, unless it is of constants, the
    first values alone. ``initial[p, d]``: what stands for the value at position p, d iterations before the
    first one.
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


def iterations_of(nodes: Sequence[Node], period: int) -> Iterations | None:
    """The most iterations that a sequence of nodes, each like the one ``period`` before, is made of."""
    count = len(nodes) // period
    cut = [tuple(nodes[k * period : (k + 1) * period]) for k in range(count)]
    best: Iterations | None = None
    for stop in range(count, max(1, count - _LEFT_OUT - 1), -1):
        if best is None or best.count < stop:
            found = _Fit(cut[:stop]).iterations()
            best = found if found and (best is None or found.count > best.count) else best
    return best


@dataclass
class _Fit:
    nodes: list[tuple[Node, ...]]
    positions: dict[Node, tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.positions = positions_of(self.nodes)
        last = len(self.nodes) - 1
        self.relative = [[self._relative(child, last) for child in node.inputs] for node in self.nodes[last]]

    def iterations(self) -> Iterations | None:
        series = [self._series(position) for position in range(len(self.nodes[-1]))]
        found = [[operand_of(one, self.positions) for one in row] for row in series]
        operands = [[operand for operand, _ in row] for row in found]
        every = [*zip(chain(*operands), chain(*series), strict=True)]
        start = max((first for row in found for _, first in row), default=0)
        for first in range(start, len(self.nodes) - 1):
            initial = initial_values(every, self.positions, first)
            if initial is not None:
                rows = tuple(tuple(_from(operand, first) for operand in row) for row in operands)
                return Iterations(tuple(self.nodes[first:]), rows, initial)
        return None

    def _series(self, position: int) -> list[tuple[Node, ...]]:
        """Each operand at a position, in all iterations."""
        return list(zip(*(self._inputs(k, position) for k in range(len(self.nodes))), strict=True))

    def _inputs(self, iteration: int, position: int) -> tuple[Node, ...]:
        """The operands, exchanged where that makes them more like the last iteration's."""
        node = self.nodes[iteration][position]
        if node.op not in COMMUTATIVE or len(node.inputs) != 2:
            return node.inputs
        a, b = (self._relative(child, iteration) for child in node.inputs)
        first, second = self.relative[position]
        exchanged = (a == second) + (b == first) > (a == first) + (b == second)
        return node.inputs[::-1] if exchanged else node.inputs

    def _relative(self, node: Node, iteration: int) -> object:
        """What can be the same in all iterations about an operand."""
        found = self.positions.get(node)
        if found is not None:
            return iteration - found[0], found[1]
        return Op.CONST if node.op is Op.CONST else None


def _from(operand: Operand, first: int) -> Operand:
    """The operand where iteration ``first`` is the first one."""
    if not isinstance(operand, Series):
        return operand
    nodes = operand.nodes[first:]
    if not operand.constant:
        nodes = tuple(first_repeated(nodes, range(1, len(nodes))))
    return Series(nodes, operand.constant)


#: An iteration has at most this many operations.
_LONGEST = 8192

#: A number for each element of a sequence, the same for those that are alike.
Labels = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Positions ``start`` to ``stop`` (not included) of a sequence; each is like that ``period`` later."""

    period: int
    start: int
    stop: int

    @property
    def iterations(self) -> int:
        """Whole iterations."""
        return (self.stop - self.start) // self.period

    @property
    def saved(self) -> int:
        """Operations that need not be written where one iteration stands for all."""
        return (self.iterations - 1) * self.period

    def iteration(self, position: int) -> int:
        """Which iteration a position is in: -1 before the first, `iterations` after the last."""
        return min(max((position - self.start) // self.period, -1), self.iterations)


def kind(node: Node) -> Hashable:
    """Equal for operations that differ in their operands alone."""
    return node.op, node.type, node.attr, tuple(child.type for child in node.inputs)


def labels(kinds: Iterable[Hashable]) -> Labels:
    """A number for each element of a sequence: equal kinds have equal numbers."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(kind, len(numbers)) for kind in kinds], np.int32)


def stretches(sequence: Labels, start: int, stop: int, shortest: int = 1) -> list[Stretch]:
    """The longest stretch of each period, from ``shortest`` on, between two positions; those that save most
    come first."""
    part = sequence[start:stop]
    periods = range(shortest, min(len(part) // 2, _LONGEST) + 1)
    found = [Stretch(p, start + first, start + last) for p in periods for first, last in _longest(part, p)]
    return sorted(found, key=lambda stretch: (-stretch.saved, stretch.period))


def _longest(part: Labels, period: int) -> list[tuple[int, int]]:
    """First and last position of the longest run that repeats with this period; nothing if none does."""
    same = part[:-period] == part[period:]
    if np.count_nonzero(same) < period:
        return []
    breaks = np.concatenate(([-1], np.flatnonzero(~same), [len(same)]))
    lengths = np.diff(breaks) - 1
    longest = int(np.argmax(lengths))
    if lengths[longest] < period:
        return []
    first = int(breaks[longest]) + 1
    return [(first, first + int(lengths[longest]) + period)]
