"""Bases of the functions of an index: vectors over GF(2), one coordinate for each value of the index, and
more for entries that are not known (`finalist.prove.spaces`).
"""

from __future__ import annotations

from functools import cache


class Coordinates:
    """The coordinates of functions of ``bits`` bits: one for each value, and for each value and atom."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.size = 1 << bits
        self.ones = (1 << self.size) - 1
        self.positions: dict[tuple[int, int], int] = {}
        #: What the coordinates above the first ``size`` stand for.
        self.meanings: list[tuple[int, int]] = []
        #: What a basis begins with.
        self.start: Basis | None = None

    def coordinate(self, value: int, atom: int) -> int:
        """The position of the coordinate of an atom in the entry of a value."""
        position = self.positions.get((value, atom))
        if position is None:
            position = self.positions[value, atom] = self.size + len(self.meanings)
            self.meanings.append((value, atom))
        return position


class Basis:
    """The functions of one space: the constant, the bits of the index, and those that came first, each as
    itself, so that what a definition's table gives is an atom."""

    def __init__(self, over: Coordinates) -> None:
        self.over, start = over, over.start
        #: By highest coordinate a vector, and the elements that it is the sum of.
        self.pivots: dict[int, tuple[int, int]] = dict(start.pivots) if start else {}
        self.vectors: list[int] = list(start.vectors) if start else []
        self.known: dict[int, tuple[int, ...]] = dict(start.known) if start else {}
        #: Of elements that are functions of a smaller space the bits that they are there.
        self.adopted: dict[int, int] = {}
        if start is None:
            for vector in (over.ones, *(linear(over.bits, k) for k in range(over.bits))):
                self.elements(vector)

    def elements(self, vector: int) -> tuple[int, ...]:
        """The elements of the basis that a function is the sum of."""
        known = self.known.get(vector)
        if known is None:
            known = self.known[vector] = self._reduced(vector)
        return known

    @property
    def own(self) -> int:
        """How many elements are functions of this space alone."""
        return len(self.vectors) - 1 - self.over.bits - len(self.adopted)

    def adopt(self, vector: int, bit: int) -> None:
        """Take a function of a smaller space for an element, if it is no sum of those that there are."""
        number = len(self.vectors)
        if self.elements(vector) == (number,):
            self.adopted[number] = bit

    def _reduced(self, vector: int) -> tuple[int, ...]:
        rest, chosen = vector, 0
        while rest:
            found = self.pivots.get(rest.bit_length())
            if found is None:
                number = len(self.vectors)
                self.vectors.append(vector)
                self.pivots[rest.bit_length()] = rest, chosen ^ 1 << number
                return (number,)
            rest ^= found[0]
            chosen ^= found[1]
        return tuple(k for k in range(chosen.bit_length()) if chosen >> k & 1)


@cache
def linear(bits: int, k: int) -> int:
    """The truth table of bit ``k`` of an index."""
    found, size = ((1 << (1 << k)) - 1) << (1 << k), 2 << k
    while size < 1 << bits:
        found, size = found | found << size, 2 * size
    return found
