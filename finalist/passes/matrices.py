"""Matrices over GF(2), as `linear` operations have them: for each input bit what it adds to the output."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from finalist.ir.graph import Matrix


def identity(width: int) -> Matrix:
    """The map of a word of ``width`` bits to itself."""
    return tuple(1 << bit for bit in range(width))


def apply_matrix(matrix: Matrix, value: int) -> int:
    """matrix * value."""
    total = 0
    for column in matrix:
        if value & 1:
            total ^= column
        value >>= 1
    return total


def reduced(value: int, basis: Iterable[int]) -> int:
    """What is left of a vector when those of a basis are taken from it, each itself reduced by those before
    it; 0 where it is a sum of them."""
    for known in basis:
        value = min(value, value ^ known)
    return value


def independent(vectors: Iterable[int]) -> list[int]:
    """Those vectors that are no sums of vectors before them: a basis of all of them."""
    basis: list[int] = []
    spanned = {0}
    for vector in vectors:
        if vector not in spanned:
            basis.append(vector)
            spanned |= {vector ^ other for other in spanned}
    return basis


def added(a: Matrix, b: Matrix) -> Matrix:
    """a + b."""
    return tuple(x ^ y for x, y in zip(a, b, strict=True))


def composed(outer: Matrix, inner: Matrix) -> Matrix:
    """outer * inner."""
    return tuple(apply_matrix(outer, column) for column in inner)


def linear_map(function: Callable[[int], int], bits: int) -> Matrix | None:
    """The matrix of a function of words of so many bits, if it is linear."""
    matrix = tuple(function(1 << bit) for bit in range(bits))
    same = all(function(x) == apply_matrix(matrix, x) for x in range(1 << bits))
    return matrix if same else None


def inverted(matrix: Matrix) -> Matrix | None:
    """The inverse of a square matrix, by its columns or its rows as it is given; None if it has none."""
    n = len(matrix)
    rows = [row | 1 << (n + k) for k, row in enumerate(matrix)]
    for column in range(n):
        pivot = next((k for k in range(column, n) if rows[k] >> column & 1), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for k in range(n):
            if k != column and rows[k] >> column & 1:
                rows[k] ^= rows[column]
    return tuple(row >> n for row in rows)
