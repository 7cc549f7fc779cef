"""Chains of sums and XORs as trees of least height."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.prepare.heights import Latencies, latencies_of, with_low_trees, with_shared_sums
from finalist.machines.c6x.model import processor
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph, operations

#: One lookup a cycle binds as soon as there are more of them than cycles.
QUICK, BOUND = Latencies(6, 5, 8), Latencies(6, 5, 1)


@pytest.mark.parametrize("latencies", [QUICK, BOUND])
@pytest.mark.parametrize("seed", range(8))
def test_random_graphs(seed: int, latencies: Latencies) -> None:
    keeps_graph(lambda graph: with_low_trees(graph, latencies), random_graph(f"trees {seed}"), seed)


def chain(op: Op, lookups: int) -> Graph:
    """Lookups by the bytes of words, one after the other, and a word of the key last."""
    make = Builder()
    words = [make.param("memory", WordType(32), f"w{k}") for k in range(lookups)]
    table = TableData(tuple(range(256)), 32, "T")
    key = make.param("memory", WordType(32), "key")
    found = [make.make(Op.LOOKUP, (make.slice(word, 0, 8),), table) for word in words]
    value = found[0]
    for one in (*found[1:], key):
        value = make.make(op, (value, one))
    return Graph("chain", [*words, key], [value])


def depths(node: Node, op: Op) -> dict[Node, int]:
    """By leaf of a tree how many operations stand above it."""
    found: dict[Node, int] = {}
    for child in node.inputs:
        below = depths(child, op) if child.op is op else {child: 0}
        found |= {leaf: depth + 1 for leaf, depth in below.items()}
    return found


@pytest.mark.parametrize("op", [Op.XOR, Op.ADD])
def test_lookups_that_arrive_together_are_a_tree(op: Op) -> None:
    (root,) = with_low_trees(chain(op, 4), QUICK).results
    found = depths(root, op)
    assert sorted(found.values()) == [2, 2, 2, 3, 3]
    key = next(leaf for leaf in found if leaf.op is Op.PARAM)
    assert found[key] == 3


def test_where_lookups_bind_they_enter_one_after_the_other() -> None:
    (root,) = with_low_trees(chain(Op.XOR, 24), BOUND).results
    assert sorted(depths(root, Op.XOR).values()) == [*range(1, 25), 24]


def test_parts_that_others_need_too_stay_whole() -> None:
    make = Builder()
    a, b, c = (make.param("memory", WordType(32), name) for name in "abc")
    shared = make.make(Op.XOR, (a, b))
    graph = Graph("g", [a, b, c], [make.make(Op.XOR, (shared, c)), shared])
    after = keeps_graph(lambda g: with_low_trees(g, QUICK), graph)
    assert sum(node.op is Op.XOR for node in after.body) == 2


def test_latencies_of_a_processor() -> None:
    """A load of five cycles behind its index, by two units; a product of two, two sums and a shift."""
    assert latencies_of(processor("c62x")) == Latencies(6, 5, 2)


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs_of_shared_sums(seed: int) -> None:
    keeps_graph(with_shared_sums, random_graph(f"sums {seed}"), seed)


@pytest.mark.parametrize("shared", [True, False])
def test_only_where_the_sum_is_there(shared: bool) -> None:
    make = Builder()
    a, b = make.param("memory", WordType(32), "a"), make.param("memory", WordType(32), "b")
    double = make.make(Op.ADD, (a, make.make(Op.SHL, (b, make.const(1, 8)))))
    results = [double, make.make(Op.ADD, (a, b))] if shared else [double]
    after = keeps_graph(with_shared_sums, Graph("g", [a, b], results))
    assert bool(operations(after, Op.SHL)) != shared
