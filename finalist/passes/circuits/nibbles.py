"""Boxes of eight bits that are small networks of four-bit ones, found from the table alone.

Two kinds are recognised, on halves that are any four bits side by side (modulo eight):

* a Feistel network of three rounds, each function arbitrary;
* substitution, linear layer, substitution: each half of the output is a box of a sum ``u(h) ^ v(l)`` of
  functions of two halves of the input.  Which box is the solution of linear equations: its inverse B
  has B(output) = u(h) ^ v(l) for all inputs (the first step of A. Biryukov, A. Shamir, "Structural
  cryptanalysis of SASAS", EUROCRYPT 2001, backwards).  The halves may follow a linear layer: they are then
  found as spaces within which a change of the input always changes both halves of the output.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from finalist.passes.circuits.assembly import Assembly
from finalist.passes.circuits.circuit import Circuit
from finalist.passes.matrices import independent

Table = tuple[int, ...]
#: Eight linear forms, as masks of the input's bits: four give the first half, four the second.
Halves = tuple[int, ...]
#: Makes a small circuit for a table with 0 at 0.
Small = Callable[[Table, int, int], Circuit]

NIBBLE = 16
#: Choices of four functions, of which about a third do.
TRIES = 400


def nibble_circuit(table: Table, small: Small, seed: int = 0) -> Circuit | None:
    """A circuit for ``x -> table[x] ^ table[0]`` of a network of four-bit functions; None if it is none."""
    if len(table) != 256 or max(table) > 255:
        return None
    even = tuple(y ^ table[0] for y in table)
    made = [feistel.circuit(small) for feistel in _feistels(even)]
    made += [layers.circuit(small, random.Random(seed)) for layers in _two_layers(even)]
    return min(made, key=lambda circuit: circuit.cost, default=None)


def _rotated(x: int, by: int) -> int:
    return (x >> by | x << 8 - by) & 255


def _form_values(forms: Sequence[int], x: int) -> int:
    return sum(((form & x).bit_count() & 1) << i for i, form in enumerate(forms))


# ---- Feistel networks --------------------------------------------------------------------------


class Feistel(NamedTuple):
    """left ^= f0[right]; right ^= f1[left]; left ^= f2[right]; all with the halves' places in the byte."""

    functions: tuple[Table, Table, Table]
    left_in: int
    left_out: int

    def circuit(self, small: Small) -> Circuit:
        """left and right as four signals each, and a circuit for each function."""
        make = Assembly(8)
        left: list[int | None] = [(self.left_in + i) % 8 for i in range(4)]
        right: list[int | None] = [(self.left_in + 4 + i) % 8 for i in range(4)]
        shift = 0
        for table in self.functions:
            moved = tuple(table[x ^ shift] ^ table[shift] for x in range(NIBBLE))
            added = make.place(small(moved, 4, 4), right)
            left, right = right, [make.gate("xor", a, b) for a, b in zip(left, added, strict=True)]
            shift = table[shift]
        right, left = left, right
        bits = dict(zip(((self.left_out + i) % 8 for i in range(8)), [*left, *right], strict=True))
        return make.circuit([bits[i] for i in range(8)])


def _feistels(table: Table) -> Iterator[Feistel]:
    for left_in in range(8):
        for left_out in range(8):
            rows = [[0] * NIBBLE for _ in range(NIBBLE)]
            for x, y in enumerate(table):
                rotated = _rotated(x, left_in)
                rows[rotated >> 4][rotated & 15] = _rotated(y, left_out)
            functions = _feistel(rows)
            if functions:
                yield Feistel(functions, left_in, left_out)


def _feistel(rows: list[list[int]]) -> tuple[Table, Table, Table] | None:
    """The functions of ``rows[right][left] = right' << 4 | left'``, with f0[0] = 0."""
    added = [[y >> 4 ^ right for y in row] for right, row in enumerate(rows)]
    f0 = []
    for row in added:
        shifts = [d for d in range(NIBBLE) if all(row[x] == added[0][x ^ d] for x in range(NIBBLE))]
        if not shifts:
            return None
        f0.append(shifts[0])
    f2: dict[int, int] = {}
    for right, row in enumerate(rows):
        for left, y in enumerate(row):
            if f2.setdefault(y >> 4, y & 15 ^ left ^ f0[right]) != y & 15 ^ left ^ f0[right]:
                return None
    return tuple(f0), tuple(added[0]), tuple(f2[x] for x in range(NIBBLE))


# ---- substitution, linear layer, substitution --------------------------------------------------


class Half(NamedTuple):
    """Four bits of the output: ``box[u[h] ^ v[l]]``."""

    u: Table
    v: Table
    box: Table


class TwoLayers(NamedTuple):
    """Halves of the input, two halves of the output, and where the first of these begins in the byte."""

    forms: Halves
    solutions: tuple[list[Table], list[Table]]
    low: int

    def circuit(self, small: Small, numbers: random.Random, trials: int = 8) -> Circuit:
        """The best of several choices of coordinates between the layers."""
        return min((self._one(small, numbers) for _ in range(trials)), key=lambda circuit: circuit.cost)

    def _one(self, small: Small, numbers: random.Random) -> Circuit:
        halves = [_half(_other_basis(solutions, numbers)) for solutions in self.solutions]
        make = Assembly(8)
        ends = make.sums(self.forms, range(8))
        front = [_joined(halves[0].u, halves[1].u), _joined(halves[0].v, halves[1].v)]
        u, v = (make.place(small(t, 4, 8), e) for t, e in zip(front, (ends[:4], ends[4:]), strict=True))
        middle = [make.gate("xor", a, b) for a, b in zip(u, v, strict=True)]
        low = make.place(small(halves[0].box, 4, 4), middle[:4])
        high = make.place(small(halves[1].box, 4, 4), middle[4:])
        bits = dict(zip(((self.low + i) % 8 for i in range(8)), [*low, *high], strict=True))
        return make.circuit([bits[i] for i in range(8)])


