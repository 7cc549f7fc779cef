"""Boxes that are inversion in GF(2^8) between affine maps, found from the table alone, as towers of fields.

The table's own addition and inversion give the field's multiplication: by Hua's identity
``a + (a^-1 + (b^-1 + a)^-1)^-1 = a b a`` each b gives a linear map, two of these the multiplication by a
field element, and its powers all elements.  (No field or matrix is searched for.)

The circuit: in GF(2^8) over GF(2^4), 1/x = x^16 / x^17, and x^17 lies in GF(2^4).  With the coordinates
p, q of x^16, x^17 is linear in x but for a multiple of p q, and 1/x has the coordinates E p, E q, where
E = 1/x^17 is a function of four bits.  Each of the three products in GF(2^4) takes nine gates (Karatsuba's
method twice).  Which coordinates are best is tried at random.  (J. Boyar, R. Peralta, "A small depth-16
circuit for the AES S-box", 2012, choose one such tower and improve its linear layers.)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from typing import NamedTuple

from finalist.passes.circuits.assembly import Assembly, moved
from finalist.passes.circuits.circuit import Circuit
from finalist.passes.xors import shared_sums

Table = tuple[int, ...]
#: Makes a small circuit for a table with 0 at 0, of so many inputs and outputs.
Small = Callable[[Table, int, int], Circuit]


class Inversion(NamedTuple):
    """``table[x ^ zero] ^ table[zero] = after(1/x)`` in the field whose elements are these ``powers`` and 0.

    ``powers[0]`` is 1, and ``after`` the images of the bits under a linear map.
    """

    zero: int
    powers: Table
    after: Table


def inversion(table: Table) -> Inversion | None:
    """What makes the table an inversion in GF(2^n), n >= 3, between affine maps; None if it is none."""
    if len(table) < 8 or sorted(table) != list(range(len(table))):
        return None
    found = (_inversion_about(table, zero) for zero in range(len(table)))
    return next((each for each in found if each), None)


def _inversion_about(table: Table, zero: int) -> Inversion | None:
    forward = [table[x ^ zero] ^ table[zero] for x in range(len(table))]
    back = [0] * len(table)
    for x, y in enumerate(forward):
        back[y] = x

    def times(b: int, a: int) -> int:
        """a b a, where b is given by the value of the table."""
        return a if back[b] == a or a == 0 else a ^ back[forward[a] ^ forward[back[b] ^ a]]

    if times(1, 1) ^ times(1, 2) != times(1, 3) or times(1, 4) ^ times(1, 3) != times(1, 7):
        return None
    first = _linear(lambda a: times(1, a), len(table))
    inverse = dict(zip(first or (), range(len(table)), strict=False))
    for b in range(2, len(table)):
        second = first and _linear(lambda a, b=b: times(b, a), len(table))  # type: ignore[misc]
        if not second:
            return None
        powers = [1]
        while (following := second[inverse[powers[-1]]]) != 1 and len(powers) < len(table):
            powers.append(following)
        if len(powers) == len(table) - 1:
            return _checked(zero, tuple(powers), forward)
    return None


def _linear(function: Callable[[int], int], size: int) -> Table | None:
    """The values of a function if it is linear and a bijection."""
    values = [0] * size
    for x in range(1, size):
        lowest = x & -x
        values[x] = function(x)
        if values[x] != values[x ^ lowest] ^ (function(lowest) if x == lowest else values[lowest]):
            return None
    return tuple(values) if len(set(values)) == size else None


def _checked(zero: int, powers: Table, forward: list[int]) -> Inversion | None:
    images = [0] * len(forward)
    for k in range(len(powers)):
        images[powers[-k % len(powers)]] = forward[powers[k]]
    if _linear(images.__getitem__, len(forward)) is None:
        return None
    bits = (len(forward) - 1).bit_length()
    return Inversion(zero, powers, tuple(images[1 << i] for i in range(bits)))


# ---- towers over GF(2^8) -----------------------------------------------------------------------


def inversion_circuit(table: Table, small: Small, tries: int = 20, seed: int = 0) -> Circuit | None:
    """A circuit for ``x -> table[x] ^ table[0]`` if the table is an inversion in GF(2^8); None if not."""
    found = inversion(table) if len(table) == 256 else None
    if found is None:
        return None
    tower = Tower(found)
    numbers = random.Random(seed)
    plan = min((tower.plan(numbers) for _ in range(tries)), key=Plan.estimate)
    return moved(plan.circuit(small), found.zero)


class Products(NamedTuple):
    """Multiplication in GF(2^4): products of a form of one factor and one of the other, which of them
    each bit of the result is the sum of."""

    pairs: tuple[tuple[int, int], ...]
    sums: tuple[int, ...]


class Plan(NamedTuple):
    """All linear layers of a tower: masks over the input's bits, or over products before them."""

    first: tuple[tuple[int, int], ...]  # the factors of the products in p q
    norm: tuple[int, ...]  # four sums of nine products and four forms
    forms: tuple[int, ...]  # these four forms
    inverse: Table  # from the norm to nine forms of E
    factors: tuple[int, ...]  # what these forms are multiplied with: nine of p, nine of q
    last: tuple[int, ...]  # eight sums of eighteen products

    def masks(self) -> list[int]:
        """Every form of the input that is needed."""
        first = [form for pair in self.first for form in pair]
        return list(dict.fromkeys([*first, *self.forms, *self.factors]))

    def estimate(self) -> int:
        """XORs of the linear layers, roughly."""
        layers = ((self.masks(), 8), (self.norm, 13), (self.last, 18))
        return sum(len(shared_sums(masks, inputs).steps) for masks, inputs in layers)

    def circuit(self, small: Small) -> Circuit:
        """The gates: linear, nine products, four bits inverted, eighteen products, linear."""
        make = Assembly(8)
        form = dict(zip(self.masks(), make.sums(self.masks(), range(8)), strict=True))
        products = [make.gate("and", form[a], form[b]) for a, b in self.first]
        norm = make.sums(self.norm, [*products, *(form[mask] for mask in self.forms)])
        inverse = make.place(small(self.inverse, 4, 9), norm)
        last = [make.gate("and", e, form[f]) for e, f in zip(inverse * 2, self.factors, strict=True)]
        return make.circuit(make.sums(self.last, last))


