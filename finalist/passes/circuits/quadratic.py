"""Tables of algebraic degree two, such as cubes in GF(2^n): products of linear forms, and sums of them.

An output of degree two is a quadratic form; up to its linear part it is an alternating matrix, of rank
2r, and a sum of r products.  One product may lower the rank of many outputs' matrices at once, so
products are chosen greedily, by how many ranks they lower, until all matrices are zero.  (Alternating
forms: L. E. Dickson, "Linear Groups", 1901, chapter 8.)
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

from finalist.passes.circuits.assembly import Assembly
from finalist.passes.circuits.circuit import Circuit, input_columns, table_columns

#: Row i: the inputs j with a term x_i x_j.  Symmetric, with a diagonal of zeros.
Alternating = tuple[int, ...]


def algebraic_normal_form(column: int, inputs: int) -> int:
    """The coefficient of the product of the inputs in x, as bit x."""
    for i, high in enumerate(input_columns(inputs)):
        column ^= column << (1 << i) & high
    return column


def quadratic_circuit(table: tuple[int, ...], inputs: int, outputs: int, seed: int = 0) -> Circuit | None:
    """A circuit for ``x -> table[x] ^ table[0]`` if its degree is at most two; None if it is higher."""
    forms, linear = [], []
    for column in table_columns(table, outputs):
        terms = algebraic_normal_form(column, inputs)
        if any(x.bit_count() > 2 for x in _ones(terms)):
            return None
        forms.append(_alternating(terms, inputs))
        linear.append(sum((terms >> (1 << i) & 1) << i for i in range(inputs)))
    return _assembled(forms, linear, inputs, random.Random(seed))


def _ones(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _alternating(terms: int, inputs: int) -> Alternating:
    rows = [0] * inputs
    for i, j in combinations(range(inputs), 2):
        if terms >> (1 << i | 1 << j) & 1:
            rows[i] |= 1 << j
            rows[j] |= 1 << i
    return tuple(rows)


def _assembled(forms: list[Alternating], linear: list[int], inputs: int, numbers: random.Random) -> Circuit:
    chosen = list(_products(forms, inputs, numbers))
    make = Assembly(inputs)
    masks = [mask for a, b, _ in chosen for mask in (a, b)]
    wanted = make.sums([*masks, *(_residue(linear, chosen, k) for k in range(len(linear)))], range(inputs))
    factors, rests = wanted[: len(masks)], wanted[len(masks) :]
    products = [make.gate("and", a, b) for a, b in zip(factors[::2], factors[1::2], strict=True)]
    users = [
        sum((where >> k & 1) << p for p, (_, _, where) in enumerate(chosen)) | 1 << len(products) + k
        for k in range(len(forms))
    ]
    return make.circuit(make.sums(users, [*products, *rests]))


def _residue(linear: list[int], chosen: list[tuple[int, int, int]], output: int) -> int:
    """The linear form that an output is, less its products: x_i x_i is x_i."""
    rest = linear[output]
    for a, b, where in chosen:
        rest ^= a & b if where >> output & 1 else 0
    return rest


def _products(
    forms: list[Alternating], inputs: int, numbers: random.Random
) -> Iterator[tuple[int, int, int]]:
    """Products of two linear forms with the outputs that they are terms of, as masks."""
    light = [1 << i for i in range(inputs)]
    light += [a | b for a, b in combinations(light, 2)]
    while any(any(rows) for rows in forms):
        spaces = [_Space(rows) for rows in forms]
        pairs = _worthwhile(spaces, light)
        best = max(count for count, _ in pairs.values())
        a, b = numbers.choice([pair for pair, (count, _) in pairs.items() if count == best])
        where = pairs[a, b][1]
        forms = [_plus_product(rows, a, b) if where >> k & 1 else rows for k, rows in enumerate(forms)]
        yield a, b, where


def _worthwhile(spaces: list[_Space], light: list[int]) -> dict[tuple[int, int], tuple[float, int]]:
    """How many ranks each product of two forms lowers, less a little for heavy forms, and which."""
    pairs: dict[tuple[int, int], tuple[float, int]] = {}
    preimages = [{a: space.preimage(a) for a in light} for space in spaces]
    for a, b in combinations(light, 2):
        where = 0
        for k, images in enumerate(preimages):
            source = images[a]
            if source is not None and images[b] is not None and (source & b).bit_count() & 1:
                where |= 1 << k
        if where:
            pairs[a, b] = (where.bit_count() - 0.1 * (a.bit_count() + b.bit_count()), where)
    if not pairs:
        return {pair: (1.0, 1 << k) for k, space in enumerate(spaces) for pair in space.any_product()}
    return pairs


class _Space:
    """The row space of an alternating matrix, with what each of its vectors is a sum of rows of."""

    def __init__(self, rows: Alternating) -> None:
        self.rows = rows
        self.basis: dict[int, tuple[int, int]] = {}
        for i, row in enumerate(rows):
            rest, source = self._reduced(row, 1 << i)
            if rest:
                self.basis[rest.bit_length()] = rest, source

    def _reduced(self, vector: int, source: int) -> tuple[int, int]:
        while vector and vector.bit_length() in self.basis:
            row, made_of = self.basis[vector.bit_length()]
            vector ^= row
            source ^= made_of
        return vector, source

    def preimage(self, vector: int) -> int | None:
        """Which rows sum to the vector; None if none do."""
        rest, source = self._reduced(vector, 0)
        return None if rest else source

    def any_product(self) -> Iterator[tuple[int, int]]:
        """A product that lowers the rank: two rows i and j that meet, since row i then is not a term of j."""
        for row in self.rows:
            for j in _ones(row):
                yield row, self.rows[j]
                return


def _plus_product(rows: Alternating, a: int, b: int) -> Alternating:
    return tuple(row ^ (b if a >> i & 1 else 0) ^ (a if b >> i & 1 else 0) for i, row in enumerate(rows))
