"""Linear maps of bytes by powers of a step: what they compute, and what is shared."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, TableData, every_node
from finalist.ir.interpreter import run
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.prepare.coefficients import by_coefficients
from finalist.isa.prepare.powers import Step, by_powers
from finalist.passes.matrices import linear_map
from tests.isa.prepare.test_coefficients import multiply

DOUBLED = Step(left=True, constant=0x1B)
ENCRYPT, DECRYPT = (2, 3, 1, 1), (14, 11, 13, 9)


def matrix(coefficient: int, field: int = 0x11B) -> Matrix:
    found = linear_map(lambda x: multiply(x, coefficient, field), 8)
    assert found is not None
    return found


def circulant(row: tuple[int, ...]) -> Graph:
    """Four bytes, times the matrix with this first row, each next one moved by one place."""
    make = Builder()
    bytes_ = [make.param("block", WordType(8), f"x{k}") for k in range(4)]
    rows = [[matrix(row[(j - i) % 4]) for j in range(4)] for i in range(4)]
    return Graph("mixed", bytes_, [make.linear(one, bytes_, 8) for one in rows])


@pytest.mark.parametrize("row", [ENCRYPT, DECRYPT])
def test_the_same_is_computed(row: tuple[int, ...]) -> None:
    given, draw = circulant(row), random.Random(1)
    made = by_powers(given, DOUBLED)
    assert not any(node.op is Op.LINEAR for node in every_node(made))
    for _ in range(50):
        words = [np.array(draw.randrange(256), np.uint8) for _ in range(4)]
        assert list(map(int, run(made, words))) == list(map(int, run(given, words)))


@pytest.mark.parametrize(("row", "steps"), [(ENCRYPT, 4), (DECRYPT, 7)])
def test_steps_of_what_rows_have_in_common_are_taken_once(row: tuple[int, ...], steps: int) -> None:
    """4 a ^ 4 c is wanted by two rows of the inverse, 8 (a ^ b ^ c ^ d) by all: 1 + 2 + 4 in place of 12."""
    made = by_powers(circulant(row), DOUBLED)
    assert sum(node.op is Op.SUB for node in every_node(made)) == steps


def test_without_tables_the_way_of_least_cost_is_taken() -> None:
    """Sums before steps, where that leaves fewer bytes to be kept."""
    given = circulant(ENCRYPT)
    assert list(map(str, by_coefficients(given, 0).body)) == list(map(str, by_powers(given, DOUBLED).body))
    assert any(node.op is Op.LOOKUP for node in every_node(by_coefficients(given, 1)))


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("row", [ENCRYPT, DECRYPT, (0, 3, 1, 0)])
def test_tables_are_read_at_sums(row: tuple[int, ...], whole: bool) -> None:
    """One table for a coefficient of each row, however many bytes it goes with."""
    given, draw = circulant(row), random.Random(2)
    tables = {matrix(3): TableData(tuple(multiply(x, 3, 0x11B) for x in range(256)), 8, "C0")}
    made = by_powers(given, DOUBLED, tables, whole)
    assert not any(node.op is Op.LINEAR for node in every_node(made))
    for _ in range(50):
        words = [np.array(draw.randrange(256), np.uint8) for _ in range(4)]
        assert list(map(int, run(made, words))) == list(map(int, run(given, words)))


def test_a_sum_of_most_is_made_of_the_sum_of_all() -> None:
    """Six sums, each without one byte: of all 5 XORs, and one for each."""
    make, one, none = Builder(), matrix(1), (0,) * 8
    bytes_ = [make.param("block", WordType(8), f"x{k}") for k in range(6)]
    rows = [[none if k == lacking else one for k in range(6)] for lacking in range(6)]
    given = Graph("sums", bytes_, [make.linear(row, bytes_, 8) for row in rows])
    counts = []
    for whole in (False, True):
        made = by_powers(given, None, {}, whole)
        counts.append(sum(node.op is Op.XOR for node in every_node(made)))
    assert counts == [18, 11]
