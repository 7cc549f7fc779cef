"""The order of a boolean function's words: what is read for the last time comes last, the key first."""

from __future__ import annotations

import random

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.machines.native.passes.rounds.overwritten import with_last_reads_last
from finalist.passes.ternary import with_ternary_gates
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph, operations

U32 = WordType(32)


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs(seed: int) -> None:
    keeps_graph(with_last_reads_last, with_ternary_gates(random_graph(f"overwritten {seed}")), seed)


@pytest.mark.parametrize("truth", random.Random(3).sample(range(256), 12))
def test_the_order(truth: int) -> None:
    make = Builder()
    x, y = make.param("memory", U32, "x"), make.param("memory", U32, "y")
    keys = make.param("key", ArrayType(4, 32), "k")
    key = make.make(Op.LOAD, (keys, make.const(1, 32)))
    first = make.make(Op.BOOL, (x, key, y), truth)
    graph = Graph("g", [x, y, keys], [first, make.make(Op.ADD, (first, y))])
    (after,) = operations(keeps_graph(with_last_reads_last, graph), Op.BOOL)
    assert [word.op for word in after.inputs] == [Op.LOAD, Op.PARAM, Op.PARAM]
    assert after.inputs[1:] == (y, x)  # y is read again


def test_a_result_is_not_overwritten() -> None:
    make = Builder()
    x, y, z = params = [make.param("memory", U32, name) for name in "xyz"]
    word = make.make(Op.ADD, (x, y))
    made = make.make(Op.BOOL, (word, y, z), 0x96)
    (after,) = operations(keeps_graph(with_last_reads_last, Graph("g", params, [word, made])), Op.BOOL)
    assert after.inputs[0].op is Op.ADD
