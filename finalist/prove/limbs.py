"""Sums in limbs: words that lie above the lowest bits of a sum, such as its carries.

A word that is known to be the bits of a sum above the lowest n is taken apart where those below are there as
well; so sums of limbs, each with what carries out of the one below, end in the bits of the whole sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from finalist.prove.bits import Bits, Terms, Word, bits_of, known, signed, stripped
from finalist.prove.store import FALSE, TRUE, Store

#: What a word that lies above the lowest n bits of a sum is made of: n, what is added up, and the bits below.
Above = tuple[int, list[tuple[Word, int]], Bits]

#: Sums of limbs that are looked at, one within another.
_DEEPEST = 16


class WholeSums(Protocol):
    """The sums that limbs are of."""

    store: Store
    #: By product of two limbs, without zeros above, the greatest that it can be.
    greatest: dict[Bits, int]

    def add(self, words: list[tuple[Word, int]], constant: int, width: int) -> Word:
        """The sum of words, each so many times, and a constant."""

    def length(self, words: list[tuple[Word, int]], width: int) -> int:
        """How many terms their sum has."""

    def note(self, word: Bits, terms: Terms, constant: int) -> None:
        """Remember what a word is the sum of."""

    def origin(self, bits: Bits) -> tuple[Terms, int] | None:
        """What a word is the sum of, if that is known."""

    def range_of(self, parts: Iterable[tuple[Word, int]], constant: int) -> tuple[int, int]:
        """The least and the greatest that a sum of words can be."""


class Limbs:
    """The limbs of the sums of a store."""

    def __init__(self, sums: WholeSums) -> None:
        self.sums = sums
        #: By word without zeros above what it is made of.
        self.above: dict[Bits, Above] = {}
        #: Sums of limbs that are looked at, one to see whether another is a limb of a whole.
        self._nested = 0
        #: By borrow of a difference ``a - b`` the difference of n bits.
        self.borrows: dict[Bits, Bits] = {}
        #: By two words of n bits, in order, and n whether their sum carries.
        self.comparisons: dict[tuple[object, ...], int] = {}
        #: By the lowest bits of a sum its carry, and what was added up.
        self.carries: dict[Bits, tuple[int, list[tuple[Word, int]]]] = {}

    def whole(self, terms: Terms, constant: int, width: int) -> Word | None:
        """A sum whose terms lie above the lowest n bits of other sums, as the bits above those of the sum of
        all: where they are exactly the bits that are missing below. None where they are not.

        With h the bits of ``a + b`` above its lowest n, l: ``h + x = (a + b - l + (x << n)) >> n``.
        """
        if self._nested == _DEEPEST:
            return None
        self._nested += 1
        try:
            return self._whole(terms, constant, width)
        finally:
            self._nested -= 1

    def _whole(self, terms: Terms, constant: int, width: int) -> Word | None:
        limbs = {key: self._limb(key[0], times) for key, times in terms.items()}
        n = next((found[0] for found in limbs.values() if found is not None), 0)
        if not n:
            return None
        limbs = {key: found if found is not None and found[0] == n else None for key, found in limbs.items()}
        counts, lows = self._taken_apart(terms, limbs, n + width)
        parts: list[tuple[Word, int]] = [
            ((FALSE,) * (n + shift) + bits, times)
            for (bits, shift), times in terms.items()
            if limbs[bits, shift] is None
        ]
        parts += [(word, count) for word, count in counts.items() if count]
        missing = [word for word in {**lows, **counts} if counts[word] == -1 and len(word) <= n]
        if len(missing) > 1:  # first the one that, taken away, leaves the fewest terms
            missing.sort(key=lambda low: self.sums.length(_without(low, parts), n + width))
        low = next((low for low in missing if self._is_below(low, parts, n)), None)
        if low is None:
            return None
        parts = _without(low, parts)
        whole = bits_of(self.sums.add(parts, constant << n, n + width), n + width)
        word = whole[n:]
        self.sums.note(word, terms, constant & (1 << width) - 1)
        if max(word) > TRUE:  # a limb of a sum itself, of which more can be made
            self.above.setdefault(stripped(word), (n, [(whole, 1)], whole[:n]))
        return known(word)

    def _taken_apart(
        self, terms: Terms, limbs: Mapping[tuple[Bits, int], Above | None], width: int
    ) -> tuple[dict[Bits, int], dict[Bits, None]]:
        """How often each word counts that limbs are made of, those below them the other way: what one limb
        leaves another one takes. And those that were below a limb, or left by a borrow."""
        counts: dict[Bits, int] = {}
        lows: dict[Bits, None] = {}
        for (bits, shift), times in terms.items():
            found = limbs[bits, shift]
            if found is not None:
                count = signed(times, len(bits)) << shift
                lows[stripped(found[2] if count > 0 else self.borrows.get(stripped(bits), found[2]))] = None
                for word, times_inside in ((found[2], -1), *found[1]):
                    word = stripped(bits_of(word, width))
                    counts[word] = counts.get(word, 0) + count * times_inside
        return counts, {low: None for low in lows if low in counts}

    def _is_below(self, low: Bits, parts: list[tuple[Word, int]], n: int) -> bool:
        """Whether it is the lowest n bits of all the parts but itself."""
        return bits_of(self.sums.add(_without(low, parts), 0, n), n) == bits_of(low, n)

    def _limb(self, bits: Bits, times: int) -> Above | None:
        """What a term is made of that lies above the lowest bits of a sum; of what is taken away a carry."""
        word = stripped(bits)
        return self.above.get(word) if len(word) == 1 or signed(times, len(bits)) > 0 else None

    def part(self, word: Bits, start: int, width: int) -> Bits:
        """The bits of a word from ``start`` on, so many, or as many as there are; of a limb of a sum or of
        a product it is noted what lies below, limb by limb. Bits from elsewhere are those of rotations."""
        found = word[start : start + width]
        if start and start % width == 0 and max(found, default=FALSE) > TRUE:
            whole = word[: start + width]
            summed = self.sums.origin(whole) is not None or stripped(whole) in self.sums.greatest
            if summed and stripped(found) not in self.above:
                for at in range(0, start, width):
                    low, high = whole[at : at + width], whole[at + width :]
                    self.above.setdefault(stripped(high), (width, [(whole[at:], 1)], low))
        return found

    # -- carries and borrows --------------------------------------------------------------------

    def less(self, a: Bits, b: Bits) -> int:
        """Whether a word is less than another, unsigned.

        With ``a`` the lowest n bits of a sum t, it is bit n of ``t - b`` XOR bit n of t: there is a borrow
        from the one, or the other. With ``a = r + b`` it is what carries there, and whether ``a < r``.
        """
        n = len(a)
        pair = *sorted((bits_of(self.sums.add([(a, 1), (b, -1)], 0, n), n), b)), n
        if pair not in self.comparisons:
            self.comparisons[pair] = self._less(a, b, n)
        return self.comparisons[pair]

    def _less(self, a: Bits, b: Bits, n: int) -> int:
        origin = self.sums.origin(a)
        whole: list[tuple[Word, int]] = [(a, 1)]
        constant = 0
        if origin is not None:
            constant = origin[1] & (1 << n) - 1
            whole = [
                (bits_of((FALSE,) * shift + bits, n), signed(times, len(bits)))
                for (bits, shift), times in origin[0].items()
                if shift < n
            ]
        less = [part for part in whole if part != (b, 1)] if (b, 1) in whole else [*whole, (b, -1)]
        high, rest = (bits_of(self.sums.add(parts, constant, n + 1), n + 1)[n] for parts in (whole, less))
        found = self.sums.store.xor(high, rest)
        least = min(self.sums.range_of(parts, constant)[0] for parts in (whole, less))
        top = self.sums.range_of(whole, constant)[1]
        if least >= 0 and top < 2 << n:  # both without a sign: what carries without b carries with it
            self.sums.store.exclude(rest, found)
            self.sums.store.exclude(high ^ 1, found)
        elif least >= -(1 << n) and top < 1 << n:  # both with one: what borrows without b borrows with it
            self.sums.store.exclude(high, found)
            self.sums.store.exclude(rest ^ 1, found)
        self._carries(a, b, n, found, high, whole, constant)
        return found

    def _carries(
        self, a: Bits, b: Bits, n: int, found: int, high: int, whole: list[tuple[Word, int]], constant: int
    ) -> None:
        """Note what a borrow is the carry of: ``a = r + b`` with r the difference."""
        if found > TRUE:
            r = self.sums.add([(a, 1), (b, -1)], 0, n)
            self.above.setdefault((found,), (n, [(r, 1), (b, 1)], a))
            self.borrows.setdefault((found,), bits_of(r, n))
            self._carry(a, b, bits_of(r, n), found)
        low, top = self.sums.range_of(whole, constant)
        if high > TRUE and low >= 0 and top < 2 << n:
            self.above.setdefault((high,), (n, [*whole, (constant, 1)], a))

    def _carry(self, a: Bits, b: Bits, r: Bits, found: int) -> None:
        """Note the carry of ``r + b``, of which ``a`` is the rest. Where ``r`` is the rest of a sum that
        carries, too, one of both does at most, if there is no room for two: together they are its carry."""
        n = len(a)
        parts: list[tuple[Word, int]] = [(r, 1), (b, 1)]
        first = self.carries.get(r)
        if first is not None:
            carry, earlier = first
            if self.sums.range_of([*earlier, (b, 1)], 0)[1] < 2 << n:
                self.sums.store.exclude(carry, found)
                parts, found = [*earlier, (b, 1)], self.sums.store.xor(carry, found)
                self.above.setdefault((found,), (n, parts, a))
        self.carries.setdefault(a, (found, parts))


def _without(low: Bits, parts: list[tuple[Word, int]]) -> list[tuple[Word, int]]:
    """The parts of a sum but a word that is taken away once."""
    return [part for part in parts if part != (low, -1)]
