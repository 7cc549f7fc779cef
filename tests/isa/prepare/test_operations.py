"""Preparation keeps the meaning, and leaves none of the operations that no processor has."""

from __future__ import annotations

import pytest

from finalist.ir.graph import every_node
from finalist.ir.ops import SHIFTS, Op
from finalist.isa.prepare.operations import prepared
from finalist.passes import legalise
from finalist.passes.analysis import greatest
from tests.graphs import EVERYTHING, random_graph
from tests.passes.meaning import keeps_graph

SHAPE = EVERYTHING.without(Op.LINEAR, Op.APPLY)


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("seed", range(15))
def test_random_graphs(seed: int, width: int) -> None:
    graph = legalise.legalised(random_graph(f"prepare {seed}", SHAPE), width)
    after = keeps_graph(lambda one: prepared(one, width, {32, width}), graph, seed)
    for node in every_node(after):
        assert node.op not in (Op.REM, Op.BOOL)
        if node.op in SHIFTS and node.inputs[1].op is not Op.CONST and node.width not in (32, width):
            assert node.op in (Op.SHL, Op.SHR)
            assert greatest(node.inputs[1]) < width
