"""What bits of a store are where all inputs are known: for tests of everything that is made there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from finalist.prove.bits import Word
from finalist.prove.cone import cone
from finalist.prove.spaces import places
from finalist.prove.store import Store
from finalist.prove.words import Words


class Valuation:
    """The values of bits; ``inputs``: of each symbol by name."""

    def __init__(self, words: Words, inputs: Mapping[object, int]) -> None:
        self.words = words
        self.store: Store = words.store
        self.spaces, self.reads = words.spaces, words.reads
        self.inputs = inputs
        self.values: dict[int, int] = {}

    def word(self, word: Word) -> int:
        """The number that a word is."""
        if isinstance(word, int):
            return word
        return sum(self.bit(bit) << k for k, bit in enumerate(word))

    def bit(self, literal: int) -> int:
        """Whether a bit is true."""
        odd = literal & 1
        for atom in self.store.sets[literal >> 1]:
            odd ^= self._atom(atom)
        return odd

    def _atom(self, atom: int) -> int:
        if atom not in self.values:  # what it is made of comes first, so that nothing is called in depth
            for one in cone(self.words, [self.store.alone(atom)], done=self.values) or ():
                kind, *rest = self.store.atoms[one]
                self.values[one] = getattr(self, f"_{kind}")(*rest)
        return self.values[atom]

    def _input(self, name: object, k: int) -> int:
        return self.inputs[name] >> k & 1

    def _named(self, bit: int) -> int:
        return self.bit(bit)

    def _and(self, a: int, b: int) -> int:
        return self.bit(a) & self.bit(b)

    def _majority(self, a: int, b: int, c: int) -> int:
        return int(self.bit(a) + self.bit(b) + self.bit(c) > 1)

    def _function(self, space: int, element: int) -> int:
        basis = self.spaces.bases[space]
        point = self.word(self.spaces.indices[space])
        odd = basis.vectors[element] >> point & 1
        for place in places(basis.vectors[element] >> basis.over.size):
            value, atom = basis.over.meanings[place]
            odd ^= value == point and self._atom(atom)
        return int(odd)

    def _read(self, space: int, column: int) -> int:
        return self.bit(self.reads.entry(column, self.word(self.spaces.indices[space])))

    def _product(self, factors: Sequence[Any], k: int) -> int:
        return self.word(factors[0]) * self.word(factors[1]) >> k & 1

    def _multiple(self, bits: tuple[int, ...], times: int, k: int) -> int:
        return self.word(bits) * times >> k & 1

    def _remainder(self, a: tuple[int, ...], b: tuple[int, ...], k: int) -> int:
        divisor = self.word(b)
        return (self.word(a) % divisor if divisor else self.word(a)) >> k & 1
