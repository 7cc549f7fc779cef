"""Integers as polynomials in bits and floors, in which the carries of limbs cancel.

A sum modulo 2^n is ``a + b - 2^n floor((a + b) / 2^n)``, the upper word of a product ``floor(a b / 2^n)``,
and whether a word is less than another ``-floor((a - b) / 2^n)``. Terms that are multiples of 2^n leave a
floor, and a floor inside of one becomes part of it: ``floor((floor(x) + m) / n) = floor((x + m) / n)`` for
whole m and n (Graham, Knuth, Patashnik, Concrete Mathematics, 3.2). So limbs with carries between them become
the integers that they stand for, however a program adds them up:

    low = x0 y; high = x1 y + floor(low / 2^n)   ->   floor((x0 y + 2^n x1 y) / 2^n)

Equal polynomials are equal integers; integers that are equal may have several polynomials, where floors of a
sum could become part of it in more than one order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from math import prod

from finalist.prove.words import NotCoveredError

#: A product of unknowns, by their numbers in ascending order.
Monomial = tuple[int, ...]
#: Coefficients by monomial; none is 0.
Polynomial = dict[Monomial, int]
#: The least and the greatest that an integer can be.
Range = tuple[int, int]
#: Terms of a polynomial at most: a product of 64 by 64 bits has 4,096, and a sum is of several.
TERMS = 12_000
#: The product of nothing: 1.
_ONE: Monomial = ()


class Polynomials:
    """Polynomials in the same unknowns: bits, floors, and others of which only a range is known. ``check`` is
    called often, and may raise."""

    def __init__(self, check: Callable[[], None] = lambda: None) -> None:
        self.check = check
        self._numbers: dict[object, int] = {}
        self._ranges: list[Range] = []
        #: By unknown that is a floor what is divided, and the binary logarithm of by what.
        self._floors: dict[int, tuple[Polynomial, int]] = {}

    def unknown(self, key: object, least: int, greatest: int) -> Polynomial:
        """An integer of which only its range is known; one for each key."""
        if key not in self._numbers:
            self._numbers[key] = len(self._ranges)
            self._ranges.append((least, greatest))
        return {(self._numbers[key],): 1}

    def range(self, polynomial: Polynomial) -> Range:
        """Between which numbers a polynomial is, whatever its unknowns are."""
        low = high = 0
        for monomial, coefficient in polynomial.items():
            least, greatest = self._term(monomial, coefficient)
            low, high = low + least, high + greatest
        return low, high

    def _term(self, monomial: Monomial, coefficient: int) -> Range:
        least = greatest = coefficient
        for unknown in monomial:
            ends = [n * end for n in (least, greatest) for end in self._ranges[unknown]]
            least, greatest = min(ends), max(ends)
        return least, greatest

    # -- products -------------------------------------------------------------------------------

    def times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """The product. Raises NotCoveredError."""
        self.check()
        if len(a) * len(b) > TERMS:
            raise NotCoveredError(f"a polynomial of more than {TERMS} terms")
        made: Polynomial = {}
        for first, m in a.items():
            for second, n in b.items():
                both = self._product(first, second)
                made[both] = made.get(both, 0) + m * n
        return _without_zeros(made)

    def _product(self, a: Monomial, b: Monomial) -> Monomial:
        """The product of two monomials; what is 0 or 1 is its own square."""
        if not (a and b):
            return a or b
        squares = {unknown for unknown in a if unknown in b and self._ranges[unknown] == (0, 1)}
        return tuple(sorted((*a, *(unknown for unknown in b if unknown not in squares))))

    # -- floors ---------------------------------------------------------------------------------

    def modulo(self, polynomial: Polynomial, bits: int, known: Range | None = None) -> Polynomial:
        """The lowest bits of an integer; ``known``: a range that it is in."""
        return total([(polynomial, 1), (self.floor(polynomial, bits, known), -1 << bits)])

    def floor(self, polynomial: Polynomial, shift: int, known: Range | None = None) -> Polynomial:
        """An integer divided by 2^shift and rounded down; ``known``: a range that it is in."""
        if known is not None and known[0] >> shift == known[1] >> shift:
            return constant(known[0] >> shift)
        quotients: list[tuple[Polynomial, int]] = []
        while shift:
            self.check()
            polynomial, whole = _divided(polynomial, shift)
            least, greatest = self.range(polynomial)
            if least >> shift == greatest >> shift:
                return total([*quotients, (whole, 1), (constant(least >> shift), 1)])
            polynomial, more = _reduced(polynomial, shift)
            quotients += [(whole, 1), (more, 1)]
            simpler = self._without_low_bits(polynomial, shift) or self._with_floor(polynomial, shift)
            if simpler is None:
                return total([*quotients, (self._floor(polynomial, shift), 1)])
            polynomial, shift = simpler
        return total([*quotients, (polynomial, 1)])

    def _without_low_bits(self, polynomial: Polynomial, shift: int) -> tuple[Polynomial, int] | None:
        """A dividend and the logarithm of a divisor with the same floor: without the terms that are no
        multiples of some 2^low, if their sum is between 0 and 2^low - 1; None if there are none such."""
        terms: dict[int, list[tuple[Monomial, int]]] = {}
        for monomial, coefficient in polynomial.items():
            terms.setdefault((coefficient & -coefficient).bit_length() - 1, []).append(
                (monomial, coefficient)
            )
        least = greatest = found = 0
        for low, some in sorted(terms.items()):
            if least >= 0 and greatest < 1 << low:
                found = low
            for term in some:
                ends = self._term(*term)
                least, greatest = least + ends[0], greatest + ends[1]
        if not found:
            return None
        rest = chain.from_iterable(some for low, some in terms.items() if low >= found)
        return {monomial: coefficient >> found for monomial, coefficient in rest}, shift - found

    def _with_floor(self, polynomial: Polynomial, shift: int) -> tuple[Polynomial, int] | None:
        """The same, with a floor that is added or subtracted once made part of the dividend; None if none is.
        ``-floor(a / 2^m) = floor((2^m - 1 - a) / 2^m)``."""
        for monomial, coefficient in polynomial.items():
            if len(monomial) == 1 and monomial[0] in self._floors and coefficient in (1, -1):
                inner, inner_shift = self._floors[monomial[0]]
                rest = {other: n for other, n in polynomial.items() if other != monomial}
                rounded = constant((1 << inner_shift) - 1 if coefficient < 0 else 0)
                return total(
                    [(rounded, 1), (inner, coefficient), (rest, 1 << inner_shift)]
                ), shift + inner_shift
        return None

    def _floor(self, polynomial: Polynomial, shift: int) -> Polynomial:
        least, greatest = self.range(polynomial)
        made = self.unknown(
            ("floor", frozenset(polynomial.items()), shift), least >> shift, greatest >> shift
        )
        ((number,),) = made
        self._floors[number] = polynomial, shift
        return made

    # -- values ---------------------------------------------------------------------------------

    def value(self, polynomial: Polynomial, values: Callable[[object], int]) -> int:
        """What a polynomial is, by the values of its unknowns, given by their keys; floors are calculated."""
        keys = {unknown: key for key, unknown in self._numbers.items()}
        found: dict[int, int] = {}

        def of(unknown: int) -> int:
            if unknown not in found:
                inner, shift = self._floors.get(unknown, ({}, 0))
                found[unknown] = added(inner) >> shift if inner else values(keys[unknown])
            return found[unknown]

        def added(polynomial: Polynomial) -> int:
            return sum(coefficient * prod(map(of, monomial)) for monomial, coefficient in polynomial.items())

        return added(polynomial)


def constant(number: int) -> Polynomial:
    """A polynomial that is a number."""
    return {_ONE: number} if number else {}


def total(parts: Iterable[tuple[Polynomial, int]]) -> Polynomial:
    """The sum of polynomials, each so many times. Raises NotCoveredError."""
    made: Polynomial = {}
    for polynomial, times in parts:
        for monomial, n in polynomial.items():
            made[monomial] = made.get(monomial, 0) + n * times
    return _without_zeros(made)


def _without_zeros(polynomial: Polynomial) -> Polynomial:
    found = {monomial: coefficient for monomial, coefficient in polynomial.items() if coefficient}
    if len(found) > TERMS:
        raise NotCoveredError(f"a polynomial of more than {TERMS} terms")
    return found


def _divided(polynomial: Polynomial, shift: int) -> tuple[Polynomial, Polynomial]:
    """The terms that are no multiples of 2^shift, and those that are, divided by it."""
    mask = (1 << shift) - 1
    rest = {monomial: coefficient for monomial, coefficient in polynomial.items() if coefficient & mask}
    return rest, {
        monomial: coefficient >> shift
        for monomial, coefficient in polynomial.items()
        if not coefficient & mask
    }


def _reduced(polynomial: Polynomial, shift: int) -> tuple[Polynomial, Polynomial]:
    """Remainders and quotients of the coefficients by 2^shift: remainders above -2^(shift - 1) and up to
    2^(shift - 1), that of a number from 0 on."""
    half = (1 << shift - 1) - 1
    quotients = {monomial: n + (half if monomial else 0) >> shift for monomial, n in polynomial.items()}
    remainders = {monomial: n - (quotients[monomial] << shift) for monomial, n in polynomial.items()}
    return _without_zeros(remainders), _without_zeros(quotients)
