"""The values of a store's bits at points drawn at random: a bit is a number there, each point a bit of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import reduce
from operator import mul, xor
from typing import Any

from finalist.prove.cone import entries
from finalist.prove.spaces import numbers
from finalist.prove.words import Words

#: Points at which bits are evaluated.
POINTS = 128


class Points:
    """The values of all bits that are asked for; inputs are drawn when they come up."""

    def __init__(self, words: Words) -> None:
        self.words, self.store, self.spaces = words, words.store, words.spaces
        self.ones = (1 << POINTS) - 1
        self._source = random.Random(1)
        #: By atom, up to the last that was asked for: what an atom is made of has lower numbers.
        self._atoms: list[int] = []
        #: By space the value of its index at each point.
        self._indices: dict[int, Sequence[int]] = {}
        self._kinds: dict[str, Callable[..., int]] = {
            "input": lambda *_: self._source.getrandbits(POINTS),
            "named": self.bit,
            "and": lambda a, b: self.bit(a) & self.bit(b),
            "majority": self._majority,
            "function": self._function,
            "read": self._read,
            "product": lambda factors, k: self._of_words(mul, factors[0], factors[1], k),
            "multiple": lambda bits, times, k: self._of_words(lambda x, _: x * times, bits, (), k),
            "remainder": lambda a, b, k: self._of_words(lambda x, y: x % y if y else x, a, b, k),
        }

    def bit(self, bit: int) -> int:
        """The values of a bit at all points."""
        atoms = self.store.sets[bit >> 1]
        for atom in range(len(self._atoms), max(atoms, default=-1) + 1):
            kind, *rest = self.store.atoms[atom]
            self._atoms.append(self._kinds[kind](*rest))
        found = reduce(xor, (self._atoms[atom] for atom in atoms), 0)
        return found ^ self.ones if bit & 1 else found

    def _majority(self, a: int, b: int, c: int) -> int:
        x, y, z = map(self.bit, (a, b, c))
        return x & y | x & z | y & z

    def _words(self, bits: Sequence[int]) -> Sequence[int]:
        """The number that a word is at each point."""
        return numbers([self.bit(bit) for bit in bits], POINTS)

    def _of_words(self, made: Callable[[int, int], int], a: Sequence[int], b: Sequence[int], k: int) -> int:
        """Bit ``k`` of what is made of two words."""
        pairs: Any = zip(self._words(a), self._words(b), strict=True)
        return sum((made(x, y) >> k & 1) << point for point, (x, y) in enumerate(pairs))

    def _index(self, space: int) -> Sequence[int]:
        if space not in self._indices:
            self._indices[space] = self._words(self.spaces.indices[space])
        return self._indices[space]

    def _function(self, space: int, element: int) -> int:
        vector = self.spaces.bases[space].vectors[element]
        unknown: dict[int, int] = {}
        for value, atom in entries(self.words, space, vector):
            unknown[value] = unknown.get(value, 0) ^ self._atoms[atom]
        return sum(
            ((vector >> value ^ unknown.get(value, 0) >> point) & 1) << point
            for point, value in enumerate(self._index(space))
        )

    def _read(self, space: int, column: int) -> int:
        entry = self.words.reads.column(column)
        rows = {value: self.bit(entry[value]) for value in set(self._index(space))}
        return sum((rows[value] >> point & 1) << point for point, value in enumerate(self._index(space)))
