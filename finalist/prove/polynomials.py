"""Integers as linear forms of products of bits and of floors, in which the carries of limbs cancel.

A sum modulo 2^n is ``a + b - 2^n floor((a + b) / 2^n)``, the upper word of a product ``floor(a b / 2^n)``,
and whether a word is less than another ``-floor((a - b) / 2^n)``. A floor gives out what is a multiple of
2^n, and takes in what is a floor itself: ``floor(a / 2^m) + b`` divided by 2^n is ``a + 2^m b`` divided by
2^(m + n), rounded down. So limbs with carries between them become the numbers that they stand for, however
a program adds them up.

Equal forms are equal integers; integers that are equal may have several forms, where floors of a sum could be
taken in in more than one order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from math import prod

#: An integer: by the product of atoms how often it is added.
Form = dict[tuple[int, ...], int]
#: The least and the greatest that an integer can be.
Range = tuple[int, int]
#: Products of atoms in a form at most: 64 by 64 bits are 4,096, and a sum has some of them.
TERMS = 12_000
#: The product of no atom: 1.
_ONE: tuple[int, ...] = ()


class TooLargeError(Exception):
    """A form has too many products."""


class LinearForms:
    """The forms of integers, over atoms: bits, floors and what else is not known. ``check`` is called often,
    and may raise."""

    def __init__(self, check: Callable[[], None] = lambda: None) -> None:
        self.check = check
        self._atoms: dict[object, int] = {}
        self._ranges: list[Range] = []
        #: By atom that is a floor, what is divided, and by which power of two.
        self._floors: dict[int, tuple[Form, int]] = {}

    def atom(self, key: object, least: int, greatest: int) -> Form:
        """An integer of which only its range is known; the same for the same key."""
        if key not in self._atoms:
            self._atoms[key] = len(self._ranges)
            self._ranges.append((least, greatest))
        return {(self._atoms[key],): 1}

    def range(self, form: Form) -> Range:
        """Between which numbers a form is, for all that its atoms can be."""
        low = high = 0
        for atoms, times in form.items():
            least, greatest = self._term(atoms, times)
            low, high = low + least, high + greatest
        return low, high

    def _term(self, atoms: tuple[int, ...], times: int) -> Range:
        least = greatest = times
        for atom in atoms:
            ends = [n * end for n in (least, greatest) for end in self._ranges[atom]]
            least, greatest = min(ends), max(ends)
        return least, greatest

    # -- products -------------------------------------------------------------------------------

    def times(self, a: Form, b: Form) -> Form:
        """The product. Raises TooLargeError."""
        self.check()
        if len(a) * len(b) > TERMS:
            raise TooLargeError
        made: Form = {}
        for first, m in a.items():
            for second, n in b.items():
                both = self._product(first, second)
                made[both] = made.get(both, 0) + m * n
        return _without_zeros(made)

    def _product(self, a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
        """The product of two of atoms, where one that is 0 or 1 is its own square."""
        if not (a and b):
            return a or b
        squares = {atom for atom in a if atom in b and self._ranges[atom] == (0, 1)}
        return tuple(sorted((*a, *(atom for atom in b if atom not in squares))))

    # -- floors ---------------------------------------------------------------------------------

    def modulo(self, form: Form, bits: int, known: Range | None = None) -> Form:
        """The lowest bits of an integer; ``known``: a range that it is in."""
        return total([(form, 1), (self.floor(form, bits, known), -1 << bits)])

    def floor(self, form: Form, shift: int, known: Range | None = None) -> Form:
        """An integer divided by 2^shift and rounded down; ``known``: a range that it is in."""
        if known is not None and known[0] >> shift == known[1] >> shift:
            return constant(known[0] >> shift)
        given: list[tuple[Form, int]] = []
        while shift:
            self.check()
            form, apart = _parted(form, shift)
            least, greatest = self.range(form)
            if least >> shift == greatest >> shift:
                return total([*given, (apart, 1), (constant(least >> shift), 1)])
            form, more = _reduced(form, shift)
            given += [(apart, 1), (more, 1)]
            taken = self._without_low_bits(form, shift) or self._taken_in(form, shift)
            if taken is None:
                return total([*given, (self._floor(form, shift), 1)])
            form, shift = taken
        return total([*given, (form, 1)])

    def _without_low_bits(self, form: Form, shift: int) -> tuple[Form, int] | None:
        """A form and a power of two with the same floor, without the terms that are no multiples of some
        2^low, if their sum is between 0 and 2^low - 1; None if there are none such."""
        terms: dict[int, list[tuple[tuple[int, ...], int]]] = {}
        for atoms, times in form.items():
            terms.setdefault((times & -times).bit_length() - 1, []).append((atoms, times))
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
        return {atoms: times >> found for atoms, times in rest}, shift - found

    def _taken_in(self, form: Form, shift: int) -> tuple[Form, int] | None:
        """A form and a power of two with the same floor, where a floor is added or taken away once; None if
        none is. ``-floor(a / 2^m) = floor((2^m - 1 - a) / 2^m)``."""
        for atoms, times in form.items():
            if len(atoms) == 1 and atoms[0] in self._floors and times in (1, -1):
                inner, more = self._floors[atoms[0]]
                rest = {other: n for other, n in form.items() if other != atoms}
                rounded = constant((1 << more) - 1 if times < 0 else 0)
                return total([(rounded, 1), (inner, times), (rest, 1 << more)]), shift + more
        return None

    def _floor(self, form: Form, shift: int) -> Form:
        least, greatest = self.range(form)
        made = self.atom(("floor", frozenset(form.items()), shift), least >> shift, greatest >> shift)
        ((atom,),) = made
        self._floors[atom] = form, shift
        return made

    # -- values ---------------------------------------------------------------------------------

    def value(self, form: Form, values: Callable[[object], int]) -> int:
        """A form's value by those of its atoms, of which those that are no floors are given by their keys."""
        keys = {atom: key for key, atom in self._atoms.items()}
        found: dict[int, int] = {}

        def of(atom: int) -> int:
            if atom not in found:
                inner, shift = self._floors.get(atom, ({}, 0))
                found[atom] = added(inner) >> shift if inner else values(keys[atom])
            return found[atom]

        def added(form: Form) -> int:
            return sum(times * prod(map(of, atoms)) for atoms, times in form.items())

        return added(form)


