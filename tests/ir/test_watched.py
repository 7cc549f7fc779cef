"""Values of nodes in the middle of a graph, as they are when they are made."""

from __future__ import annotations

import numpy as np

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Region
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.ir.watched import reachable, values

make = Builder()
A, B = (make.param("memory", WordType(8), name) for name in "ab")
INSIDE = make.param("carried", WordType(8), "x")
INDEX = make.param("index", WordType(32), "i")
SUM = make.make(Op.ADD, (A, B))
TWICE = make.make(Op.ADD, (INSIDE, INSIDE))
STRAY = make.make(Op.XOR, (TWICE, A))
NUMBER = make.const(9, 8)
LOOP = make.loop(make.const(0, 32), make.const(3, 32), [SUM], Region([INDEX, INSIDE], [TWICE]))
GRAPH = Graph("g", [A, B], LOOP)
ALONE = make.make(Op.SUB, (A, NUMBER))


def test_what_lies_in_a_loop_cannot_be_reached() -> None:
    """Nor what needs that; the loop's own results can, and what is no part of the graph."""
    nodes = [A, SUM, TWICE, STRAY, INSIDE, LOOP[0], ALONE, NUMBER]
    assert reachable(nodes, GRAPH) == {A, SUM, LOOP[0], ALONE, NUMBER}
    assert reachable([B], Graph("h", [A], [A])) == set()


def test_values_of_results_and_of_nodes() -> None:
    a, b = np.array([1, 250], np.uint8), np.array([2, 9], np.uint8)
    results, found = values(GRAPH, [a, b], [A, SUM, ALONE, NUMBER])
    assert [list(map(int, one)) for one in results] == [[24, 24]]
    told = {node: np.broadcast_to(value, 2).tolist() for node, value in found.items()}
    assert told == {A: [1, 250], SUM: [3, 3], ALONE: [248, 241], NUMBER: [9, 9]}


def test_an_array_is_as_it_was_then() -> None:
    """What is written into it later is not in it."""
    array = make.array([5, 6], 8)
    first = make.make(Op.STORE, (array, make.const(0, 32), A))
    second = make.make(Op.STORE, (first, make.const(1, 32), A))
    graph = Graph("h", [A], [second])
    _, found = values(graph, [np.array([7], np.uint8)], [first, second])
    assert [np.squeeze(found[node]).tolist() for node in (first, second)] == [[7, 6], [7, 7]]
