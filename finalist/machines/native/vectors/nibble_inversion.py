"""Inversion in GF(2^8) between affine maps, as tables of 16 entries.

In GF(2^4)[t] with t^2 = a t + a an element k + i t has the norm D = k^2 + a k i + a i^2, and with j = i + k

    1 / (1/i + a/k) + j = D / (k + a i),    1 / (1/j + a/k) + i = D / (k + a j),

whose inverses are the parts that the inverse of the whole is a linear map of: four bits at a time, by
nothing but tables and sums, and infinity, which 1/0 is, is a set bit 7. (M. Hamburg, "Accelerating AES
with vector permute instructions", CHES 2009, section 4.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from finalist.ir.graph import Matrix
from finalist.passes.inversions import Inversion, Values, inverses, times
from finalist.passes.matrices import apply_matrix, composed, inverted

_INFINITE = 0x80


@dataclass(frozen=True, slots=True)
class Tower:
    """The field as pairs (k, i) of elements of GF(2^4), each four bits in the basis ``embedded``."""

    #: For each four bits the element of the field that they are.
    embedded: Values
    a: int
    t: int

    @property
    def split(self) -> Matrix:
        """An element as k in the lower and i in the upper four bits."""
        columns = [self.embedded[1 << bit] for bit in range(4)]
        found = inverted((*columns, *(times(c, self.t) for c in columns)))
        assert found is not None, "a field is two-dimensional over GF(2^4)"
        return found

    def small(self, function: Callable[[int], int]) -> Values:
        """A function on GF(2^4) on four bits; infinite at 0."""
        back = {element: nibble for nibble, element in enumerate(self.embedded)}
        return (_INFINITE, *(back[function(element)] for element in self.embedded[1:]))

    @property
    def inverse(self) -> Values:
        """1 / x."""
        return self.small(lambda e: inverses()[e])

    @property
    def over(self) -> Values:
        """a / x."""
        return self.small(lambda e: times(self.a, inverses()[e]))


@cache
def tower() -> Tower:
    """One that serves: there is a t in the field but not in GF(2^4) with t^2 = a t + a for some a of it."""
    inside = [x for x in range(256) if _power(x, 16) == x]
    root = next(x for x in inside if x > 1 and _power(x, 3) != 1 != _power(x, 5))
    basis = [_power(root, exponent) for exponent in range(4)]
    embedded = tuple(apply_matrix(tuple(basis), nibble) for nibble in range(16))
    a, t = next(
        (a, t) for a in inside[1:] for t in range(256) if t not in inside and times(t, t) == times(a, t ^ 1)
    )
    return Tower(embedded, a, t)


def _power(x: int, exponent: int) -> int:
    total = 1
    for _ in range(exponent):
        total = times(total, x)
    return total


@dataclass(frozen=True, slots=True)
class Rows:
    """What tells one inversion from another.

    With ``split * x ^ before`` as k, i, the S-box is ``u[D / (k + a i)] ^ w[D / (k + a j)] ^ shift``; a table
    has 0 where it is asked for infinity.
    """

    split: Matrix
    before: int
    u: Values
    w: Values
    shift: int


@cache
def rows(how: Inversion) -> Rows:
    """Those of an S-box: 1/x is u (1 + t/a + t/a^2) + w t/a^2, u and w being inverses of the fractions."""
    field, inverse = tower(), inverses()
    by_a = times(field.t, inverse[field.a])
    by_aa = times(by_a, inverse[field.a])

    def added(factor: int) -> Values:
        parts = (times(inverse[element], factor) for element in field.embedded)
        return tuple(apply_matrix(how.outer, part) for part in parts)

    split, before = composed(field.split, how.inner), apply_matrix(field.split, how.before)
    return Rows(split, before, added(1 ^ by_a ^ by_aa), added(by_aa), how.shift)
