"""The interpreter against a second meaning of every operation, in Python's unbounded integers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalist.ir import interpreter
from finalist.ir.builder import Builder, mask
from finalist.ir.graph import ArrayType, Graph, Node, Region, WordType
from finalist.ir.ops import COMPARISONS, SAME_WIDTH, SHIFTS, Op
from tests.graphs import WIDTHS, examples, graphs, inputs_for, random_graph
from tests.model import evaluate

ALL_WIDTHS = range(1, 65)


def rows(values: list[Any]) -> list[list[int]]:
    """Arrays of the interpreter as lists of Python integers, a row a block."""
    return [np.asarray(value).tolist() for value in values]


def agree(graph: Graph, inputs: list[np.ndarray]) -> None:
    """The interpreter on all rows at once is the model on each row."""
    count = len(inputs[0])
    found = interpreter.run(graph, inputs)
    for result, value in zip(graph.results, found, strict=True):
        if result.op is not Op.CONST:
            assert value.dtype == interpreter.dtype(result.width)
    spread = [
        np.broadcast_to(v, (count, *v.shape[v.ndim - _axes(r) :]))
        for r, v in zip(graph.results, found, strict=True)
    ]
    for row in range(count):
        expected = evaluate(graph, [value[row].tolist() for value in inputs])
        assert [value[row].tolist() for value in spread] == expected


def _axes(node: Node) -> int:
    return 1 if isinstance(node.type, ArrayType) else 0


def interesting(width: int, count: int, source: random.Random) -> list[int]:
    top = mask(width)
    edges = [0, 1, top, top >> 1, 1 << (width - 1)]
    return edges + [source.getrandbits(width) for _ in range(count)]


def one_operation(op: Op, width: int, amount: int = 8) -> Graph:
    """op(p0, p1) on words of this width."""
    make = Builder()
    count = 1 if op is Op.NOT else 2
    widths = [width, amount] if op in SHIFTS else [width] * count
    params = [make.param("memory", WordType(w), f"p{k}") for k, w in enumerate(widths)]
    return Graph(op.label, params, [make.make(op, params)])


@pytest.mark.parametrize("op", sorted({*SAME_WIDTH, *COMPARISONS, Op.NOT}, key=lambda op: op.name))
def test_arithmetic_at_all_widths(op: Op) -> None:
    source = random.Random(op.name)
    for width in ALL_WIDTHS:
        graph = one_operation(op, width)
        values = interesting(width, 4, source)
        pairs = [(a, b) for a in values for b in values]
        columns = list(zip(*pairs, strict=True))[: len(graph.params)]
        agree(graph, [np.array(column, interpreter.dtype(width)) for column in columns])


@pytest.mark.parametrize("op", sorted(SHIFTS, key=lambda op: op.name))
@pytest.mark.parametrize("amount_width", [1, 8, 33, 64])
def test_shifts_by_any_amount(op: Op, amount_width: int) -> None:
    """By 0, by the width, past it, and by the greatest amounts that a word can hold."""
    source = random.Random(op.name)
    for width in ALL_WIDTHS:
        around = [width - 1, width, width + 1, 2 * width, 2 * width + 1]
        amounts = [*(n & mask(amount_width) for n in around), *interesting(amount_width, 1, source)]
        pairs = [(a, n) for a in interesting(width, 2, source) for n in amounts]
        words, turns = zip(*pairs, strict=True)
        dtypes = interpreter.dtype(width), interpreter.dtype(amount_width)
        agree(
            one_operation(op, width, amount_width), [np.array(words, dtypes[0]), np.array(turns, dtypes[1])]
        )


@pytest.mark.parametrize("op", [Op.SLICE, Op.EXTEND])
def test_conversions_between_all_widths(op: Op) -> None:
    source = random.Random(1)
    for width in ALL_WIDTHS:
        make = Builder()
        param = make.param("memory", WordType(width), "p")
        if op is Op.SLICE:
            results = [
                make.slice(param, low, n) for n in (1, (width + 1) // 2, width) for low in (0, width - n)
            ]
        else:
            results = [make.extend(param, wider) for wider in {width, min(64, width + 1), 64}]
        values = np.array(interesting(width, 4, source), interpreter.dtype(width))
        agree(Graph("convert", [param], results), [values])


@given(graphs(), st.integers(0, 99))
@examples
def test_random_graphs(graph: Graph, seed: int) -> None:
    agree(graph, inputs_for(graph, 5, seed))


@given(graphs(), st.integers(0, 99))
@examples
def test_values_shared_by_all_blocks_broadcast(graph: Graph, seed: int) -> None:
    """A parameter given once, for all blocks, means the same as one repeated for each."""
    inputs = inputs_for(graph, 3, seed)
    shared = [value[0] if k % 2 else value for k, value in enumerate(inputs)]
    repeated = [np.stack([value[0]] * 3) if k % 2 else value for k, value in enumerate(inputs)]
    found = interpreter.run(graph, shared)
    for result, a, b in zip(graph.results, found, interpreter.run(graph, repeated), strict=True):
        assert np.array_equal(np.broadcast_to(a, b.shape), b), result


@pytest.mark.parametrize("width", WIDTHS)
def test_storage_is_the_smallest_type(width: int) -> None:
    bits = interpreter.dtype(width).itemsize * 8
    assert bits >= width
    assert bits == 8 or bits // 2 < width


def test_a_loop_has_each_block_its_own_bounds() -> None:
    """Sums 0 + 1 + .. below each block's own bound; one bound is zero, one lies before the start."""
    make = Builder()
    start, stop = (make.param("memory", WordType(32), name) for name in ("start", "stop"))
    index, total = make.param("index", WordType(32), "i"), make.param("carried", WordType(32), "t")
    region = Region([index, total], [make.make(Op.ADD, [total, index])])
    (result,) = make.loop(start, stop, [make.const(0, 32)], region)
    graph = Graph("sum", [start, stop], [result])
    starts, stops = np.array([0, 0, 5, 2, 0], "u4"), np.array([5, 0, 2, 9, 1], "u4")
    assert rows(interpreter.run(graph, [starts, stops])) == [[10, 0, 0, 35, 0]]


