"""Preparation keeps the meaning, and leaves none of the operations that no processor has."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Region, every_node
from finalist.ir.ops import SHIFTS, Op
from finalist.ir.types import ArrayType, WordType
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


@pytest.mark.parametrize(
    ("offset", "scale", "count", "reduced"),
    [(9, -1, 10, False), (36, -4, 10, False), (0, 4, 10, False), (8, -1, 10, True), (0, 4, 11, True)],
)
def test_a_place_that_stays_inside_is_not_reduced(offset: int, scale: int, count: int, reduced: bool) -> None:
    """Of a sum over an array's entries, those at ``scale * i + offset``: 37 is no power of two."""
    length = 37 if abs(scale) == 4 else 10
    make = Builder()
    array, index, total = (
        make.param(kind, type_)
        for kind, type_ in (
            ("memory", ArrayType(length, 32)),
            ("index", WordType(32)),
            ("carried", WordType(32)),
        )
    )
    place = make.make(Op.ADD, (make.make(Op.MUL, (index, make.const(scale, 32))), make.const(offset, 32)))
    body = Region(
        [index, total],
        [
            make.make(
                Op.ADD, (make.make(Op.MUL, (total, make.const(3, 32))), make.make(Op.LOAD, (array, place)))
            )
        ],
    )
    (result,) = make.loop(make.const(0, 32), make.const(count, 32), [make.const(0, 32)], body)
    out = make.make(Op.STORE, (array, make.const(0, 32), result))
    after = keeps_graph(lambda one: prepared(one, 32, {32}), Graph("sum", [array], [out]))
    (load,) = (node for node in every_node(after) if node.op is Op.LOAD)
    assert (load.inputs[1].op not in (Op.ADD, Op.SHL)) is reduced
