"""Tables and indices of loops in the words that a processor has."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.prepare.narrow_tables import narrowed
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph


def narrow(graph: Graph) -> Graph:
    return narrowed(graph, 8)


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs(seed: int) -> None:
    keeps_graph(narrow, random_graph(f"narrow {seed}"), seed)


def swapped_entry(make: Builder, values: tuple[int, ...]) -> Graph:
    """An entry of an array, and its complement put back, at a place from a table of 32-bit entries."""
    array = make.param("memory", ArrayType(256, 8), "array")
    x = make.param("memory", WordType(2), "x")
    place = make.make(Op.LOOKUP, (x,), TableData(values, 32))
    entry = make.make(Op.LOAD, (array, place))
    written = make.make(Op.STORE, (array, place, make.make(Op.NOT, (entry,))))
    return Graph("g", [array, x], [entry, written, make.make(Op.ADD, (place, make.const(1, 32)))], ())


def widths(graph: Graph, op: Op) -> list[int]:
    return [word(node).width for node in every_node(graph) if node.op is op]


def word(node: Node) -> WordType:
    """What a lookup gives, or the index of what is loaded or stored."""
    type_ = node.type if node.op is Op.LOOKUP else node.inputs[1].type
    assert isinstance(type_, WordType)
    return type_


def test_places_of_an_array() -> None:
    """All three uses keep their values; a place needs 8 bits, the sum 32."""
    after = keeps_graph(narrow, swapped_entry(Builder(), (7, 255, 0, 7)), 1)
    assert widths(after, Op.LOOKUP) == [8]
    assert widths(after, Op.LOAD) == widths(after, Op.STORE) == [8]


def test_an_entry_that_does_not_fit() -> None:
    after = keeps_graph(narrow, swapped_entry(Builder(), (7, 256, 0, 7)), 1)
    assert widths(after, Op.LOOKUP) == widths(after, Op.LOAD) == [32]
