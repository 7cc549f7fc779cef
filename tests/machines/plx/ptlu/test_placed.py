"""Bytes from tables, joined: words from tables with the bytes in their places."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.plx.ptlu.placed import with_placed_tables
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph, operations


def joined(parts: int) -> Graph:
    make = Builder()
    words = [make.param("memory", WordType(8), f"x{k}") for k in range(parts)]
    table = TableData(tuple((7 * k + 3) % 256 for k in range(256)), 8, "S")
    return Graph("g", words, [make.make(Op.JOIN, [make.make(Op.LOOKUP, [word], table) for word in words])])


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs(seed: int) -> None:
    keeps_graph(lambda graph: with_placed_tables(graph, 99, 64), random_graph(f"placed {seed}"), seed)


@pytest.mark.parametrize(("most", "widest", "done"), [(4, 32, True), (3, 32, False), (4, 16, False)])
def test_as_far_as_there_is_room(most: int, widest: int, done: bool) -> None:
    after = keeps_graph(lambda graph: with_placed_tables(graph, most, widest), joined(4))
    assert bool(operations(after, Op.JOIN)) != done
    assert {node.width for node in operations(after, Op.LOOKUP)} == ({32} if done else {8})
