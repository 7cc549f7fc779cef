"""Products: the sum of those of limbs, each of which is opaque."""

from __future__ import annotations

from finalist.prove.bits import Bits, Word, bits_of, greatest, known, stripped
from finalist.prove.columns import side_by_side
from finalist.prove.store import FALSE, TRUE
from finalist.prove.sums import Sums

#: Bits of the factors whose products are opaque.
LIMB = 8


class Products:
    """The products of a store, added up by its sums."""

    def __init__(self, sums: Sums) -> None:
        self.sums, self.store = sums, sums.store

    def multiply(self, a: Word, b: Word, width: int) -> Word:
        """The product of two words."""
        if isinstance(a, int):
            a, b = b, a
        if isinstance(b, int):
            return self._times(a, b, width) if not isinstance(a, int) else a * b & (1 << width) - 1
        assert not isinstance(a, int)
        key = "product", *sorted((a, b)), width
        if key not in self.sums.cache:
            parts = [
                ((FALSE,) * (i + j) + self._limbs_product(x, y), 1)
                for i, x in _limbs(a)
                for j, y in _limbs(b)
                if i + j < width
            ]
            square = self._by_square(a, b, width) or self._by_square(b, a, width)
            if square is not None:
                for size in range(LIMB, width + 1, LIMB):
                    self.sums.equate(parts, size, bits_of(square, size))
            self.sums.cache[key] = self.sums.add(parts, 0, width) if square is None else square
        return self.sums.cache[key]

    def _by_square(self, a: Bits, b: Bits, width: int) -> Word | None:
        """``a (a 2^k + c)`` as ``(a a) 2^k + a c``: the same whichever of the two a program adds up from
        products of halves, as of RC6's ``x (2 x + 1)``. None if b is nothing like it."""
        constant = sum(1 << k for k, bit in enumerate(b) if bit == TRUE)
        rest = bits_of(tuple(bit if bit > TRUE else FALSE for bit in b), width)
        k = next((k for k, bit in enumerate(rest) if bit != FALSE), 0)
        if not (k or constant) or rest[k:] != bits_of(a, width - k):
            return None
        square = bits_of(self.multiply(a, a, width - k), width - k)
        return self.sums.add([((FALSE,) * k + square, 1), (a, constant)], 0, width)

    def _times(self, word: Bits, factor: int, width: int) -> Word:
        """A word so many times: bits apart from each other are spread over those in between, as by 0xFF."""
        places = [k for k in range(width) if factor >> k & 1]
        if len(places) > 1 and len(places) * sum(bit != FALSE for bit in word) <= width:
            apart = side_by_side([bits_of((FALSE,) * k + word, width) for k in places])
            if apart is not None:
                return known(apart)
        return self.sums.add([(word, factor)], 0, width)

    def _limbs_product(self, a: Bits, b: Bits) -> Bits:
        """The product of two limbs, opaque: bit k is an atom of the lowest k + 1 bits of both."""
        if not (max(a) > TRUE and max(b) > TRUE):
            width = len(a) + len(b)
            return bits_of(self.multiply(known(a), known(b), width), width)
        zeros = [next(k for k, bit in enumerate(word) if bit != FALSE) for word in (a, b)]
        a, b = (stripped(word[start:]) for word, start in zip((a, b), zeros, strict=True))
        found = [self.store.both(a[0], b[0])]
        for k in range(1, len(a) + len(b)):
            low = tuple(sorted((stripped(a[: k + 1]), stripped(b[: k + 1]))))
            found.append(self.store.atom(("product", low, k)) if all(low) else FALSE)
        self.sums.greatest[stripped(tuple(found))] = greatest(a) * greatest(b)
        return (FALSE,) * sum(zeros) + tuple(found)


def _limbs(word: Bits) -> list[tuple[int, Bits]]:
    """The limbs of a word that are not 0, each with the place of its lowest bit."""
    starts = range(0, len(word), LIMB)
    return [(start, word[start : start + LIMB]) for start in starts if any(word[start : start + LIMB])]
