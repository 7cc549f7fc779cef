"""Products of long words by halves: exact at the edges, and whatever was added to them goes into them."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.lanes.halves import with_half_products, with_small_amounts
from finalist.machines.tracing import traced
from finalist.passes.simplify import simplified, simplify
from tests.graphs import random_program
from tests.passes.meaning import keeps_graph, operations

TOP, HALF = (1 << 64) - 1, 1 << 32
#: Of the words x, y and k below: two of the block, and one of the key.
KINDS = ("memory", "memory", "key")
#: Words at which carries begin and end.
EDGES = np.array(
    [
        0,
        1,
        13,
        HALF - 1,
        HALF,
        HALF + 1,
        1 << 63,
        TOP - HALF,
        TOP - HALF + 1,
        TOP - 1,
        TOP,
        0x123456789ABCDEF0,
    ],
    "u8",
)


@pytest.mark.parametrize("seed", range(20))
def test_random_kernels(seed: int) -> None:
    keeps_graph(with_half_products, simplified(random_program(f"halves {seed}").kernel), seed)


def multiply_add(of: str = "sum", order: int = 1) -> Graph:
    """Both halves of x y + k + x; ``of``: what the carry is told by comparing the sum with."""
    make = Builder(simplify)
    x, y, k = (make.param(kind, WordType(64), name) for kind, name in zip(KINDS, "xyk", strict=True))
    low, high = make.make(Op.MUL, (x, y)), make.make(Op.MULHI, (x, y))
    for addend in (k, x):
        total = make.make(Op.ADD, (low, addend)[::order])
        part = addend if of == "addend" else low
        carry = make.extend(make.make(Op.LT, (total, part)), 64)
        low, high = total, make.make(Op.ADD, (high, carry)[::order])
    return Graph("g", [x, y, k], [low, high])


@pytest.mark.parametrize("of", ["sum", "addend"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_product_with_words_added_is_exact(of: str, order: int) -> None:
    graph = multiply_add(of, order)
    after = keeps_graph(with_half_products, graph)
    assert not operations(after, Op.MULHI) and not operations(after, Op.LT)
    assert len(operations(after, Op.MUL)) == 4
    for key in EDGES:
        x, y = (grid.ravel() for grid in np.meshgrid(EDGES, EDGES))
        low, high = interpreter.run(after, [x, y, np.full(x.shape, key)])
        exact = [int(a) * int(b) + int(key) + int(a) for a, b in zip(x, y, strict=True)]
        assert [int(h) << 64 | int(m) for h, m in zip(high, low, strict=True)] == exact


def test_two_words_are_added_and_no_more() -> None:
    """A third would not fit; its carry stays a comparison."""
    graph = multiply_add()
    make = Builder(simplify)
    low, high = graph.results
    total = make.make(Op.ADD, (low, graph.params[1]))
    carry = make.extend(make.make(Op.LT, (total, low)), 64)
    longer = Graph("g", graph.params, [total, make.make(Op.ADD, (high, carry))])
    after = keeps_graph(with_half_products, longer)
    assert len(operations(after, Op.LT)) == 1 and not operations(after, Op.MULHI)


def comparing(less: bool) -> Graph:
    """A product whose upper half a bit is added to that is no carry."""
    make = Builder(simplify)
    x, y = (make.param("memory", WordType(64), name) for name in "xy")
    low, high = make.make(Op.MUL, (x, y)), make.make(Op.MULHI, (x, y))
    total = make.make(Op.ADD, (low, x))
    bit = make.make(Op.LT, (total, y) if less else (low, total))
    return Graph("g", [x, y], [total, make.make(Op.ADD, (high, make.extend(bit, 64)))])


@pytest.mark.parametrize("less", [True, False])
def test_what_is_no_carry_is_added_as_it_is(less: bool) -> None:
    after = keeps_graph(with_half_products, comparing(less))
    assert len(operations(after, Op.LT)) == 1 and not operations(after, Op.MULHI)


def test_halves_that_change_places_are_a_rotation() -> None:
    make = Builder(simplify)
    x = make.param("memory", WordType(64), "x")
    parts: tuple[Node, ...] = (make.slice(x, 24, 40), make.slice(x, 0, 24))
    after = keeps_graph(with_half_products, Graph("g", [x], [make.make(Op.JOIN, parts)]))
    assert [node.op for node in after.body] == [Op.ROL]


def test_dfc_has_no_comparison_but_the_last() -> None:
    kernel = with_half_products(simplified(traced(cipher("dfc"), "encrypt", 128).kernel))
    assert not operations(kernel, Op.MULHI)
    assert len(operations(kernel, Op.LT)) == 8


@pytest.mark.parametrize("turn", [Op.ROL, Op.ROR])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("amount_width", [8, 16, 32, 64])
def test_top_bits_become_a_shift(width: int, amount_width: int, turn: Op) -> None:
    bits = width.bit_length() - 1
    make = Builder()
    x, n = make.param("memory", WordType(width), "x"), make.param("memory", WordType(amount_width), "n")
    turned = make.make(Op.ROL, [n, make.const(bits, 8)])
    graph = keeps_graph(with_small_amounts, Graph("g", [x, n], [make.make(turn, [x, turned])]))
    (rotation,) = operations(graph, turn)
    assert rotation.inputs[1].op is (Op.SHR if bits < amount_width else Op.ROL)


@pytest.mark.parametrize(("width", "by"), [(32, 4), (32, 6), (33, 5), (24, 4), (31, 5), (1, 1)])
def test_others_stay(width: int, by: int) -> None:
    """Where the word's width is no power of two, or the bits brought down are more or fewer."""
    make = Builder()
    x, n = make.param("memory", WordType(width), "x"), make.param("memory", WordType(32), "n")
    turned = make.make(Op.ROL, [n, make.const(by, 8)])
    graph = keeps_graph(with_small_amounts, Graph("g", [x, n], [make.make(Op.ROL, [x, turned])]))
    assert not operations(graph, Op.SHR)


def test_a_small_amount_that_turns_all_the_way() -> None:
    """A five-bit amount turned by five is itself; by five of four bits it is turned by one."""
    for amount_width in (5, 4, 3):
        make = Builder()
        x, n = make.param("memory", WordType(32), "x"), make.param("memory", WordType(amount_width), "n")
        turned = make.make(Op.ROL, [n, make.const(5, 8)])
        keeps_graph(with_small_amounts, Graph("g", [x, n], [make.make(Op.ROR, [x, turned])]))
