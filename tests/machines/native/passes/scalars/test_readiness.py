"""What is ready last is added last; nothing is added that was not there."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.scalars.readiness import by_readiness
from tests.passes.meaning import keeps_graph, operations


def words(make: Builder, count: int) -> list[Node]:
    return [make.param("memory", WordType(32), f"x{k}") for k in range(count)]


@pytest.mark.parametrize("op", [Op.ADD, Op.XOR])
def test_the_late_term_is_added_last(op: Op) -> None:
    make = Builder()
    a, b, c = words(make, 3)
    late = make.make(Op.MUL, [c, c])
    early = make.make(op, [make.make(op, [a, late]), b])
    graph = keeps_graph(by_readiness, Graph("g", [a, b, c], [early]))
    (product,) = operations(graph, Op.MUL)
    assert product in graph.results[0].inputs
    assert len(operations(graph, op)) == 2


def test_a_chain_becomes_a_tree() -> None:
    make = Builder()
    terms = words(make, 8)
    total = terms[0]
    for term in terms[1:]:
        total = make.make(Op.ADD, [total, term])
    graph = keeps_graph(by_readiness, Graph("g", terms, [total]))
    assert len(graph.body) == 7 and _depth(graph.results[0]) == 3


def test_a_sum_with_other_users_stays_whole() -> None:
    make = Builder()
    a, b, c = words(make, 3)
    shared = make.make(Op.ADD, [a, make.make(Op.MUL, [c, c])])
    graph = Graph("g", [a, b, c], [make.make(Op.ADD, [shared, b]), make.make(Op.NOT, [shared])])
    assert len(keeps_graph(by_readiness, graph).body) == len(graph.body)


def test_sums_of_different_kinds_do_not_mix() -> None:
    make = Builder()
    a, b, c = words(make, 3)
    graph = Graph("g", [a, b, c], [make.make(Op.XOR, [make.make(Op.ADD, [a, b]), c])])
    assert keeps_graph(by_readiness, graph) is not None
    assert by_readiness(graph) is graph


def _depth(node: Node) -> int:
    return 1 + max(map(_depth, node.inputs)) if node.inputs else 0
