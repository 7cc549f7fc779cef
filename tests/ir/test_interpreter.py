"""The interpreter against a second meaning of every operation, in Python's unbounded integers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalist.errors import GraphError
from finalist.ir import interpreter
from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import COMPARISONS, SAME_WIDTH, SHIFTS, Op
from finalist.ir.types import ArrayType, WordType
from finalist.ir.verify import verify
from finalist.language import Array, loop, when
from tests.graphs import WIDTHS, examples, graphs, inputs_for, random_graph
from tests.language.toy import toy, traced
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


# -- arrays are written in place ----------------------------------------------------------------------


def held(function: Callable[..., Any], *columns: Sequence[int]) -> None:
    """A definition on words of 32 bits, each block with its own: the model gives the same for each."""
    program = traced(toy(lambda block, keys: results(function, block), lambda key: []))
    values = [np.array(column, "u4") for column in columns]
    values += [np.zeros(len(columns[0]), "u4")] * (4 - len(columns))
    agree(program.kernel, values)


def results(function: Callable[..., Any], block: Sequence[Any]) -> list[Any]:
    made = function(*block)
    return [word.extend(32) for word in made] + list(block[len(made) :])


SMALL = ([0, 1, 2, 3, 4, 5, 6, 7], [3, 0, 7, 1, 2, 2, 0, 5])


def test_values_read_before_a_write_stay() -> None:
    """They are no views of what is overwritten later."""

    def function(x, y, *rest):
        A = Array.holding([x, y, x + y])
        fixed, placed = A[0], A[x]
        A[0], A[x], A[1] = y + 100, x + 200, A[2]
        return [fixed, placed, A[0], A[y]]

    held(function, *SMALL)


def test_values_read_before_a_write_of_all_blocks_alike() -> None:
    """Where neither the array nor the place differs from block to block."""

    def function(x, y, *rest):
        A = Array(4, 32, [1, 2, 3, 4])
        before = A[1]
        A[1] = A[0] + A[2]
        again = A[1]
        A[x] = before
        return [before, again, A[1], A[y]]

    held(function, *SMALL)


def test_exchanges() -> None:
    def function(x, y, *rest):
        A = Array.holding([x, y, x ^ y, x + 9])
        for i in loop(0, 4):
            A[i], A[A[i]] = A[A[i]], A[i]
        return list(A)

    held(function, *SMALL)


def test_bounds_and_conditions_of_each_block_in_one_another() -> None:
    def function(x, y, *rest):
        A = Array(4, 32, [1, 2, 3, 4])
        for i in loop(y, x):
            with when(A[i] > i):
                A[i + 1] = A[i + 1] + A[i]
                for j in loop(i, A[i] & 7):
                    with when((j ^ x)[0] == 1):
                        A[j] = A[j] ^ x + j
            with when(A[i + 1] <= i + y):
                A[0] = A[0] + 1
        return list(A)

    held(function, *SMALL)


def test_nothing_happens_where_no_block_takes_part() -> None:
    def function(x, y, *rest):
        A = Array.holding([x, y])
        with when(x > 1000):
            A[0] = A[1]
        for i in loop(x + 1, x):
            A[1] = i
        with when(x == x):
            A[1] = A[1] + 1
        return list(A)

    held(function, *SMALL)


def test_arrays_that_are_made_in_a_loop_are_new_at_every_turn_and_for_each_block() -> None:
    def function(x, y, *rest):
        total = Array(2, 32)
        for i in loop(0, x):
            A = Array(3, 32, [5, 6, 7])
            with when(i > y):
                A[i] = A[i + 1] + x
            for j in loop(0, y):
                A[j] = A[j] + 1
            total[0] = total[0] + A[0]
            total[1] = total[1] ^ A[i]
        return list(total)

    held(function, *SMALL)


def test_an_array_from_outside_a_loop_starts_anew_each_turn() -> None:
    """The outer loop does not carry it, so what an inner one does to it is gone the turn after."""
    make = Builder()
    stop, c = make.param("memory", WordType(32), "n"), make.param("memory", WordType(1), "c")
    array, one = make.array([1, 2, 3], 32), make.const(1, 32)
    index, total = make.param("index", WordType(32), "i"), make.param("carried", WordType(32), "t")
    inner, j = make.param("carried", ArrayType(3, 32), "a"), make.param("index", WordType(32), "j")
    entry = make.make(Op.ADD, [make.make(Op.LOAD, [inner, j]), make.make(Op.ADD, [index, one])])
    written = make.make(Op.STORE, [inner, j, entry])
    (looped,) = make.loop(make.const(0, 32), index, [array], Region([j, inner], [written]))
    chosen = make.param("carried", ArrayType(3, 32), "b")
    stored = make.make(Op.STORE, [chosen, index, total])
    (kept,) = make.results(make.make(Op.WHEN, [c, looped], Region([chosen], [stored])))
    total_after = total
    for place in range(3):
        load = make.make(Op.LOAD, [kept, make.const(place, 32)])
        total_after = make.make(Op.ADD, [make.make(Op.ROL, [total_after, make.const(3, 8)]), load])
    (result,) = make.loop(make.const(0, 32), stop, [one], Region([index, total], [total_after]))
    graph = Graph("anew", [stop, c], [result])
    verify(graph)
    agree(graph, [np.array([0, 1, 2, 3, 4, 4, 7], "u4"), np.array([1, 0, 1, 0, 1, 0, 1], "u1")])
    agree(graph, [np.array([4] * 3, "u4"), np.array([1, 1, 1], "u1")])


@pytest.mark.parametrize("shared", [True, False], ids=["one key", "a key a block"])
@pytest.mark.parametrize("way", ["store", "loop", "when"])
def test_a_key_array_is_never_changed(way: str, shared: bool) -> None:
    """A kernel may overwrite it for itself; the next call finds it as it was."""

    def encrypt(block, keys):
        A, x = keys, block[0]
        if way == "store":
            A[0] = x
            A[x] = A[0] + 1
        elif way == "loop":
            for i in loop(0, x & 3):
                A[i] = A[i + 1] + x
        else:
            with when(x[0] == 1):
                A[x] = x
        return [A[0], A[1], A[2], A[3]]

    kernel = traced(toy(encrypt, Array.holding)).kernel
    block = [np.array([5, 2, 7, 8], "u4") + np.uint32(k) for k in range(4)]
    key = np.array([10, 20, 30, 40], "u4")
    key = key if shared else np.stack([key + np.uint32(k) for k in range(4)])
    before = key.copy()
    first, second = (interpreter.run(kernel, [*block, key]) for _ in range(2))
    assert np.array_equal(key, before)
    assert rows(first) == rows(second)
    agree(kernel, [*block, np.broadcast_to(key, (4, 4))])


def test_an_old_version_can_not_be_read() -> None:
    """After its overwriting by what it needs itself; the order makes sure, or there is none."""
    make = Builder()
    old = make.array([1, 2], 32)
    new = make.make(Op.STORE, [old, make.const(0, 32), make.const(7, 32)])
    late = make.make(Op.LOAD, [old, make.const(0, 32)])
    fine = Graph("late", [], [late, new])
    assert rows(interpreter.run(fine, [])) == [1, [7, 2]]
    needs = make.make(Op.LOAD, [old, make.make(Op.LOAD, [new, make.const(0, 32)])])
    with pytest.raises(GraphError, match="read after it was overwritten"):
        Graph("needs", [], [needs, new])


def test_remainders_by_zero() -> None:
    """The word itself, also where only some blocks divide by zero."""
    graph = one_operation(Op.REM, 32)
    found = interpreter.run(graph, [np.array([7, 7, 0, 9], "u4"), np.array([0, 4, 0, 1], "u4")])
    assert rows(found) == [[7, 3, 0, 0]]
    assert rows(interpreter.run(graph, [np.array(7, "u4"), np.array(0, "u4")])) == [7]
