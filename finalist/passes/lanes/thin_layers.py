"""Two layers of small tables (`finalist.passes.lanes.layers`) with as little between them as there can be.

Where tables of four bits and linear maps are all that an S-box was made of, ``A[l]`` and ``B[h]`` have
eight bits and only four of content. The halves of their sum may be taken in any basis, as C and D are any
tables; and constants go into C and D. So the sum is brought to ``a ^ b`` and ``a ^ Q b`` with four bits in a
and in b, and Q to a companion matrix, which has two ones in a row at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finalist.ir.graph import Matrix
from finalist.passes.lanes.layers import Layers, Values
from finalist.passes.matrices import apply_matrix, composed, inverted, linear_map

_HALF, _BITS = 16, 4
_IDENTITY: Matrix = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class ThinLayers:
    """16 entries of four bits in ``a`` and ``b``; ``c`` is read at a ^ b, ``d`` at a ^ ``factor`` * b, with
    entries of eight bits, of which each feeds four."""

    a: Values
    b: Values
    factor: Matrix
    c: Values
    d: Values


def thin(layers: Layers) -> ThinLayers | None:
    """The same table; None where a sum of A and B has more than four bits of each."""
    a, b = (tuple(value ^ table[0] for value in table) for table in (layers.a, layers.b))
    moved = layers.a[0] ^ layers.b[0]
    c = tuple(layers.c[place ^ moved % _HALF] for place in range(_HALF))
    d = tuple(layers.d[place ^ moved // _HALF] for place in range(_HALF))
    of_a, of_b = _upper_by_lower(a), _upper_by_lower(b)
    back = of_a and inverted(of_a)
    if of_a is None or of_b is None or back is None:
        return None
    factor = composed(back, of_b)
    basis = _cyclic(factor) or _IDENTITY
    own = inverted(basis)
    assert own is not None
    return ThinLayers(
        tuple(apply_matrix(own, value % _HALF) for value in a),
        tuple(apply_matrix(own, value % _HALF) for value in b),
        composed(own, composed(factor, basis)),
        tuple(c[apply_matrix(basis, place)] for place in range(_HALF)),
        tuple(d[apply_matrix(composed(of_a, basis), place)] for place in range(_HALF)),
    )


def _upper_by_lower(values: Sequence[int]) -> Matrix | None:
    """The map from lower halves, of which all must be there, to upper ones; None without."""
    upper = {value % _HALF: value // _HALF for value in values}
    if len(upper) < _HALF:
        return None
    return linear_map(upper.__getitem__, _BITS)


def _cyclic(matrix: Matrix) -> Matrix | None:
    """A basis v, Mv, MMv, MMMv, in which the matrix is the companion of its polynomial; None without one."""
    for value in range(1, _HALF):
        basis = [value]
        while len(basis) < _BITS:
            basis.append(apply_matrix(matrix, basis[-1]))
        if inverted(tuple(basis)) is not None:
            return tuple(basis)
    return None
