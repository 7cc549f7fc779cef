"""Tables of bytes as two layers of small tables: S-boxes, a linear map, S-boxes again.

``T(x) = C[l'] ^ D[h']`` of the halves of ``A[l] ^ B[h]``, l and h being the halves of a linear map of x.
Each of C and D feeds four bits of the result, wherever those are.

Where the map before only rotates the byte, linear algebra finds the rest: a function f of four bits of T(x)
is a sum a(l) ^ b(h) exactly if f, a and b solve 256 linear equations over GF(2) in their 48 values. Where it
mixes the halves, as in Twofish, the map comes first: moving l alone, or h alone, never leaves four bits of
the result as they were, so that the moves which always change them are looked for, and among those the
subspaces of four dimensions.

For logic there is as little between two layers as there can be: where tables of four bits and linear
maps are all that an S-box was made of, ``A[l]`` and ``B[h]`` have
eight bits and only four of content. The halves of their sum may be taken in any basis, as C and D are any
tables; and constants go into C and D. So the sum is brought to ``a ^ b`` and ``a ^ Q b`` with four bits in a
and in b, and Q to a companion matrix, which has two ones in a row at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

from finalist.ir.graph import Matrix
from finalist.passes.matrices import apply_matrix, composed, independent, inverted, linear_map, reduced

_HALF, _BITS = 16, 8
#: Independent functions of four bits that are tried; more than four are there where a half counts less.
_MOST_FUNCTIONS = 8
Values = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Layers:
    """``first``: the map before; ``rotation``: by how many bits, if it is but that. 16 entries in each of
    ``a`` and ``b``, of all bits, ``c`` and ``d``, of the bits that each feeds."""

    first: Matrix
    rotation: int | None
    a: Values
    b: Values
    c: Values
    d: Values


@cache
def found(values: Values) -> Layers | None:
    """The two layers that are this table of 256 bytes; None if none are found."""
    return next(_turned(values), None) or next(_mixed(values), None)


def _turned(values: Values) -> Iterator[Layers]:
    for rotation in range(_BITS // 2):  # as much again only exchanges the halves
        first = tuple(1 << (bit + rotation) % _BITS for bit in range(_BITS))
        before = _before(values, first)
        for others in combinations(range(1, _BITS), 3):
            bits = (0, *others)
            low = _half(before, bits)
            high = low and _half(before, tuple(bit for bit in range(_BITS) if bit not in bits))
            if low and high:
                yield _layers(first, rotation, low, high)


def _mixed(values: Values) -> Iterator[Layers]:
    """With any invertible map before; the halves of the result are each from one of the last tables."""
    lower, upper = tuple(range(_BITS // 2)), tuple(range(_BITS // 2, _BITS))
    for first in _maps(values):
        before = _before(values, first)
        low = _half(before, lower)
        high = low and _half(before, upper)
        if low and high:
            yield _layers(first, None, low, high)


def _before(values: Values, first: Matrix) -> Values:
    """T after the inverse of ``first``: what is left to find."""
    left = [0] * len(values)
    for x, value in enumerate(values):
        left[apply_matrix(first, x)] = value
    return tuple(left)


Half = tuple[Values, Values, Values]


def _layers(first: Matrix, rotation: int | None, low: Half, high: Half) -> Layers:
    a, b = (tuple(p | q << 4 for p, q in zip(low[k], high[k], strict=True)) for k in (0, 1))
    return Layers(first, rotation, a, b, low[2], high[2])


# -- linear maps before the first layer --------------------------------------------------------------


def _maps(values: Values) -> Iterator[Matrix]:
    """Maps whose halves each always change the lower half of the result, and always the upper one."""
    moves = range(1, len(values))
    moving = {v for v in moves if not any((t ^ values[x ^ v]) & 15 == 0 for x, t in enumerate(values))}
    moving -= {v for v in moving if any((t ^ values[x ^ v]) & 240 == 0 for x, t in enumerate(values))}
    spaces = sorted(set(_spaces(moving)), key=sorted)
    for one, other in product(spaces, spaces):
        if one & other == {0}:
            yield _coordinates([*_basis(one), *_basis(other)])


def _spaces(moving: set[int]) -> Iterable[frozenset[int]]:
    """The subspaces of four dimensions all of whose vectors but 0 are ``moving``."""
    spaces = {frozenset({0})}
    for _ in range(_BITS // 2):
        larger = set()
        for space in spaces:
            for vector in moving - space:
                grown = space | {vector ^ other for other in space}
                if grown - {0} <= moving:
                    larger.add(frozenset(grown))
        spaces = larger
    return spaces


def _basis(space: Iterable[int]) -> list[int]:
    """A basis of vectors with few ones."""
    return independent(sorted(space, key=lambda vector: (vector.bit_count(), vector)))


def _coordinates(basis: Sequence[int]) -> Matrix:
    """A map whose halves tell how much of a byte lies along either half of the basis; of few ones."""
    known = {apply_matrix(tuple(basis), number): number for number in range(1 << len(basis))}
    columns = [known[1 << bit] for bit in range(len(basis))]
    rows = [sum((column >> k & 1) << bit for bit, column in enumerate(columns)) for k in range(len(basis))]
    chosen = [row for half in (rows[:4], rows[4:]) for row in _basis(_combinations(half))]
    return tuple(sum((row >> bit & 1) << k for k, row in enumerate(chosen)) for bit in range(len(basis)))


def _combinations(rows: Sequence[int]) -> list[int]:
    return [apply_matrix(tuple(rows), number) for number in range(1 << len(rows))]


# -- tables, the map before being known --------------------------------------------------------------


def _half(values: Values, bits: tuple[int, ...]) -> Half | None:
    """Tables a and b of 4-bit entries and c with: these bits of T(x), at their places, are c[a[l] ^ b[h]]."""
    part = [sum((value >> bit & 1) << k for k, bit in enumerate(bits)) for value in values]
    used = sorted(set(part))
    some = _separating(used, [], _all_sums(_additive(part)))
    if some is None:
        return None
    a, b = (
        tuple(sum((f >> start + i & 1) << k for k, f in enumerate(some)) for i in range(_HALF))
        for start in (_HALF, 2 * _HALF)
    )
    back = {_label(value, some): value for value in used}
    placed = (back.get(label, 0) for label in range(_HALF))
    return a, b, tuple(sum((value >> k & 1) << bit for k, bit in enumerate(bits)) for value in placed)


def _label(value: int, functions: Sequence[int]) -> int:
    return sum((f >> value & 1) << k for k, f in enumerate(functions))


def _all_sums(basis: Sequence[int]) -> list[int]:
    total = [0]
    for function in basis[:_MOST_FUNCTIONS]:
        total += [function ^ other for other in total]
    return total[1:]


def _separating(used: Sequence[int], chosen: list[int], functions: Sequence[int]) -> list[int] | None:
    """Four functions or fewer that no two of the values used agree in; None if there are none."""
    classes = Counter(_label(value, chosen) for value in used)
    if max(classes.values()) > _HALF >> len(chosen):
        return None
    if max(classes.values()) == 1:
        return chosen
    for place, function in enumerate(functions):
        found = _separating(used, [*chosen, function], functions[place + 1 :])
        if found is not None:
            return found
    return None


def _additive(part: list[int]) -> list[int]:
    """A basis, but for constants, of the functions f of the part with f(part(x)) = a(l) ^ b(h).

    Bits 0 .. 15 of each are f, the next 16 are a, the last b.
    """
    rows = (1 << p | 1 << _HALF + x % _HALF | 1 << 2 * _HALF + x // _HALF for x, p in enumerate(part))
    occurring = sum(1 << p for p in set(part))
    basis, seen = [], [occurring]
    # Constants solve the equations, and so does whatever a function may be where it is never asked.
    for solution in _null_space(rows, 3 * _HALF, 2 + _HALF - occurring.bit_count()):
        rest = reduced(solution & occurring, seen)
        if rest:
            seen.append(rest)
            basis.append(solution)
    return basis


def _null_space(rows: Iterable[int], count: int, trivial: int) -> list[int]:
    """A basis of the solutions of equations in ``count`` unknowns; none if that is only the ``trivial``."""
    pivots: dict[int, int] = {}
    for row in rows:
        while row and row.bit_length() - 1 in pivots:
            row ^= pivots[row.bit_length() - 1]
        if row:
            pivots[row.bit_length() - 1] = row
            if len(pivots) == count - trivial:
                return []
    for top in sorted(pivots):  # nothing but free unknowns is left beside each pivot
        for lower in range(top):
            if lower in pivots and pivots[top] >> lower & 1:
                pivots[top] ^= pivots[lower]
    free = [bit for bit in range(count) if bit not in pivots]
    return [1 << f | sum(1 << bit for bit, known in pivots.items() if known >> f & 1) for f in free]


_ENTRIES, _NIBBLE = 16, 4
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
    c = tuple(layers.c[place ^ moved % _ENTRIES] for place in range(_ENTRIES))
    d = tuple(layers.d[place ^ moved // _ENTRIES] for place in range(_ENTRIES))
    of_a, of_b = _upper_by_lower(a), _upper_by_lower(b)
    back = of_a and inverted(of_a)
    if of_a is None or of_b is None or back is None:
        return None
    factor = composed(back, of_b)
    basis = _cyclic(factor) or _IDENTITY
    own = inverted(basis)
    assert own is not None
    return ThinLayers(
        tuple(apply_matrix(own, value % _ENTRIES) for value in a),
        tuple(apply_matrix(own, value % _ENTRIES) for value in b),
        composed(own, composed(factor, basis)),
        tuple(c[apply_matrix(basis, place)] for place in range(_ENTRIES)),
        tuple(d[apply_matrix(composed(of_a, basis), place)] for place in range(_ENTRIES)),
    )


def _upper_by_lower(values: Sequence[int]) -> Matrix | None:
    """The map from lower halves, of which all must be there, to upper ones; None without."""
    upper = {value % _ENTRIES: value // _ENTRIES for value in values}
    if len(upper) < _ENTRIES:
        return None
    return linear_map(upper.__getitem__, _NIBBLE)


def _cyclic(matrix: Matrix) -> Matrix | None:
    """A basis v, Mv, MMv, MMMv, in which the matrix is the companion of its polynomial; None without one."""
    for value in range(1, _ENTRIES):
        basis = [value]
        while len(basis) < _NIBBLE:
            basis.append(apply_matrix(matrix, basis[-1]))
        if inverted(tuple(basis)) is not None:
            return tuple(basis)
    return None