def test_a_loop_near_the_greatest_index_ends() -> None:
    make = Builder()
    start = make.param("memory", WordType(32), "start")
    index, last = make.param("index", WordType(32), "i"), make.param("carried", WordType(32), "t")
    region = Region([index, last], [make.make(Op.XOR, [index, make.const(0, 32)])])
    (result,) = make.loop(start, make.const(mask(32), 32), [make.const(7, 32)], region)
    graph = Graph("last", [start], [result])
    starts = np.array([mask(32) - 2, mask(32)], "u4")
    assert rows(interpreter.run(graph, [starts])) == [[mask(32) - 1, 7]]


def test_when_and_arrays_are_for_each_block() -> None:
    """Where the bit is set the block's own entry is overwritten; the others keep theirs."""
    make = Builder()
    bit, place = make.param("memory", WordType(1), "c"), make.param("memory", WordType(8), "i")
    array = make.array([1, 2, 3], 16)
    carried = make.param("carried", ArrayType(3, 16), "a")
    written = make.make(Op.STORE, [carried, place, make.const(9, 16)])
    node = make.make(Op.WHEN, [bit, array], Region([carried], [written]))
    (result,) = make.results(node)
    graph = Graph("when", [bit, place], [result])
    found = interpreter.run(graph, [np.array([1, 0, 1], "u1"), np.array([0, 1, 5], "u1")])
    assert rows(found) == [[[9, 2, 3], [1, 2, 3], [1, 2, 9]]]


def test_no_blocks_at_all() -> None:
    """Zero rows are data like any other; what depends on no input may still have its one value."""
    for seed in range(50):
        graph = random_graph(seed)
        found = interpreter.run(graph, [value[:0] for value in inputs_for(graph, 1)])
        for result, value in zip(graph.results, found, strict=True):
            assert value.ndim == _axes(result) or len(value) == 0
