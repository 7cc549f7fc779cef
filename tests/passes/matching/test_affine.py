"""Affine forms: every bit of a word is the XOR of the bits of leaves that its row says."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.passes.matching.affine import ONE, Forms, Leaf, affine, affine_after
from finalist.passes.matrices import apply_matrix
from tests.graphs import Shape, inputs_for, random_graph

ROWS = 4
BOX = TableData(tuple(random.Random(1).sample(range(256), 256)), 8, "box")


def holds(graph: Graph, forms: Forms, seed: int) -> None:
    """The rows of all words of the graph, on random inputs, against the interpreter."""
    words = [node for node in graph.body if isinstance(node.type, WordType)]
    rows = {node: forms(node) for node in words}
    nodes = list(dict.fromkeys([*words, *(leaf.node for leaf in forms.leaves)]))
    inputs = inputs_for(graph, ROWS, seed)
    values = interpreter.run(Graph("all", graph.params, nodes), inputs)
    known = {n: np.broadcast_to(v, ROWS).astype("u8") for n, v in zip(nodes, values, strict=True)}
    bits = {0: np.ones(ROWS, "u8")}
    for leaf in forms.leaves:
        value = known[leaf.node] if leaf.box is None else through_box(leaf, bits)
        bits |= {leaf.start + k: value >> np.uint64(k) & np.uint64(1) for k in range(leaf.width)}
    for node in words:
        for place, row in enumerate(rows[node]):
            assert np.array_equal(parity(row, bits), known[node] >> np.uint64(place) & np.uint64(1)), node


def parity(row: int, bits: dict[int, np.ndarray]) -> np.ndarray:
    total = np.zeros(ROWS, "u8")
    for bit in range(row.bit_length()):
        if row >> bit & 1:
            total = total ^ bits[bit]
    return total


def through_box(leaf: Leaf, bits: dict[int, np.ndarray]) -> np.ndarray:
    assert leaf.box is not None
    index = sum(parity(row, bits) << np.uint64(k) for k, row in enumerate(leaf.index))
    return np.array(leaf.box.values, "u8")[index]


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs(seed: int) -> None:
    graph = random_graph(seed, Shape().without(Op.LOOP, Op.WHEN, Op.ARRAY, Op.STORE, Op.LOAD, Op.APPLY))
    holds(graph, Forms(()), seed)


def word(make: Builder, width: int = 8) -> Node:
    return make.param("memory", WordType(width), "x")


@pytest.mark.parametrize(
    "how", ["shifts", "sum", "product", "choice", "mask", "or", "not", "table", "turned"]
)
def test_ways_to_say_something_affine(how: str) -> None:
    make = Builder()
    x = word(make)
    bit = make.slice(x, 7, 1)
    ways = {
        "shifts": lambda: make.make(Op.XOR, (shl(make, x, 1), shr(make, x, 3))),
        "sum": lambda: make.make(Op.ADD, (shl(make, x, 4), shr(make, x, 4))),
        "product": lambda: make.make(Op.MUL, (make.extend(bit, 8), make.const(0x1B, 8))),
        "choice": lambda: make.make(Op.SELECT, (bit, make.const(0x1B, 8), make.const(0x60, 8))),
        "mask": lambda: make.make(
            Op.AND, (make.make(Op.SUB, (make.const(0, 8), make.extend(bit, 8))), make.const(0x1B, 8))
        ),
        "or": lambda: make.make(Op.OR, (shl(make, x, 1), make.extend(bit, 8))),
        "not": lambda: make.make(Op.NOT, (x,)),
        "table": lambda: make.make(Op.LOOKUP, (x,), TableData(tuple(a * 2 % 256 ^ 9 for a in range(256)), 8)),
        "turned": lambda: make.make(Op.ROR, (x, make.const(11, 8))),
    }
    graph = Graph(how, [x], [ways[how]()])
    forms = Forms(())
    holds(graph, forms, 0)
    forms(graph.results[0])
    assert [leaf.node for leaf in forms.leaves] == [x], "more than the parameter is taken as it is"


def shl(make: Builder, x: Node, amount: int) -> Node:
    return make.make(Op.SHL, (x, make.const(amount, 8)))


def shr(make: Builder, x: Node, amount: int) -> Node:
    return make.make(Op.SHR, (x, make.const(amount, 8)))


@pytest.mark.parametrize("amount", [8, 63, 255])
def test_shifts_past_the_width(amount: int) -> None:
    make = Builder()
    x = word(make)
    forms = Forms(())
    assert forms(make.make(Op.SHL, (x, make.const(amount, 8)))) == (0,) * 8
    assert forms(make.make(Op.SHR, (x, make.const(amount, 8)))) == (0,) * 8


def test_lookups_of_one_word_in_tables_of_one_box_are_one_leaf() -> None:
    make = Builder()
    x = word(make)
    matrix = tuple(0x1010101 * (1 << k) ^ k for k in range(8))
    wide = TableData(tuple(apply_matrix(matrix, value) ^ 0xABCD for value in BOX.values), 32)
    a, b = (make.make(Op.LOOKUP, (x,), table) for table in (BOX, wide))
    forms = Forms((BOX,))
    holds(Graph("two", [x], [a, b]), forms, 3)
    assert len([leaf for leaf in forms.leaves if leaf.box]) == 1


def test_boxes_that_are_not_looked_for_are_opaque() -> None:
    make = Builder()
    x = word(make)
    node = make.make(Op.LOOKUP, (x,), BOX)
    for forms in (Forms(()), Forms((BOX,), opaque=lambda n: True)):
        assert forms.within(sum(forms(node)))[0].box is None


def test_tables_behind_a_box() -> None:
    matrix = (3, 5, 0x81, 0, 0x40, 7, 0xFFFF, 1)
    table = TableData(tuple(apply_matrix(matrix, value) ^ 0x1234 for value in BOX.values), 16)
    assert affine_after(table, BOX) == (matrix, 0x1234)
    assert affine(table) is None
    values = list(table.values)
    values[77] ^= 1
    assert affine_after(TableData(tuple(values), 16), BOX) is None
    assert affine_after(TableData((0, 1, 2, 3), 8), BOX) is None
    assert affine_after(BOX, TableData((5,) * 256, 8)) is None, "a box that is no permutation"


def test_the_leaves_of_a_row() -> None:
    make = Builder()
    x, y = word(make), word(make, 16)
    forms = Forms(())
    total = forms(x)[3] ^ forms(y)[15] ^ ONE
    assert [leaf.node for leaf in forms.within(total)] == [x, y]
    assert forms.within(ONE) == []
