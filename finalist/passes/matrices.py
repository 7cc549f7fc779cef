"""Matrices over GF(2), as `linear` operations have them: for each input bit what it adds to the output."""

from __future__ import annotations

from finalist.ir.graph import Matrix


def apply_matrix(matrix: Matrix, value: int) -> int:
    """matrix * value."""
    total = 0
    for column in matrix:
        if value & 1:
            total ^= column
        value >>= 1
    return total


def composed(outer: Matrix, inner: Matrix) -> Matrix:
    """outer * inner."""
    return tuple(apply_matrix(outer, column) for column in inner)
