"""Words that a mask and its complement are taken of, and what the two are together: a choice, bit by bit.

``(a & m) + (b & ~m)`` and ``(a & m) | (b & ~m)`` have no bit in common, and are what a gate of three inputs
makes of a, b and m at once (Warren, Hacker's Delight, section 2-2).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from finalist.prove.bits import Bits, Terms
from finalist.prove.store import Store


class Choices:
    """The masked words of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        #: By word the two whose AND it is.
        self.masked: dict[Bits, tuple[Bits, Bits]] = {}

    def joined(self, first: Bits, second: Bits) -> Bits | None:
        """The choice that two words are together; None where no mask keeps them apart."""
        one, other = self.masked.get(first), self.masked.get(second)
        if one is None or other is None or len(first) != len(second):
            return None
        for a, mask in (one, one[::-1]):
            inverse = tuple(bit ^ 1 for bit in mask)
            for b, rest in (other, other[::-1]):
                if rest == inverse:
                    return tuple(map(self.store.choose, mask, a, b))
        return None

    def take(self, terms: Terms) -> Iterator[tuple[Bits, int, int]]:
        """Take such words out of the terms of a sum, by pairs; what each is instead, where it begins, and
        how often it counts."""
        masked = [key for key in terms if key[0] in self.masked]
        for first, second in combinations(masked, 2):
            if first in terms and second in terms and first[1] == second[1]:
                found = self.joined(first[0], second[0]) if terms[first] == terms[second] else None
                if found is not None:
                    del terms[second]
                    yield found, first[1], terms.pop(first)
