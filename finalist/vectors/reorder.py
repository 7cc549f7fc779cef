"""Orders of bytes: what a value may have been written as by somebody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    """A re-ordering of the bytes of a value; ``name`` says what is done: "bytes reversed"."""

    name: str
    apply: Callable[[bytes], bytes]
    #: Bytes of the words within which bytes are reversed; 0 where it is something else.
    within: int = 0


#: The value as it is.
SAME = Order("", bytes, 1)


def orders(size: int) -> Iterator[Order]:
    """All re-orderings of a value of ``size`` bytes that people come upon, the usual ones first.

    Bytes reversed as a whole, or within words of 2, 4, 8, ... bytes; such words in reverse order.
    """
    yield SAME
    if size > 1:
        yield Order("bytes reversed", lambda value: value[::-1], size)
    units = [unit for unit in (4, 8, 2, 16, 32) if unit < size and size % unit == 0]
    for unit in units:
        yield Order(f"bytes reversed within words of {8 * unit} bits", _within(unit), unit)
    for unit in units:
        yield Order(f"words of {8 * unit} bits reversed", _backwards(unit))


def _within(unit: int) -> Callable[[bytes], bytes]:
    return lambda value: b"".join(part[::-1] for part in _parts(value, unit))


def _backwards(unit: int) -> Callable[[bytes], bytes]:
    return lambda value: b"".join(reversed(_parts(value, unit)))


def _parts(value: bytes, unit: int) -> list[bytes]:
    return [value[start : start + unit] for start in range(0, len(value), unit)]


def order_between(one: bytes, other: bytes) -> str:
    """The name of a re-ordering that makes ``one`` the ``other``; empty where there is none."""
    if one == other or len(one) != len(other):
        return ""
    return next((order.name for order in orders(len(one)) if order.apply(one) == other), "")
