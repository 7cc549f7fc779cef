"""Sums, differences and products modulo a power of two, whatever the order in which they are made.

A sum is a constant and terms, each a word and how often it counts; a word that is a sum itself, or the lowest
bits of one, is taken apart again. What is left is added in an order of its own, bit by bit with carries as
majorities, so that two words added at any width and in limbs give the same bits. Products of words are kept
whole: bit k of one is an atom of the lowest k + 1 bits of its factors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from finalist.prove.store import FALSE, TRUE, Store

#: A word that is not known, lowest bit first.
Bits = tuple[int, ...]
Word = int | Bits
#: Of a sum: by word and the place of its lowest bit how often it counts, an odd number.
Terms = dict[tuple[Bits, int], int]


def bits_of(word: Word, width: int) -> Bits:
    """The lowest bits of a word, with zeros above."""
    if isinstance(word, int):
        return tuple(word >> k & 1 for k in range(width))
    return word[:width] if len(word) >= width else word + (FALSE,) * (width - len(word))


def known(word: Word) -> Word:
    """The same word, as a number if all its bits are known."""
    if isinstance(word, int) or max(word, default=0) > TRUE:
        return word
    return sum(bit << k for k, bit in enumerate(word))


def complement(bits: Iterable[int]) -> Bits:
    """The complement of a word."""
    return tuple(bit ^ 1 for bit in bits)


#: Atoms of a bit of a sum that has no name of its own; of the lowest bit, which other code may make by XORs.
_LONG, _LONGEST = 3, 24
#: Sums within sums that are taken apart.
_DEEPEST = 20


class Sums:
    """The sums and products of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        #: By bit of a sum: the sum, the place of the bit in it, its terms and constant.
        self.origins: dict[int, list[tuple[Bits, int, Terms, int]]] = {}
        #: Sums being taken apart, one within another: what has the bits of another one is left whole there.
        self.depth = 0
        self.cache: dict[tuple[object, ...], Word] = {}

    # -- terms ----------------------------------------------------------------------------------

    def add(self, words: Sequence[tuple[Word, int]], constant: int, width: int) -> Word:
        """The sum of words, each so many times, and a constant."""
        key = (tuple(words), constant, width)
        if key not in self.cache:
            terms: Terms = {}
            for word, times in words:
                constant += self._into(terms, bits_of(word, width), 0, times, width)
            self.cache[key] = self._with_low(terms, constant & (1 << width) - 1, width)
        return self.cache[key]

    def _with_low(self, terms: Terms, constant: int, width: int) -> Word:
        """The word of a sum. A term with zeros above may be the lowest bits of a sum itself; then those bits
        of this one are made of that one's terms."""
        word = self._made(terms, constant, width)
        ends = {place + len(_stripped(bits)) for bits, place in terms}
        end = max((end for end in ends if end < width), default=0)
        if not end or isinstance(word, int) or (len(terms) == 1 and not constant):
            return word
        parts: list[tuple[Word, int]] = [
            (((FALSE,) * place + bits)[:end], times) for (bits, place), times in terms.items() if place < end
        ]
        low = bits_of(self.add(parts, constant, end), end)
        if low != word[:end]:
            word = low + word[end:]
            self._note(word, terms, constant)
        return known(word)

    def _into(self, terms: Terms, bits: Bits, place: int, times: int, width: int) -> int:
        """Adds a word, moved up to a place, to terms; gives what it adds to the constant."""
        times &= (1 << width) - 1
        inner = self._origin(bits)
        if inner is not None:
            return self._expanded(terms, inner, place, times, width)
        constant = times * (sum(bit << k for k, bit in enumerate(bits) if bit == TRUE) << place)
        bits = tuple(bit if bit > TRUE else FALSE for bit in bits)
        while bits and times and not times & 1:
            times, place, bits = times >> 1, place + 1, bits[:-1]
        while bits and bits[0] == FALSE:
            place, bits = place + 1, bits[1:]
        if not times or not any(bits):
            return constant
        times &= (1 << len(bits)) - 1
        inner = self._origin(bits)
        if inner is not None:
            return constant + self._expanded(terms, inner, place, times, width)
        if FALSE not in bits and bits[0] & 1:  # of a word and its complement one is taken
            bits, constant, times = complement(bits), constant - (times << place), -times
            inner = self._origin(bits)
            if inner is not None:
                return constant + self._expanded(terms, inner, place, times, width)
        return constant + self._count(terms, bits, place, times, width)

    def _count(self, terms: Terms, bits: Bits, place: int, times: int, width: int) -> int:
        """Counts a term; what becomes an even number of times is less of the word, moved up."""
        now = (terms.pop((bits, place), 0) + times) & (1 << len(bits)) - 1
        if now & 1:
            terms[bits, place] = now
            return 0
        return self._into(terms, bits, place, now, width) if now else 0

    def _expanded(self, terms: Terms, inner: tuple[Terms, int], place: int, times: int, width: int) -> int:
        constant = inner[1] * times << place
        self.depth += 1
        for (bits, moved), count in inner[0].items():
            room = width - place - moved
            if room > 0:
                constant += self._into(terms, bits[:room], place + moved, count * times, width)
        self.depth -= 1
        return constant

    def _origin(self, bits: Bits) -> tuple[Terms, int] | None:
        """The terms and the constant of a word that is the lowest bits of a sum, or their complement."""
        if self.depth > _DEEPEST:
            return None
        last = next((k for k in range(len(bits) - 1, -1, -1) if bits[k] > TRUE), None)
        if last is None:
            return None
        for odd, word in ((0, bits), (1, complement(bits))):
            for whole, place, terms, constant in self.origins.get(word[last], ()):
                if place == last and whole[: len(word)] == word:
                    if odd:
                        return {key: -count for key, count in terms.items()}, -constant - 1
                    return terms, constant
        return None

    def parts(self, word: Bits) -> tuple[Bits, list[tuple[int, int, int]], int] | None:
        """Of a sum all bits of its terms, side by side; of each term the place of its first bit among them,
        how many it has, and how often it counts; and the constant."""
        found = self._origin(word)
        if found is None:
            return None
        bits: Bits = ()
        terms = []
        for (own, place), times in found[0].items():
            terms.append((len(bits), len(own), times << place))
            bits += own
        return bits, terms, found[1]

    # -- bits -----------------------------------------------------------------------------------

    def _made(self, terms: Terms, constant: int, width: int) -> Word:
        """The word of a sum."""
        if not terms:
            return constant
        words, own = [], constant
        for (bits, place), times in terms.items():
            if times == (1 << len(bits)) - 1 and times != 1:  # -x is ~x + 1
                bits, constant = complement(bits), constant + (1 << place)
            elif times != 1:
                bits = self._multiple(bits, times)
            words.append(((FALSE,) * place + bits)[:width])
        words.sort()
        constant &= (1 << width) - 1
        fixed = bits_of(constant, width)
        columns = [[bit for bit in column if bit] for column in zip(*words, fixed, strict=True)]
        if all(len(column) < 2 for column in columns):
            whole = tuple(column[0] if column else FALSE for column in columns)
            if any(times not in (1, (1 << len(bits)) - 1) for (bits, _), times in terms.items()):
                self._note(whole, terms, own)
            return known(whole)
        total, carry = words[0], FALSE
        for k, word in enumerate(words[1:], start=2):
            carry = TRUE if constant == 1 and k == len(words) else FALSE
            total = self.ripple(total, word, carry)[:width]
        if constant and carry == FALSE:
            total = self.ripple(total, fixed, FALSE)[:width]
        self._note(total, terms, own)
        return known(total)

    def _note(self, word: Bits, terms: Terms, constant: int) -> None:
        """Remember what a word is the sum of, and each of its lowest bits that is no term itself."""
        whole = [bits for (bits, place) in terms if not place]
        for k, bit in enumerate(word[1:], start=1):
            if bit > TRUE and not any(bits[: k + 1] == word[: k + 1] for bits in whole):
                self.origins.setdefault(bit, []).append((word, k, terms, constant))

    def ripple(self, a: Bits, b: Bits, carry: int) -> Bits:
        """The sum of two words of one width and a bit, with the carry out above."""
        store, found = self.store, []
        for x, y in zip(a, b, strict=True):
            bit = store.xor(store.xor(x, y), carry)
            found.append(store.named(bit, _LONG if found else _LONGEST))
            carry = store.majority(x, y, carry)
        return (*found, carry)

    def less(self, a: Bits, b: Bits) -> int:
        """Whether a word is less than another, unsigned: there is no carry out of ``a + ~b + 1``."""
        return self.ripple(a, complement(b), TRUE)[-1] ^ 1

    # -- products -------------------------------------------------------------------------------

    def multiply(self, a: Word, b: Word, width: int) -> Word:
        """The product of two words."""
        if isinstance(a, int):
            a, b = b, a
        if isinstance(b, int):
            return self.add([(a, b)], 0, width) if not isinstance(a, int) else a * b & (1 << width) - 1
        place, factors = 0, []
        for word in (a, b):
            zeros = next((k for k, bit in enumerate(word) if bit != FALSE), len(word))
            place += zeros
            factors.append(_stripped(word[zeros:]))
        if place >= width or not all(factors):
            return 0
        return known((FALSE,) * place + self._product(*sorted(factors), width - place))

    def _product(self, a: Bits, b: Bits, width: int) -> Bits:
        width_of_all = min(width, len(a) + len(b))
        found = [self.store.both(a[0], b[0])]
        for k in range(1, width_of_all):
            low = tuple(sorted((_stripped(a[: k + 1]), _stripped(b[: k + 1]))))
            found.append(self.store.atom(("product", low, k)) if all(low) else FALSE)
        return bits_of(tuple(found), width)

    def _multiple(self, bits: Bits, times: int) -> Bits:
        """A word so many times, an odd number."""
        atom = self.store.atom
        above = (atom(("multiple", bits[: k + 1], times & (2 << k) - 1, k)) for k in range(1, len(bits)))
        return (bits[0], *above)


def _stripped(bits: Bits) -> Bits:
    """Without the zeros above."""
    end = len(bits)
    while end and bits[end - 1] == FALSE:
        end -= 1
    return bits[:end]
