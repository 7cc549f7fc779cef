"""What an operand is in equal iterations, all of them together.

w[i] = rol(t, 3)            made in the same iteration: position of t, distance 0
w[i] = w[i - 2] ^ ...       carried from two iterations before: position of w, distance 2
w[i] = ... ^ key            invariant
w[i] = ... + 5 * i          series, of constants
w[i] = ... ^ key[i]         series

Constants of a loop's iterations are computed from the iteration's number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import TupleType, Type, WordType

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


T = TypeVar("T")


def constant_of(
    make: Builder, values: Sequence[int], width: int, index: Node, length: int | None = None
) -> Node:
    """The constant of iteration ``index``: fixed, a + b * index, or from a small table.

    ``length``: of the array that it is an index of; it may then be a narrower word, which wraps around as the
    index does: 209, 241, 17, .. of 256 entries -> ``209 + 32 * index`` of 8 bits.
    """
    if len(set(values)) == 1:
        return make.const(values[0], width)
    if _is_affine(values, width):
        return _affine(make, values, width, index)
    index_width = (length or 1).bit_length() - 1
    if length == 1 << index_width and _is_affine(values, index_width):
        return _affine(make, values, index_width, index)
    # A power of two of them, so that low bits tell.
    values = first_repeated(values, (1 << bits for bits in range(1, (len(values) - 1).bit_length())))
    bits = (len(values) - 1).bit_length()
    padded = (*values, *([0] * ((1 << bits) - len(values))))
    table = TableData(padded, width, "by_iteration", "constants of a loop's iterations")
    return make.make(Op.LOOKUP, (make.slice(index, 0, bits),), table)


def _is_affine(values: Sequence[int], width: int) -> bool:
    """Whether they are a + b * j modulo 2^width, j being their number."""
    step = values[1] - values[0]
    return all((values[0] + step * j) & mask(width) == value for j, value in enumerate(values))


def _affine(make: Builder, values: Sequence[int], width: int, index: Node) -> Node:
    """Such a value, a + b * index."""
    step = (values[1] - values[0]) & mask(width)
    number = make.slice(index, 0, width) if width < 32 else make.extend(index, width)
    scaled = number if step == 1 else make.make(Op.MUL, (number, make.const(step, width)))
    return make.make(Op.ADD, (scaled, make.const(values[0], width))) if values[0] else scaled


def first_repeated(values: Sequence[T], counts: Iterable[int]) -> Sequence[T]:
    """The first values, as many as one of ``counts`` says, if all others repeat them; else all."""
    for count in counts:
        if all(value == other for value, other in zip(values, values[count:], strict=False)):
            return values[:count]
    return values


def undefined(make: Builder, type_: Type) -> Node:
    """What stands for a value that is not there yet."""
    if isinstance(type_, TupleType):
        return make.make(Op.TUPLE, [undefined(make, item) for item in type_.items])
    assert isinstance(type_, WordType)
    return make.const(0, type_.width)
