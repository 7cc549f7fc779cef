"""Indices of six and seven bits, taken as bytes."""

from __future__ import annotations

import random

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.scalars.byte_indices import with_byte_indices
from tests.passes.meaning import keeps_graph, operations

_RANDOM = random.Random(4)


def table(bits: int, width: int = 32, number: int = 0) -> TableData:
    return TableData(tuple(_RANDOM.getrandbits(width) for _ in range(1 << bits)), width, f"T{number}")


def lookups(bits: int, low: int, tables: int = 1, *, width: int = 32) -> Graph:
    make = Builder()
    x = make.param("memory", WordType(32), "x")
    index = make.slice(x, low, bits)
    found = [make.make(Op.LOOKUP, (index,), table(bits, width, k)) for k in range(tables)]
    return Graph("toy", [x], found)


@pytest.mark.parametrize("low", [0, 8, 16, 24])
@pytest.mark.parametrize("bits", [6, 7])
def test_a_short_index_becomes_a_byte(bits: int, low: int) -> None:
    after = keeps_graph(with_byte_indices, lookups(bits, low))
    (node,) = operations(after, Op.LOOKUP)
    assert node.inputs[0].width == 8 and node.inputs[0].attr == low and len(node.attr.values) == 256


@pytest.mark.parametrize(("bits", "low"), [(8, 8), (5, 8), (6, 1), (6, 26)])
def test_others_stay(bits: int, low: int) -> None:
    graph = lookups(bits, low)
    assert with_byte_indices(graph) is graph


def test_tables_stay_small() -> None:
    assert with_byte_indices(fits := lookups(6, 8, tables=16)) is not fits
    assert with_byte_indices(too_many := lookups(6, 8, tables=17)) is too_many
    assert with_byte_indices(wide := lookups(6, 8, tables=9, width=64)) is wide
