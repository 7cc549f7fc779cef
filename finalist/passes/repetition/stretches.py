"""Where a sequence of operations repeats itself: stretches in which the same come again and again."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from finalist.ir.graph import Node

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
    longest = int(lengths.argmax())
    if lengths[longest] < period:
        return []
    first = int(breaks[longest]) + 1
    return [(first, first + int(lengths[longest]) + period)]
