"""Values of a loop's iterations: by the iteration's number, and where there is none yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import TupleType, Type, WordType

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
