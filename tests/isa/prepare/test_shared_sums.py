"""a + 2b by way of a + b."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.prepare.shared_sums import with_shared_sums
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph, operations


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs(seed: int) -> None:
    keeps_graph(with_shared_sums, random_graph(f"sums {seed}"), seed)


@pytest.mark.parametrize("shared", [True, False])
def test_only_where_the_sum_is_there(shared: bool) -> None:
    make = Builder()
    a, b = make.param("memory", WordType(32), "a"), make.param("memory", WordType(32), "b")
    double = make.make(Op.ADD, (a, make.make(Op.SHL, (b, make.const(1, 8)))))
    results = [double, make.make(Op.ADD, (a, b))] if shared else [double]
    after = keeps_graph(with_shared_sums, Graph("g", [a, b], results))
    assert bool(operations(after, Op.SHL)) != shared