def _joined(low: Table, high: Table) -> Table:
    return tuple(a | b << 4 for a, b in zip(low, high, strict=True))


def _half(solutions: list[Table]) -> Half:
    """Four solutions side by side: box inverse, u, v, all taken as 0 at 0."""
    values = [sum(bits[k] << i for i, bits in enumerate(solutions)) for k in range(3 * NIBBLE)]
    inverse, u, v = values[:16], values[16:32], values[32:]
    box = [0] * NIBBLE
    for y, x in enumerate(inverse):
        box[x ^ inverse[0]] = y
    return Half(tuple(x ^ u[0] for x in u), tuple(x ^ v[0] for x in v), tuple(box))


def _other_basis(solutions: list[Table], numbers: random.Random) -> list[Table]:
    while True:
        masks = [numbers.randrange(1, NIBBLE) for _ in range(4)]
        mixed = [_sum_of([row for i, row in enumerate(solutions) if mask >> i & 1]) for mask in masks]
        if len(set(zip(*(row[:NIBBLE] for row in mixed), strict=True))) == NIBBLE:
            return mixed


def _sum_of(rows: list[Table]) -> Table:
    return tuple(sum(column) & 1 for column in zip(*rows, strict=True))


def _two_layers(table: Table) -> Iterator[TwoLayers]:
    for low in range(4):
        rotated = [_rotated(y, low) for y in table]
        for forms in _input_halves(rotated):
            halves = [_form_values(forms, x) for x in range(256)]
            first = _solutions(halves, [y & 15 for y in rotated])
            second = first and _solutions(halves, [y >> 4 for y in rotated])
            if first and second:
                yield TwoLayers(forms, (first, second), low)


def _solutions(halves: list[int], outputs: list[int]) -> list[Table] | None:
    """Four independent B(y) ^ u(h) ^ v(l) = 0 with B a permutation, each 0 for y, h, l = 0; None if there
    are fewer.  Unknowns: 16 bits of B, of u, of v."""
    pivots: dict[int, int] = {}
    for half, y in zip(halves, outputs, strict=True):
        equation = 1 << y | 1 << 16 + (half & 15) | 1 << 32 + (half >> 4)
        while equation and (top := equation.bit_length() - 1) in pivots:
            equation ^= pivots[top]
        if equation:
            pivots[top] = equation
    free = [k for k in range(48) if k not in pivots]
    if len(free) < 6:
        return None
    return _permuting([_solution(pivots, {chosen}) for chosen in free])


def _solution(pivots: dict[int, int], chosen: set[int]) -> Table:
    """The solution with these free unknowns 1: each pivot follows from lower unknowns."""
    bits = 0
    for k in range(48):
        if k in chosen or (k in pivots and (pivots[k] & bits & ((1 << k) - 1)).bit_count() & 1):
            bits |= 1 << k
    return tuple(bits >> k & 1 for k in range(48))


def _permuting(solutions: list[Table]) -> list[Table] | None:
    """Four of their sums that tell all sixteen outputs apart."""
    numbers = random.Random(0)
    masks = range(1, 1 << min(len(solutions), 8))  # of all sums; of very many solutions, of some
    span = [_sum_of([row for k, row in enumerate(solutions) if mask >> k & 1]) for mask in masks]
    for _ in range(TRIES):
        four = numbers.sample(span, 4)
        if len(set(zip(*(row[:NIBBLE] for row in four), strict=True))) == NIBBLE:
            return four
    return None


# ---- halves of the input -----------------------------------------------------------------------


def _input_halves(outputs: list[int]) -> Iterator[Halves]:
    """Bits side by side, and halves of a linear layer."""
    for low in range(4):
        yield tuple(1 << (low + i) % 8 for i in range(8))
    spaces = list(_changing_spaces(outputs))
    for one, other in combinations(spaces, 2):
        if len(set(one) & set(other)) == 1:
            yield (*_annihilator(one), *_annihilator(other))


def _changing_spaces(outputs: list[int]) -> Iterator[Table]:
    """Spaces of four dimensions: a change within one always changes both halves of the output."""
    good = [v for v in range(1, 256) if all(_both(outputs[x] ^ outputs[x ^ v]) for x in range(256))]
    if len(good) < 30:
        return
    layer: set[Table] = {(0,)}
    for _ in range(4):
        layer = {tuple(sorted(grown)) for space in layer for v in good if (grown := _grown(space, v, good))}
    yield from sorted(layer)


def _grown(space: Table, v: int, good: list[int]) -> list[int] | None:
    more = [x ^ v for x in space]
    return [*space, *more] if v not in space and all(x in good for x in more) else None


def _both(difference: int) -> bool:
    return difference & 15 != 0 and difference >> 4 != 0


def _annihilator(space: Table) -> list[int]:
    """The lightest four independent forms that are 0 on the space."""
    forms = [f for f in range(1, 256) if not any((f & x).bit_count() & 1 for x in space)]
    return independent(sorted(forms, key=lambda f: (f.bit_count(), f)))
