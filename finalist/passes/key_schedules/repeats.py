"""Where a sequence of operations repeats itself: stretches in which the same come again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from finalist.ir.graph import Node
from finalist.ir.ops import CONTROL, Op

#: Operations on arrays, or with regions: each is like no other.
_SINGLE = CONTROL | {Op.ARRAY, Op.LOAD, Op.STORE, Op.APPLY}
#: A turn has at most this many operations.
_LONGEST = 8192

Labels = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Places ``start`` to ``stop`` (not included) of a sequence; each is like that ``period`` places on."""

    period: int
    start: int
    stop: int

    @property
    def turns(self) -> int:
        """Whole turns."""
        return (self.stop - self.start) // self.period

    @property
    def saved(self) -> int:
        """Operations that need not be written where one turn stands for all."""
        return (self.turns - 1) * self.period


def labels(nodes: Sequence[Node], mark: Callable[[Node], object] = lambda node: None) -> Labels:
    """A number for each node, the same for those that differ in their operands alone and have one mark."""
    numbers: dict[object, int] = {}
    marked = ((mark(node), _label(node)) for node in nodes)
    return np.array([numbers.setdefault(label, len(numbers)) for label in marked], np.int32)


def _label(node: Node) -> object:
    if node.op in _SINGLE or (node.op is Op.RESULT and node.inputs[0].op in CONTROL):
        return node
    return node.op, node.type, node.attr, tuple(child.type for child in node.inputs)


def stretches(sequence: Labels, start: int, stop: int) -> list[Stretch]:
    """The longest stretch of each period between two places; those that save most come first."""
    part = sequence[start:stop]
    periods = range(1, min(len(part) // 2, _LONGEST) + 1)
    found = [Stretch(p, start + first, start + last) for p in periods for first, last in _longest(part, p)]
    return sorted(found, key=lambda stretch: (-stretch.saved, stretch.period))


def _longest(part: Labels, period: int) -> list[tuple[int, int]]:
    """First and last place of the longest run that repeats with this period; nothing if none does."""
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
