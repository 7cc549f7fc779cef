"""What an operand is in equal iterations, all of them together.

w[i] = rol(t, 3)            made in the same iteration: position of t, distance 0
w[i] = w[i - 2] ^ ...       carried from two iterations before: position of w, distance 2
w[i] = ... ^ key            invariant
w[i] = ... + 5 * i          series, of constants
w[i] = ... ^ key[i]         series
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType

#: Values are carried from at most so many iterations before.
FARTHEST = 8

#: The iteration and the position in it of each node of all iterations.
Positions = Mapping[Node, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Made:
    """What stands at ``position`` of the iteration that is ``distance`` before: 0 is the same iteration."""

    position: int
    distance: int


@dataclass(frozen=True, slots=True)
class Invariant:
    """What was there before the first iteration."""

    node: Node


@dataclass(frozen=True, slots=True)
class Series:
    """A value for each iteration, all of which were there before the first; ``constant`` if they are
    constants.
    """

    nodes: tuple[Node, ...]
    constant: bool

    @property
    def values(self) -> list[int]:
        """Those of constants."""
        return [node.attr for node in self.nodes]


Operand = Made | Invariant | Series


def positions_of(iterations: Sequence[Sequence[Node]]) -> dict[Node, tuple[int, int]]:
    """Where the nodes of these iterations stand."""
    return {node: (k, at) for k, nodes in enumerate(iterations) for at, node in enumerate(nodes)}


def operand_of(series: Sequence[Node], positions: Positions) -> tuple[Operand, int]:
    """What an operand, ``series`` in all iterations, is in the last; from which iteration on it is that."""
    last = series[-1]
    if last.op is Op.CONST:
        return Series(tuple(series), constant=True), _end_of(node.op is Op.CONST for node in series)
    made = positions.get(last)
    if made is not None and last not in series[-2:-1]:
        iteration, position = made
        operand = Made(position, len(series) - 1 - iteration)
        return operand, _first_made(operand, series, positions)
    before = made[0] + 1 if made else 0
    same = max(before, _end_of(node is last for node in series))
    own = _end_of(node not in positions and isinstance(node.type, WordType) for node in series)
    if made is None and own < same:
        return Series(tuple(series), constant=False), own
    return Invariant(last), same


def _first_made(operand: Made, series: Sequence[Node], positions: Positions) -> int:
    """The first iteration from which on the operand is this one; to begin with, what was there before stands
    for what is carried."""
    made = [positions.get(node) for node in series]
    fits = [one == (k - operand.distance, operand.position) for k, one in enumerate(made)]
    first = max(0, _end_of(fits) - operand.distance)
    for k in range(first, len(series)):
        one = made[k]
        if not fits[k] and one is not None and one[0] >= first:
            first = k + 1
    return first


def initial_values(
    operands: Iterable[tuple[Operand, Sequence[Node]]], positions: Positions, first: int = 0
) -> dict[tuple[int, int], Node] | None:
    """By position and distance, what stands for values from before iteration ``first``.

    ``operands``: each with what it is in all iterations. None if a value would have to be two things, or one
    of the iterations'.
    """
    initial: dict[tuple[int, int], Node] = {}
    for operand, series in operands:
        if not isinstance(operand, Made):
            continue
        for k in range(first, min(first + operand.distance, len(series))):
            inside = positions.get(series[k], (-1, 0))[0] >= first
            key = (operand.position, operand.distance - (k - first))
            if inside or initial.setdefault(key, series[k]) is not series[k]:
                return None
    return initial


def _end_of(fits: Iterable[bool]) -> int:
    """The position after the last that does not fit."""
    return max((position + 1 for position, fit in enumerate(fits) if not fit), default=0)
