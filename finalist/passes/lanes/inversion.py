"""Tables of 256 bytes that are inversion in GF(2^8) between linear maps, as tables of 16 entries.

In GF(2^4)[t] with t^2 = a t + a an element k + i t has the norm D = k^2 + a k i + a i^2, and with j = i + k

    1 / (1/i + a/k) + j = D / (k + a i),    1 / (1/j + a/k) + i = D / (k + a j),

whose inverses are the parts that the inverse of the whole is a linear map of: four bits at a time, by
nothing but tables and sums, and infinity, which 1/0 is, is a set bit 7. (M. Hamburg, "Accelerating AES
with vector permute instructions", CHES 2009, section 4.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from finalist.ir.builder import Builder
from finalist.ir.graph import Matrix, Node, TableData
from finalist.ir.ops import Op
from finalist.passes.matrices import apply_matrix, inverted, linear_map

Values = tuple[int, ...]
_INFINITE = 0x80
_BITS = 8


@dataclass(frozen=True, slots=True)
class Inversion:
    """``S(x) = after(outer * inverse(inner * x ^ before))`` in the field of this polynomial.

    ``after``: y -> scale * y + shift modulo 256 if ``scale`` is more than 1, else y -> y ^ shift.
    """

    polynomial: int
    inner: Matrix
    before: int
    outer: Matrix
    scale: int
    shift: int


# -- the field ---------------------------------------------------------------------------------------


def times(a: int, b: int, polynomial: int) -> int:
    """The product in the field."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = a << 1 ^ (polynomial if a & 0x80 else 0)
        b >>= 1
    return product


@cache
def inverses(polynomial: int) -> Values:
    """The inverse of each element, 0 for 0."""
    for generator in range(2, 256):
        powers = [1]
        while (following := times(powers[-1], generator, polynomial)) != 1:
            powers.append(following)
        if len(powers) == 255:
            break
    found = dict(zip(powers, [1, *powers[:0:-1]], strict=True)) | {0: 0}
    return tuple(found[x] for x in range(256))


@cache
def polynomials() -> Values:
    """The irreducible ones of degree 8."""

    def rest(a: int, b: int) -> int:
        while a.bit_length() >= b.bit_length():
            a ^= b << a.bit_length() - b.bit_length()
        return a

    return tuple(p for p in range(0x101, 0x200, 2) if all(rest(p, q) for q in range(2, 32)))


# -- finding it --------------------------------------------------------------------------------------


@cache
def found(values: Values) -> Inversion | None:
    """How a permutation of bytes is an inversion; None if it is not found to be one."""
    if sorted(values) != list(range(256)):
        return None
    return next(_ways(values), None)


def _ways(values: Values) -> Iterator[Inversion]:
    backward = [0] * 256
    for x, y in enumerate(values):
        backward[y] = x
    for polynomial in polynomials():
        yield from _in_field(values, backward, polynomial)


def _in_field(values: Values, backward: list[int], polynomial: int) -> Iterator[Inversion]:
    """A map after inversion, or before it, or after it and before arithmetic modulo 256."""
    inverse, one, zero = inverses(polynomial), tuple(1 << bit for bit in range(8)), values[0]
    outer = linear_map(lambda y: values[inverse[y]] ^ zero, _BITS)
    if outer:
        yield Inversion(polynomial, one, 0, outer, 1, zero)
    inner = linear_map(lambda y: backward[inverse[y]] ^ backward[0], _BITS)
    if inner:
        straight = inverted(inner)
        assert straight is not None, "what a permutation does is undone"
        yield Inversion(polynomial, straight, apply_matrix(straight, backward[0]), one, 1, 0)
    for scale in range(3, 256, 2):
        outer = _scaled(values, inverse, pow(scale, -1, 256))
        if outer:
            yield Inversion(polynomial, one, 0, outer, scale, zero)


def _scaled(values: Values, inverse: Values, factor: int) -> Matrix | None:
    return linear_map(lambda y: (values[inverse[y]] - values[0]) * factor & 255, _BITS)


# -- computing it ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tower:
    """The field as pairs (k, i) of elements of GF(2^4), each four bits in the basis ``embedded``."""

    polynomial: int
    #: For each four bits the element of the field that they are.
    embedded: Values
    a: int
    t: int

    @property
    def split(self) -> Matrix:
        """An element as k in the lower and i in the upper four bits."""
        columns = [self.embedded[1 << bit] for bit in range(4)]
        found = inverted((*columns, *(times(c, self.t, self.polynomial) for c in columns)))
        assert found is not None, "a field is two-dimensional over GF(2^4)"
        return found

    def small(self, function: Callable[[int], int]) -> list[int]:
        """A function on GF(2^4) on four bits; infinite at 0."""
        back = {element: nibble for nibble, element in enumerate(self.embedded)}
        return [_INFINITE, *(back[function(element)] for element in self.embedded[1:])]


