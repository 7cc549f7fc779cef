"""Sums and differences modulo a power of two, whatever the order in which they are made.

A sum is a constant and terms, each a word and how often it counts; a word that is a sum itself, or the lowest
bits of one, is taken apart again. What is left is added by columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from finalist.prove.bits import Bits, Terms, Word, bits_of, complement, greatest, known, signed, stripped
from finalist.prove.choices import Choices
from finalist.prove.columns import added, partial_products, side_by_side
from finalist.prove.limbs import Limbs
from finalist.prove.store import FALSE, TRUE, Store

#: Sums within sums that are taken apart.
_DEEPEST = 20
#: Lowest bits of a sum that may be inverted.
_INVERTED = 8
#: Terms of a sum that is closed where it is stored.
_MANY = 16


class Sums:
    """The sums and products of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.choices = Choices(store)
        #: By bit of a sum: the sum, the place of the bit in it, its terms and constant.
        self.origins: dict[int, list[tuple[Bits, int, Terms, int]]] = {}
        #: The sets of atoms that are bits of sums which are terms themselves wherever they are added up.
        self.closed: set[int] = set()
        #: Sums being taken apart, one within another: what has the bits of another one is left whole there.
        self.depth = 0
        self.cache: dict[tuple[object, ...], Word] = {}
        #: By terms, constant and width of a sum a word that is equal to it.
        self.equal: dict[tuple[frozenset[tuple[tuple[Bits, int], int]], int, int], Bits] = {}
        #: By word without zeros above what it is the sum of, not modulo anything.
        self.exact: dict[Bits, tuple[Terms, int]] = {}
        self.greatest: dict[Bits, int] = {}  # that a product of limbs can be
        #: By its lowest bit each word without zeros above that has been a term: limbs are those of it.
        self.wholes: dict[int, set[Bits]] = {}
        self.limbs = Limbs(self)

    # -- terms ----------------------------------------------------------------------------------

    def add(self, words: Sequence[tuple[Word, int]], constant: int, width: int) -> Word:
        """The sum of words, each so many times, and a constant."""
        key = (tuple(words), constant, width)
        if key not in self.cache and all(times == 1 for _, times in words):
            apart = side_by_side([bits_of(word, width) for word in (*(word for word, _ in words), constant)])
            if apart is not None:
                self.cache[key] = known(apart)
        if key not in self.cache:
            terms, constant = self._terms(words, constant, width)
            self.cache[key] = self._of_terms(terms, constant & (1 << width) - 1, width)
        return self.cache[key]

    def equate(self, words: Sequence[tuple[Word, int]], width: int, word: Bits) -> None:
        """Have a sum come out as a word that is known to be equal to it."""
        terms, constant = self._terms(words, 0, width)
        self.equal[frozenset(terms.items()), constant & (1 << width) - 1, width] = word

    def length(self, words: Sequence[tuple[Word, int]], width: int) -> int:
        """How many terms a sum of words has."""
        return len(self._terms(words, 0, width)[0])

    def _terms(self, words: Sequence[tuple[Word, int]], constant: int, width: int) -> tuple[Terms, int]:
        """The terms and the constant of a sum of words."""
        terms: Terms = {}
        for word, times in words:
            constant += self._into(terms, bits_of(word, width), 0, times, width)
        for word, place, times in self.choices.take(terms):
            constant += self._into(terms, word, place, times, width)
        return terms, constant + self._merged(terms, width)

    def _of_terms(self, terms: Terms, constant: int, width: int) -> Word:
        """The word of a sum."""
        equal = self.equal.get((frozenset(terms.items()), constant, width))
        if equal is not None:
            return equal
        whole = self.limbs.whole(terms, constant, width)
        return self._with_low(terms, constant, width) if whole is None else whole

    def close(self, word: Bits) -> None:
        """Have a word that is a sum of many terms taken for one term from now on, so that what is stored and
        taken up again, over and over, stays short; whichever side adds it up."""
        found = self.origin(word)
        if found is not None and len(found[0]) > _MANY:
            self.closed.update(bit >> 1 for bit in word)

    def _with_low(self, terms: Terms, constant: int, width: int) -> Word:
        """The word of a sum. A term with zeros above may be the lowest bits of a sum itself; then those bits
        of this one are made of that one's terms."""
        word = self._made(terms, constant, width)
        ends = {place + len(stripped(bits)) for bits, place in terms}
        end = max((end for end in ends if end < width), default=0)
        if not end or isinstance(word, int) or (list(terms.values()) == [1] and not constant):
            return word
        parts: list[tuple[Word, int]] = [
            (((FALSE,) * place + bits)[:end], times) for (bits, place), times in terms.items() if place < end
        ]
        low = bits_of(self.add(parts, constant, end), end)
        if low != word[:end]:
            word = low + word[end:]
            self.note(word, terms, constant, end)
        return known(word)

    def _into(self, terms: Terms, bits: Bits, place: int, times: int, width: int) -> int:
        """Adds a word, moved up to a place, to terms; gives what it adds to the constant."""
        times &= (1 << width) - 1
        inner = self._open(bits)
        if inner is not None:
            return self._expanded(terms, inner, place, times, width)
        constant = times * (sum(bit << k for k, bit in enumerate(bits) if bit == TRUE) << place)
        bits = tuple(bit if bit > TRUE else FALSE for bit in bits)
        inner = self._open(bits) if constant else None
        if inner is not None:  # a sum whose lowest zeros a constant was put into
            return constant + self._expanded(terms, inner, place, times, width)
        while bits and times and not times & 1:
            times, place, bits = times >> 1, place + 1, bits[:-1]
        while bits and bits[0] == FALSE:
            place, bits = place + 1, bits[1:]
        if not times or not any(bits):
            return constant
        times &= (1 << len(bits)) - 1
        inner = self._open(bits)
        if inner is not None:
            return constant + self._expanded(terms, inner, place, times, width)
        if FALSE not in bits and bits[0] & 1:  # of a word and its complement one is taken
            bits, constant, times = complement(bits), constant - (times << place), -times
            inner = self._open(bits)
            if inner is not None:
                return constant + self._expanded(terms, inner, place, times, width)
        return constant + self._count(terms, bits, place, times, width)

    def _count(self, terms: Terms, bits: Bits, place: int, times: int, width: int) -> int:
        """Counts a term; what becomes an even number of times is less of the word, moved up."""
        now = (terms.pop((bits, place), 0) + times) & (1 << len(bits)) - 1
        if now & 1:
            terms[bits, place] = now
            if bits[-1] != FALSE:
                self.wholes.setdefault(bits[0], set()).add(bits)
            return 0
        return self._into(terms, bits, place, now, width) if now else 0

    def _merged(self, terms: Terms, width: int) -> int:
        """Makes one term of those that are the same word moved up by different places, and of two limbs of a
        word that is a term as well; gives what that adds to the constant."""
        constant, seen = self._concatenate_limbs(terms, width), None
        while seen != terms:
            seen = dict(terms)
            constant += self._merge_moved(terms, width)
            constant += self._concatenate_limbs(terms, width)
        return constant

    def _merge_moved(self, terms: Terms, width: int) -> int:
        """The same of terms that begin with the same bit, until nothing is left to merge: a word's limb that
        is shifted differently is counted apart before limbs are concatenated again."""
        constant, seen = 0, None
        while seen != terms:
            seen = dict(terms)
            groups: dict[int, list[tuple[Bits, int]]] = {}
            for key in terms:
                groups.setdefault(key[0][0], []).append(key)
            constant += sum(
                self._merge(terms, lower, upper, width)
                for alike in groups.values()
                for lower, upper in permutations(alike, 2)
                if lower in terms and upper in terms
            )
        return constant

    def _concatenate_limbs(self, terms: Terms, width: int) -> int:
        """Concatenates limbs that count equally: to one term where that is the lowest bits of a sum; to what
        was added up where one has the bits of a sum above the other. Gives what that adds to the constant."""
        constant = 0
        for key in [key for key in terms if key[0][-1] == FALSE]:
            limb, place = stripped(key[0]), key[1]
            for upper in [other for other in terms if other[1] == place + len(limb)]:
                if key in terms:
                    constant += self._concatenate(terms, key, upper, width)
        return constant

    def _concatenate(self, terms: Terms, lower: tuple[Bits, int], upper: tuple[Bits, int], width: int) -> int:
        """The same of a limb with zeros above and the one that begins where it ends."""
        limb, place = stripped(lower[0]), lower[1]
        times, other = signed(terms[lower], len(lower[0])), signed(terms[upper], len(upper[0]))
        word, constant = stripped(limb + upper[0]), 0
        if times == -other and upper[1] + len(upper[0]) == width:  # -x is ~x + 1
            word, constant = limb + complement(upper[0]), times << upper[1]
        elif times != other:
            return 0
        above = self.limbs.above.get(stripped(upper[0])) if times == other else None
        if above is not None and above[0] == len(limb) and stripped(bits_of(above[2], above[0])) == limb:
            parts = above[1]
        elif self.origin(word) is not None or self._is_limb(word):
            parts = [(word, 1)]
        else:
            return 0
        del terms[lower], terms[upper]
        room = width - place
        return constant + sum(
            self._into(terms, bits_of(part, room), place, count * times, width) for part, count in parts
        )

    def _is_limb(self, bits: Bits) -> bool:
        """Whether bits are the lowest ones of a word that has been a term as a whole, or its complement."""
        bits = complement(bits) if bits[0] & 1 and FALSE not in bits else bits
        return any(word[: len(bits)] == bits for word in self.wholes.get(bits[0], ()))

    def _merge(self, terms: Terms, lower: tuple[Bits, int], upper: tuple[Bits, int], width: int) -> int:
        """The same of two terms that begin with the same bit."""
        (bits, place), (moved, above) = lower, upper
        if place < above and bits[: len(moved)] == moved:
            return self._count(terms, bits, place, terms.pop(upper) << above - place, width)
        limb = stripped(moved)
        rest = bits[len(limb) :], place + len(limb)
        if bits[: len(limb)] != limb or not any(rest[0]):
            return 0
        times = signed(terms[upper], len(moved))
        if place == above and rest in terms and times == signed(terms[rest], len(rest[0])):
            del terms[upper], terms[rest]
            return self._count(terms, bits, place, times, width)
        # Of two words of which one is the other's lowest limb: that limb, and the rest.
        times = signed(terms.pop(lower), len(bits))
        return sum(
            self._count(terms, bits_of(part, width - at), at, times, width)
            for part, at in ((limb, place), rest)
        )

    def _expanded(self, terms: Terms, inner: tuple[Terms, int], place: int, times: int, width: int) -> int:
        constant = inner[1] * times << place
        self.depth += 1
        for (bits, moved), count in inner[0].items():
            room = width - place - moved
            if room > 0:
                count = signed(count, len(bits))
                constant += self._into(terms, bits_of(bits, room), place + moved, count * times, width)
        self.depth -= 1
        return constant

    def _open(self, bits: Bits) -> tuple[Terms, int] | None:
        """The same as `_origin`; None for the lowest bits of a sum that is closed."""
        last = next((bit for bit in reversed(bits) if bit > TRUE), FALSE)
        return None if last >> 1 in self.closed else self.origin(bits)

    def origin(self, bits: Bits) -> tuple[Terms, int] | None:
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
        return self.exact.get(stripped(bits)) or self._inverted(bits, last)

    def _inverted(self, bits: Bits, last: int) -> tuple[Terms, int] | None:
        """The same of a sum of which some of the lowest bits are inverted, as by the XOR with the number of a
        round: ``~b`` is ``b + 1 - 2 b``."""
        low = bits[:_INVERTED]
        for whole, place, terms, constant in self.origins.get(bits[last], ()):
            if place == last > 2 * _INVERTED and whole[_INVERTED : len(bits)] == bits[_INVERTED:]:
                pairs = enumerate(zip(low, whole[:_INVERTED], strict=True))
                other = {k: bit for k, (one, bit) in pairs if one != bit}
                if all(low[k] ^ 1 == bit > TRUE for k, bit in other.items()):
                    terms = dict(terms)
                    for k, bit in other.items():
                        word = bits_of((bit,), len(bits) - k - 1)
                        constant += (1 << k) + self._count(terms, word, k + 1, -1, len(bits))
                    return terms, constant
        return None

    def parts(self, word: Bits) -> tuple[Bits, tuple[tuple[int, int, int], ...], int] | None:
        """Of a sum all bits of its terms, side by side; of each term the place of its first bit among them,
        how many it has, and how often it counts; and the constant."""
        found = self.origin(word)
        if found is None:
            return None
        bits: Bits = ()
        terms = []
        for (own, place), times in found[0].items():
            terms.append((len(bits), len(own), times << place))
            bits += own
        return bits, tuple(terms), found[1]

    # -- bits -----------------------------------------------------------------------------------

    def _made(self, terms: Terms, constant: int, width: int) -> Word:
        """The word of a sum."""
        if not terms:
            return constant
        words, own = [], constant
        for bits, place, times in _joined(terms, width):
            rows = partial_products(times)
            if not rows:
                if times < 0:  # -x is ~x + 1
                    bits, constant, times = complement(bits), constant - (times << place), -times
                bits, rows = self._multiple(bits, times), ((0, 1),)
            for k, sign in rows:
                row = bits if sign > 0 else complement(bits)
                constant += 1 << place + k if sign < 0 else 0
                words.append(((FALSE,) * (place + k) + row)[:width])
        fixed = bits_of(constant & (1 << width) - 1, width)
        columns = [[bit for bit in column if bit] for column in zip(*words, fixed, strict=True)]
        total = added(self.store, columns)
        side_by_side = all(len(column) < 2 for column in columns)
        if not side_by_side or any(
            times not in (1, (1 << len(bits)) - 1) for (bits, _), times in terms.items()
        ):
            self.note(total, terms, own)
        return known(total)

    def note(self, word: Bits, terms: Terms, constant: int, start: int = 1) -> None:
        """Remember what a word is the sum of, and each of its lowest bits that is no term itself, moved up or
        not: ``b`` is also ``(a + 2 b) - (a + b)``, which would be taken apart for ever. For the same reason
        not of those below ``start``, which are another sum's."""
        parts = [((FALSE,) * at + bits, signed(count, len(bits))) for (bits, at), count in terms.items()]
        low, top = self.range_of(parts, constant)
        own = _atoms(word)
        alike = [_atoms(stripped(bits)) for bits, _ in terms if bits[0] >> 1 == own[0]]
        if low >= 0 and top < 1 << len(word) and not any(bits == _atoms(stripped(word)) for bits in alike):
            self.exact.setdefault(stripped(word), (terms, constant))
        for k, bit in enumerate(word[start:], start=start):
            if bit > TRUE and not any(bits[: k + 1] == own[: min(k + 1, len(bits))] for bits in alike):
                self.origins.setdefault(bit, []).append((word, k, terms, constant))

    def range_of(self, parts: Iterable[tuple[Word, int]], constant: int) -> tuple[int, int]:
        """The least and the greatest that a sum of words can be."""
        low = top = constant
        for word, times in parts:
            most = word if isinstance(word, int) else self._most(word)
            low, top = (low + most * times, top) if times < 0 else (low, top + most * times)
        return low, top

    def _most(self, word: Bits) -> int:
        start = next((k for k, bit in enumerate(word) if bit != FALSE), len(word))
        product = self.greatest.get(stripped(word[start:]))
        return greatest(word) if product is None else product << start

    def _multiple(self, bits: Bits, times: int) -> Bits:
        """A word so many times, an odd number."""
        atom = self.store.atom
        end = min(len(bits), (greatest(bits) * times).bit_length())
        above = [atom(("multiple", bits[: k + 1], times & (2 << k) - 1, k)) for k in range(1, end)]
        return bits_of((bits[0], *above), len(bits))


def _atoms(bits: Bits) -> Bits:
    """A word without its complements, the same as the complement has it."""
    return tuple(bit >> 1 for bit in bits)


def _joined(terms: Terms, width: int) -> list[tuple[Bits, int, int]]:
    """Terms as words, places and counts; of limbs that are a multiple each, of which no row of bits comes out
    as that of the whole does, the whole."""
    found: list[tuple[Bits, int, int]] = []
    limbs: dict[tuple[int, int], list[Bits]] = {}
    for (bits, place), times in terms.items():
        times = signed(times, len(bits))
        if not partial_products(times):
            limbs.setdefault((times, place), []).append(stripped(bits))
        else:
            found.append((bits, place, times))
    for times, place in sorted(limbs):
        for word in sorted(limbs[times, place]):
            while above := limbs.get((times, place + len(word))):
                word += above.pop(above.index(min(above)))
            found.append((bits_of(word, width - place), place, times))
    return found
