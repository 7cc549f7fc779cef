"""Types of values: words, arrays of words, and several values as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from finalist.errors import GraphError


def storage_bits(width: int) -> int:
    """Bits of the smallest integer of a computer that holds ``width`` bits: 8, 16, 32 or 64."""
    return max(8, 1 << (width - 1).bit_length())


class WordType:
    """An unsigned word of ``width`` bits, 1 to 64. Equal types are one object: every node has one."""

    __slots__ = ("width",)
    width: int

    _all: ClassVar[dict[int, WordType]] = {}

    def __new__(cls, width: int) -> WordType:
        known = cls._all.get(width)
        if known is None:
            if not 1 <= width <= 64:
                raise GraphError(f"a word has 1 to 64 bits, not {width}")
            made = object.__new__(cls)
            made.width = width
            known = cls._all.setdefault(width, made)  # another thread's, where it was first
        return known

    def __reduce__(self) -> tuple[type[WordType], tuple[int]]:
        return WordType, (self.width,)

    def __repr__(self) -> str:
        return f"WordType(width={self.width})"

    def __str__(self) -> str:
        return f"u{self.width}"


class ArrayType:
    """``length`` words of ``width`` bits. Equal types are one object."""

    __slots__ = ("length", "width")
    length: int
    width: int

    _all: ClassVar[dict[tuple[int, int], ArrayType]] = {}

    def __new__(cls, length: int, width: int) -> ArrayType:
        known = cls._all.get((length, width))
        if known is None:
            made = object.__new__(cls)
            made.length, made.width = length, width
            known = cls._all.setdefault((length, width), made)
        return known

    def __reduce__(self) -> tuple[type[ArrayType], tuple[int, int]]:
        return ArrayType, (self.length, self.width)

    def __repr__(self) -> str:
        return f"ArrayType(length={self.length}, width={self.width})"

    def __str__(self) -> str:
        return f"u{self.width}[{self.length}]"


@dataclass(frozen=True, slots=True)
class TupleType:
    """Several values as one: a register's words, what a loop yields; taken apart by `result`."""

    items: tuple[WordType | ArrayType | TupleType, ...]

    def __str__(self) -> str:
        return "(" + ", ".join(map(str, self.items)) + ")"


Type = WordType | ArrayType | TupleType