def constant(number: int) -> Form:
    """The form of a number."""
    return {_ONE: number} if number else {}


def total(parts: Iterable[tuple[Form, int]]) -> Form:
    """The sum of forms, each so many times. Raises TooLargeError."""
    made: Form = {}
    for form, times in parts:
        for atoms, n in form.items():
            made[atoms] = made.get(atoms, 0) + n * times
    return _without_zeros(made)


def _without_zeros(form: Form) -> Form:
    found = {atoms: times for atoms, times in form.items() if times}
    if len(found) > TERMS:
        raise TooLargeError
    return found


def _parted(form: Form, shift: int) -> tuple[Form, Form]:
    """The terms that are no multiples of 2^shift, and those that are, divided by it."""
    mask = (1 << shift) - 1
    rest = {atoms: times for atoms, times in form.items() if times & mask}
    return rest, {atoms: times >> shift for atoms, times in form.items() if not times & mask}


def _reduced(form: Form, shift: int) -> tuple[Form, Form]:
    """A form with factors above -2^(shift - 1) and up to 2^(shift - 1), a number from 0 on, and how often
    2^shift was taken away from each."""
    half = (1 << shift - 1) - 1
    apart = {atoms: times + (half if atoms else 0) >> shift for atoms, times in form.items()}
    rest = {atoms: times - (apart[atoms] << shift) for atoms, times in form.items()}
    return _without_zeros(rest), _without_zeros(apart)