class Tower:
    """GF(2^8) over GF(2^4) over GF(2^2), in the coordinates of a table."""

    def __init__(self, found: Inversion) -> None:
        self.powers, self.after = found.powers, found.after
        self.log = {x: k for k, x in enumerate(self.powers)}
        #: Elements of GF(2^4), the first four a basis, and the coordinates of each on it.
        self.middle = [self.powers[17 * k] for k in range(15)]
        self.at = {self._sum(mask): mask for mask in range(16)}
        #: For each form over GF(2^2) on GF(2^4), up to multiples, the three forms of its bits.
        kernels = {
            frozenset(self.at[self.times(a, self.powers[85 * k])] for k in range(3)) for a in self.middle
        }
        self.lines = [
            tuple(f for f in range(1, 16) if not any(_dot(f, x) for x in kernel))
            for kernel in sorted(kernels, key=sorted)
        ]
        products = [[self.at[self.times(a, b)] for b in self.middle[:4]] for a in self.middle[:4]]
        #: What the products of the basis are, bit by bit.
        self.tensors = [
            sum((products[i][j] >> bit & 1) << 4 * i + j for i in range(4) for j in range(4))
            for bit in range(4)
        ]
        self._ways: dict[tuple[Table, ...], list[Products]] = {}

    def _sum(self, mask: int) -> int:
        total = 0
        for k in range(4):
            total ^= self.middle[k] if mask >> k & 1 else 0
        return total

    def times(self, a: int, b: int) -> int:
        """The product of two elements."""
        return self.powers[(self.log[a] + self.log[b]) % 255] if a and b else 0

    def power(self, a: int, exponent: int) -> int:
        """a to the power of a positive exponent."""
        return self.powers[self.log[a] * exponent % 255] if a else 0

    def plan(self, numbers: random.Random) -> Plan:
        """Random coordinates: of GF(2^8) over GF(2^4), of products, and of the norm."""
        one, other = self._basis(numbers)
        lines = numbers.sample(self.lines, 3)
        ways = self._multiplications(tuple(lines))
        return self._plan(one, other, numbers.choice(ways), numbers.choice(ways), _basis_of_four(numbers))

    def _multiplications(self, lines: tuple[Table, ...]) -> list[Products]:
        """All ways with nine products on three lines."""
        if lines not in self._ways:
            orders = product(permutations(range(3)), repeat=3)
            self._ways[lines] = [way for order in orders if (way := self._products(lines, order))]
        return self._ways[lines]

    def _basis(self, numbers: random.Random) -> tuple[int, int]:
        while True:
            one, other = numbers.choices(self.powers, k=2)
            if (self.log[one] - self.log[other]) % 17:
                return one, other

    def _products(self, lines: Sequence[Table], orders: Sequence[Sequence[int]]) -> Products | None:
        """Three products of two bits each on three lines, if all products are sums of them."""
        pairs = tuple(
            (line[i], line[order[i]]) for line, order in zip(lines, orders, strict=True) for i in range(3)
        )
        tensors = [
            sum((a >> i & b >> j & 1) << 4 * i + j for i in range(4) for j in range(4)) for a, b in pairs
        ]
        sums = [_subset(tensors, wanted) for wanted in self.tensors]
        return None if None in sums else Products(pairs, tuple(s for s in sums if s is not None))

    def _plan(self, one: int, other: int, first: Products, last: Products, basis: Table) -> Plan:
        ends = {
            self.times(p, one) ^ self.times(q, other): (self.at[p], self.at[q])
            for p in self.at
            for q in self.at
        }
        p, q = ([ends[self.power(1 << i, 16)][k] for i in range(8)] for k in range(2))
        factors = tuple((_composed(a, p), _composed(b, q)) for a, b in first.pairs)
        mixed = self.times(self.power(one, 16), other) ^ self.times(one, self.power(other, 16))
        norm, forms = [], []
        for form in basis:
            sums = 0
            for bit in range(4):
                sums ^= first.sums[bit] if _dot(form, self.at[self.times(mixed, self.middle[bit])]) else 0
            norm.append(sums)
            forms.append(self._rest(form, sums, factors))
        norm = [sums | (1 << 9 + k if forms[k] else 0) for k, sums in enumerate(norm)]
        inverse = self._inverse([a for a, _ in last.pairs], basis)
        ends_of = tuple(_composed(b, half) for half in (p, q) for _, b in last.pairs)
        return Plan(factors, tuple(norm), tuple(forms), inverse, ends_of, self._last(one, other, last))

    def _rest(self, form: int, sums: int, factors: Sequence[tuple[int, int]]) -> int:
        """The linear form that is left of a form of x^17 without these products."""
        rest = 0
        for i in range(8):
            bit = _dot(form, self.at[self.power(1 << i, 17)])
            for k, (a, b) in enumerate(factors):
                bit ^= sums >> k & a >> i & b >> i & 1
            rest |= bit << i
        return rest

    def _inverse(self, forms: Sequence[int], basis: Table) -> Table:
        """From the norm's coordinates in ``basis`` to forms of its inverse."""
        table = [0] * 16
        for element, place in self.at.items():
            index = sum(_dot(form, place) << k for k, form in enumerate(basis))
            inverse = self.at[self.power(element, 254)]
            table[index] = sum(_dot(form, inverse) << k for k, form in enumerate(forms))
        return tuple(table)

    def _last(self, one: int, other: int, last: Products) -> tuple[int, ...]:
        """For each output bit which of the eighteen products it is the sum of."""
        masks = [0] * 8
        for half, end in enumerate((one, other)):
            for bit in range(4):
                element, image = self.times(self.middle[bit], end), 0
                for i, column in enumerate(self.after):
                    image ^= column if element >> i & 1 else 0
                for output in range(8):
                    masks[output] ^= last.sums[bit] << 9 * half if image >> output & 1 else 0
        return tuple(masks)


