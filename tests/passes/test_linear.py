"""Linear maps as word operations: right for every shape, and by whole diagonals where there are few."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.passes.linear import lowered, swapped
from finalist.passes.matrices import apply_matrix
from tests.passes.meaning import keeps_graph, operations


def mapped(matrix: tuple[int, ...], width: int) -> Graph:
    make = Builder()
    x = make.param("memory", WordType(len(matrix)), "x")
    return Graph("g", [x], [make.linear([matrix], [x], width)])


@pytest.mark.parametrize("inputs", [1, 7, 8, 32, 33, 64])
@pytest.mark.parametrize("outputs", [1, 8, 31, 32, 64])
@pytest.mark.parametrize("density", [0.03, 0.5, 1.0])
def test_matrices_of_all_shapes(inputs: int, outputs: int, density: float) -> None:
    source = np.random.default_rng(inputs * outputs)
    matrix = tuple(
        sum(1 << bit for bit in range(outputs) if source.random() < density) for _ in range(inputs)
    )
    graph = lowered(mapped(matrix, outputs))
    assert not operations(graph, Op.LINEAR)
    values = source.integers(0, 1 << min(inputs, 63), 20, np.uint64).astype(interpreter.dtype(inputs))
    (found,) = interpreter.run(graph, [values])
    expected = [apply_matrix(matrix, int(value)) for value in values]
    assert np.broadcast_to(found, 20).tolist() == expected


def test_a_rotation_takes_two_steps() -> None:
    """Two diagonals, though all 32 columns differ."""
    turned = tuple(1 << (k + 5) % 32 for k in range(32))
    graph = lowered(mapped(turned, 32))
    assert len(operations(graph, Op.SHL)) + len(operations(graph, Op.SHR)) == 2


def test_nothing_comes_of_a_matrix_of_zeros() -> None:
    assert lowered(mapped((0,) * 8, 8)).results[0].attr == 0


def test_a_wide_wiring_that_is_a_few_swaps_is_made_of_those() -> None:
    """Bit 8 i + j with bit 8 j + i: before its word is cut into bytes, of which none is a wiring of one."""
    matrix = tuple(1 << (8 * (k % 8) + k // 8) for k in range(64))
    graph = mapped(matrix, 64)
    after = keeps_graph(lambda one: swapped(one, 8), graph)
    assert operations(after, Op.LINEAR) == [] and len(after.body) < 20


def test_other_wide_maps_and_narrow_ones_stay() -> None:
    shuffled = tuple(1 << (k * 27 + 5) % 64 for k in range(64))
    narrow = tuple(1 << (k ^ 1) for k in range(8))
    for matrix, width in ((shuffled, 64), (narrow, 8)):
        assert len(operations(swapped(mapped(matrix, width), 8), Op.LINEAR)) == 1
