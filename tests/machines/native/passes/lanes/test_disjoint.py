"""Sums of words that have no bit in common: the same meaning, and one addition less."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.lanes.disjoint import with_disjoint_words_joined
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph


class Terms:
    """A graph under way: x, a, b and c, and the two words."""

    def __init__(self, width: int = 16) -> None:
        self.make = Builder()
        self.params = [self.make.param("memory", WordType(width), name) for name in "xabc"]
        self.x, self.a, self.b, self.c = self.params
        self.one = self.op(Op.AND, self.a, self.b)
        self.other = self.op(Op.AND, self.c, self.op(Op.NOT, self.b))

    def op(self, op: Op, *inputs: Node) -> Node:
        return self.make.make(op, inputs)

    def joined(self, *results: Node) -> Graph:
        before = Graph("sums", self.params, list(results))
        return keeps_graph(with_disjoint_words_joined, before)


def count(graph: Graph, op: Op) -> int:
    return sum(node.op is op for node in graph.body)


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_sums_in_every_order(width: int) -> None:
    t = Terms(width)
    for first, second in ((t.one, t.other), (t.other, t.one)):
        inner = [t.op(Op.ADD, t.x, first), t.op(Op.ADD, first, t.x)]
        sums = [t.op(Op.ADD, *pair) for one in inner for pair in ((one, second), (second, one))]
        for total in sums:
            after = t.joined(total)
            assert (count(after, Op.ADD), count(after, Op.OR)) == (1, 1)


def test_differences_take_both_words_at_once() -> None:
    t = Terms()
    after = t.joined(t.op(Op.SUB, t.op(Op.SUB, t.x, t.one), t.other))
    assert (count(after, Op.SUB), count(after, Op.OR)) == (1, 1)


def test_what_else_stays_as_it_is() -> None:
    """A difference that is taken away, a sum and a difference, bits in common, a part that others take."""
    t = Terms()
    common = t.op(Op.AND, t.c, t.op(Op.NOT, t.x))
    part = t.op(Op.ADD, t.x, t.one)
    for results in (
        [t.op(Op.SUB, t.one, t.op(Op.SUB, t.x, t.other))],
        [t.op(Op.SUB, part, t.other)],
        [t.op(Op.ADD, t.op(Op.ADD, t.x, t.one), common)],
        [t.op(Op.ADD, part, t.other), t.op(Op.XOR, part, t.c)],
        [t.op(Op.XOR, t.x, t.c)],
    ):
        assert count(t.joined(*results), Op.OR) == 0


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs(seed: int) -> None:
    keeps_graph(with_disjoint_words_joined, random_graph(f"disjoint {seed}"), seed)
