"""A product of one more than a multiple is multiplied first, and the same product."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.scalars.products import with_products_first
from finalist.machines.tracing import traced as trace
from finalist.passes.pipeline import lower
from tests.passes.meaning import keeps_graph, operations


def product(*, places: int, more: int, width: int = 32, swapped: bool = False) -> Graph:
    """``x (more + (y << places))``."""
    make = Builder()
    x, y = (make.param("memory", WordType(width), name) for name in "xy")
    moved = make.make(Op.SHL, [y, make.const(places, width)])
    factor = make.make(
        Op.ADD, [make.const(more, width), moved] if swapped else [moved, make.const(more, width)]
    )
    return Graph("g", [x, y], [make.make(Op.MUL, [factor, x] if swapped else [x, factor])])


def waits(graph: Graph) -> bool:
    """Whether a product is of a sum."""
    return any(child.op is Op.ADD for node in operations(graph, Op.MUL) for child in node.inputs)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("width", [8, 32, 64])
@pytest.mark.parametrize("places", [1, 3])
def test_it_is_multiplied_first(places: int, width: int, swapped: bool) -> None:
    given = product(places=places, more=1, width=width, swapped=swapped)
    graph = keeps_graph(with_products_first, given)
    assert waits(given) and not waits(graph) and len(graph.body) == len(given.body)


@pytest.mark.parametrize(("places", "more"), [(1, 3), (4, 1)])
def test_other_sums_are_left(places: int, more: int) -> None:
    given = product(places=places, more=more)
    assert with_products_first(given) is given


def test_a_factor_that_others_use_stays() -> None:
    make = Builder()
    x: Node = make.param("memory", WordType(32), "x")
    factor = make.make(Op.ADD, [make.make(Op.SHL, [x, make.const(1, 32)]), make.const(1, 32)])
    given = Graph("g", [x], [make.make(Op.MUL, [x, factor]), factor])
    graph = keeps_graph(with_products_first, given)
    assert not waits(graph) and graph.results[1].op is Op.ADD


def test_the_square_of_rc6() -> None:
    graph = keeps_graph(with_products_first, lower(trace(cipher("rc6"), "encrypt", 128), 32).kernel)
    products = operations(graph, Op.MUL)
    assert len(products) == 40 and all(one is other for one, other in (node.inputs for node in products))
