"""S-boxes that are inversion in GF(2^8) between affine maps, in the field that processors have.

`finalist.passes.circuits.fields` finds such a box by its table alone, in a field of the box's own. All
fields of 256 elements are isomorphic, and an isomorphism is linear over GF(2): whatever polynomial a paper
has, its S-box is ``S(x) = outer * 1 / (inner * x ^ before) ^ shift`` modulo 0x11b.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from finalist.ir.graph import Matrix, TableData
from finalist.passes.circuits import fields
from finalist.passes.matrices import apply_matrix, identity, inverted, linear_map

#: x^8 + x^4 + x^3 + x + 1.
POLYNOMIAL = 0x11B
_BITS, _SIZE = 8, 256
Values = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Inversion:
    """``S(x) = outer * inverse(inner * x ^ before) ^ shift``, in the field of `POLYNOMIAL`.

    ``inner`` is the identity where that is possible, else ``outer`` where that is.
    """

    inner: Matrix
    before: int
    outer: Matrix
    shift: int

    @property
    def direct(self) -> bool:
        """Whether nothing comes before the inversion."""
        return self.inner == identity(_BITS) and not self.before

    def __call__(self, x: int) -> int:
        """The S-box at x."""
        return apply_matrix(self.outer, inverses()[apply_matrix(self.inner, x) ^ self.before]) ^ self.shift


# -- the field ---------------------------------------------------------------------------------------


def times(a: int, b: int, polynomial: int = POLYNOMIAL) -> int:
    """The product in the field of that polynomial of degree 8."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = a << 1 ^ (polynomial if a & 0x80 else 0)
        b >>= 1
    return product


@cache
def inverses(polynomial: int = POLYNOMIAL) -> Values:
    """The inverse of each element, 0 for 0."""
    for generator in range(2, _SIZE):
        powers = [1]
        while (following := times(powers[-1], generator, polynomial)) != 1:
            powers.append(following)
        if len(powers) == _SIZE - 1:
            break
    found = dict(zip(powers, [1, *powers[:0:-1]], strict=True)) | {0: 0}
    return tuple(found[x] for x in range(_SIZE))


# -- finding it --------------------------------------------------------------------------------------


@cache
def found(values: Values) -> Inversion | None:
    """How a table is an inversion between affine maps; None if it is none."""
    own = fields.inversion(values) if len(values) == _SIZE else None
    if own is None:
        return None
    straight = tuple(values[x ^ own.zero] ^ values[own.zero] for x in range(_SIZE))
    inner, outer = _maps(straight, own.powers)
    return Inversion(inner, apply_matrix(inner, own.zero), outer, values[own.zero])


def of_table(table: TableData) -> Inversion | None:
    """How a table of the graph is one."""
    return found(table.values) if table.width == _BITS == table.index_width else None


def _maps(straight: Values, powers: Values) -> tuple[Matrix, Matrix]:
    """The maps before and after an inversion that takes 0 to 0: only one of them, where that is possible."""
    one, inverse = identity(_BITS), inverses()
    after = linear_map(lambda y: straight[inverse[y]], _BITS)
    if after:
        return one, after
    before = linear_map(lambda x: inverse[straight[x]], _BITS)
    if before:
        return before, one
    inner = _isomorphism(powers)
    back = inverted(inner)
    assert back is not None, "an isomorphism has an inverse"
    outer = linear_map(lambda y: straight[apply_matrix(back, inverse[y])], _BITS)
    assert outer is not None, "the table is an inversion in the field of these powers"
    return inner, outer


def _isomorphism(powers: Values) -> Matrix:
    """The map from the field whose elements are these powers of one of them to that of `POLYNOMIAL`."""
    for root in range(2, _SIZE):
        images, element = {0: 0}, 1
        for power in powers:
            images[power] = element
            element = times(element, root)
        found = linear_map(images.__getitem__, _BITS)
        if found is not None:
            return found
    raise AssertionError("fields of 256 elements are isomorphic")
