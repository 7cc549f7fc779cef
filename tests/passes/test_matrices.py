"""Matrices over GF(2): inverses, and functions that turn out to be linear."""

from __future__ import annotations

import random

import pytest

from finalist.passes.matching.normal import applied
from finalist.passes.matrices import added, apply_matrix, composed, identity, inverted, linear_map, reduced


def test_inverses_of_random_matrices() -> None:
    source = random.Random(5)
    regular = 0
    for _ in range(40):
        matrix = tuple(source.getrandbits(12) for _ in range(12))
        inverse = inverted(matrix)
        if inverse is None:
            continue
        regular += 1
        assert applied(matrix, inverse) == applied(inverse, matrix) == identity(12)
    assert 5 < regular < 40
    assert inverted((1, 1)) is None


def test_sums_and_products_are_those_of_what_they_do() -> None:
    source = random.Random(6)
    a, b = (tuple(source.getrandbits(8) for _ in range(8)) for _ in range(2))
    for x in range(256):
        assert apply_matrix(added(a, b), x) == apply_matrix(a, x) ^ apply_matrix(b, x)
        assert apply_matrix(composed(a, b), x) == apply_matrix(a, apply_matrix(b, x))


def test_a_linear_function_has_its_matrix() -> None:
    matrix = (3, 5, 1, 12)
    assert linear_map(lambda x: apply_matrix(matrix, x), 4) == matrix
    assert linear_map(lambda x: apply_matrix(matrix, x) ^ (x == 7), 4) is None
    assert linear_map(lambda x: apply_matrix(matrix, x) ^ 1, 4) is None


def test_what_a_basis_leaves_of_a_vector() -> None:
    basis = [6, 3]
    assert [reduced(x, basis) for x in (0, 6, 3, 5)] == [0, 0, 0, 0]
    assert all(reduced(x, basis) for x in (1, 2, 4, 7))


def test_matrices_of_different_words_have_no_sum() -> None:
    with pytest.raises(ValueError, match="shorter"):
        added((1, 2, 4), (1, 2))