def _dot(a: int, b: int) -> int:
    return (a & b).bit_count() & 1


def _composed(form: int, images: Sequence[int]) -> int:
    return sum(_dot(form, image) << i for i, image in enumerate(images))


def _subset(vectors: Sequence[int], wanted: int) -> int | None:
    """Which of the vectors sum to the one wanted; None if none do."""
    basis: dict[int, tuple[int, int]] = {}
    for vector, source in ((v, 1 << k) for k, v in enumerate([*vectors, wanted])):
        while vector and vector.bit_length() in basis:
            row, made_of = basis[vector.bit_length()]
            vector, source = vector ^ row, source ^ made_of
        if vector:
            basis[vector.bit_length()] = vector, source
        elif source >> len(vectors):
            return source ^ 1 << len(vectors)
    return None


def _basis_of_four(numbers: random.Random) -> Table:
    """Four independent forms on four bits."""
    while True:
        forms = tuple(numbers.randrange(1, 16) for _ in range(4))
        if len({sum(_dot(f, x) << k for k, f in enumerate(forms)) for x in range(16)}) == 16:
            return forms


# ---- with arithmetic around it -----------------------------------------------------------------


def multiples(table: Table) -> Iterator[tuple[int, int, Table]]:
    """Odd m, c and the tables T with ``table[x] = m T[x] + c`` modulo the number of entries."""
    size = len(table)
    for m in range(1, size, 2):
        inverse = pow(m, -1, size)
        for c in range(size):
            yield m, c, tuple((y - c) * inverse % size for y in table)