@cache
def tower(polynomial: int) -> Tower:
    """One that serves: there is a t in the field but not in GF(2^4) with t^2 = a t + a for some a of it."""
    inside = [x for x in range(256) if _power(x, 16, polynomial) == x]
    root = next(x for x in inside if x > 1 and _power(x, 3, polynomial) != 1 != _power(x, 5, polynomial))
    basis = [_power(root, exponent, polynomial) for exponent in range(4)]
    embedded = tuple(apply_matrix(tuple(basis), nibble) for nibble in range(16))
    a, t = next(
        (a, t)
        for a in inside[1:]
        for t in range(256)
        if t not in inside and times(t, t, polynomial) == times(a, t ^ 1, polynomial)
    )
    return Tower(polynomial, embedded, a, t)


def _power(x: int, exponent: int, polynomial: int) -> int:
    total = 1
    for _ in range(exponent):
        total = times(total, x, polynomial)
    return total


def network(make: Builder, x: Node, how: Inversion, name: str) -> Node:
    """The table's nodes for an index."""
    field = tower(how.polynomial)
    split = tuple(apply_matrix(field.split, column) for column in how.inner)
    pair = make.linear([split], [x], 8)
    pair = make.make(Op.XOR, (pair, make.const(apply_matrix(field.split, how.before), 8)))
    k, i = (make.extend(make.slice(pair, low, 4), 8) for low in (0, 4))
    first, second = _fractions(make, field, k, i, name)
    total = make.make(Op.XOR, [_row(make, *part) for part in _outputs(field, how, first, second, name)])
    return _after(make, total, how, name)


def _fractions(make: Builder, field: Tower, k: Node, i: Node, name: str) -> tuple[Node, Node]:
    """D / (k + a i) and D / (k + a j)."""
    inverse, p = inverses(field.polynomial), field.polynomial
    inverted = field.small(lambda e: inverse[e])
    over = field.small(lambda e: times(field.a, inverse[e], p))

    def inverse_of(node: Node) -> Node:
        return _row(make, node, inverted, f"{name}_inverse")

    j = make.make(Op.XOR, (i, k))
    a_over_k = _row(make, k, over, f"{name}_over")
    made = []
    for one, other in ((i, j), (j, i)):
        below = make.make(Op.XOR, (inverse_of(one), a_over_k))
        made.append(make.make(Op.XOR, (inverse_of(below), other)))
    return made[0], made[1]


def _outputs(
    field: Tower, how: Inversion, first: Node, second: Node, name: str
) -> list[tuple[Node, list[int], str]]:
    """What each fraction adds: u (1 + t/a + t/a^2) + w t/a^2 is the inverse, u and w being theirs."""
    inverse, p = inverses(field.polynomial), field.polynomial
    by_a = times(field.t, inverse[field.a], p)
    by_aa = times(by_a, inverse[field.a], p)
    made = []
    for node, factor, letter in ((first, 1 ^ by_a ^ by_aa, "u"), (second, by_aa, "w")):
        parts = (times(inverse[element], factor, p) for element in field.embedded)
        made.append((node, [apply_matrix(how.outer, part) for part in parts], f"{name}_{letter}"))
    return made


def _after(make: Builder, y: Node, how: Inversion, name: str) -> Node:
    if how.scale == 1:
        return make.make(Op.XOR, (y, make.const(how.shift, 8)))
    parts = []
    for low, letter in ((0, "l"), (4, "h")):
        values = [(how.scale * (n << low) + (0 if low else how.shift)) % 256 for n in range(16)]
        parts.append(_table(make, make.slice(y, low, 4), values, f"{name}_{letter}"))
    return make.make(Op.ADD, parts)


def _row(make: Builder, index: Node, row: Sequence[int], name: str) -> Node:
    """What a permute does with an index of a byte: 0 where bit 7 is set, else by the lower four bits."""
    return _table(make, index, [0 if x & _INFINITE else row[x & 15] for x in range(256)], name)


def _table(make: Builder, index: Node, values: Sequence[int], name: str) -> Node:
    note = "derived: a part of the table whose name it begins with"
    return make.make(Op.LOOKUP, (index,), TableData(tuple(values), 8, name, note))
