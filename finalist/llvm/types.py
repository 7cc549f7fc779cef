"""Types of LLVM's intermediate representation, and how values of them lie in memory.

As 64-bit processors with the lowest byte first have them: x86-64, AArch64 (LLVM Language Reference, "Data
Layout").
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Int:
    """A word of some bits."""

    bits: int


@dataclass(frozen=True, slots=True)
class Pointer:
    """An address, of whatever type."""


@dataclass(frozen=True, slots=True)
class Array:
    """Values of one type, one behind the other."""

    count: int
    item: Type


@dataclass(frozen=True, slots=True)
class Vector:
    """Lanes that are worked on at once."""

    count: int
    item: Type


@dataclass(frozen=True, slots=True)
class Struct:
    """Values of several types, each aligned unless it is packed."""

    items: tuple[Type, ...]
    packed: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """What no value of a word is: ``void``, functions, metadata, floating point."""

    name: str


Type = Int | Pointer | Array | Vector | Struct | Other
POINTER, VOID = Pointer(), Other("void")
#: Bits of an address.
ADDRESS = 64


def width_of(kind: Type) -> int:
    """Bits of a word or an address. Raises ValueError."""
    if isinstance(kind, Int):
        return kind.bits
    if isinstance(kind, Pointer):
        return ADDRESS
    raise ValueError(f"{kind} is no word")


def size_of(kind: Type) -> int:
    """Bytes in memory, with what alignment leaves behind it. Raises ValueError."""
    if isinstance(kind, Array):
        return kind.count * size_of(kind.item)
    if isinstance(kind, Vector):
        return -(-kind.count * width_of(kind.item) // 8)
    if isinstance(kind, Struct):
        return _up(offset_of(kind, len(kind.items)), align_of(kind))
    size = -(-width_of(kind) // 8)
    return _up(size, align_of(kind))


def align_of(kind: Type) -> int:
    """Bytes that an address of such a value is a multiple of."""
    if isinstance(kind, Array):
        return align_of(kind.item)
    if isinstance(kind, Struct):
        return 1 if kind.packed else max(map(align_of, kind.items), default=1)
    if isinstance(kind, Vector):
        return size_of(kind)
    return min(1 << (-(-width_of(kind) // 8) - 1).bit_length(), 16)


def offset_of(kind: Struct, place: int) -> int:
    """Bytes before an item; for the number of items those of all, without what follows."""
    offset = 0
    for number, item in enumerate(kind.items):
        offset = offset if kind.packed else _up(offset, align_of(item))
        if number == place:
            return offset
        offset += size_of(item)
    return offset


def _up(size: int, align: int) -> int:
    return -(-size // align) * align
