"""Bytes taken from a rotated word that is there anyway."""

from __future__ import annotations

import random
from typing import Any

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.scalars.alignment import aligned, with_byte_indices
from tests.passes.meaning import keeps_graph, operations


def slices(turn: Op, amount: int, low: int, *, bits: int = 8, width: int = 32, used: bool = True) -> Graph:
    """A slice of a word, beside a rotation of it."""
    make = Builder()
    x = make.param("memory", WordType(width), "x")
    rotated = make.make(turn, [x, make.const(amount, 8)])
    taken = make.make(Op.SLICE, [x], low, type_=WordType(bits))
    return Graph("g", [x], [rotated, taken] if used else [taken])


def source(graph: Graph) -> tuple[Op, int]:
    (node,) = operations(graph, Op.SLICE)
    return node.inputs[0].op, node.attr


@pytest.mark.parametrize(
    ("turn", "amount", "low", "place"),
    [(Op.ROL, 31, 1, 0), (Op.ROL, 31, 17, 16), (Op.ROR, 1, 9, 8), (Op.ROL, 5, 3, 8), (Op.ROR, 3, 3, 0)],
)
def test_moved(turn: Op, amount: int, low: int, place: int) -> None:
    assert source(keeps_graph(aligned, slices(turn, amount, low))) == (turn, place)


@pytest.mark.parametrize(
    "given",
    [
        {"turn": Op.ROL, "amount": 31, "low": 8},
        {"turn": Op.ROL, "amount": 31, "low": 2},
        {"turn": Op.ROL, "amount": 31, "low": 1, "bits": 7},
        {"turn": Op.ROL, "amount": 31, "low": 1, "used": False},
        {"turn": Op.ROL, "amount": 6, "low": 2, "width": 12},
    ],
    ids=str,
)
def test_left_alone(given: dict[str, Any]) -> None:
    graph = slices(**given)
    assert aligned(graph) is graph


def test_never_from_a_later_round() -> None:
    make = Builder()
    x = make.param("memory", WordType(32), "x")
    taken = make.make(Op.SLICE, [x], 1, type_=WordType(8))
    make.phase = 1
    rotated = make.make(Op.ROR, [x, make.const(1, 8)])
    graph = Graph("g", [x], [taken, rotated])
    assert aligned(graph) is graph


def test_within_a_loop() -> None:
    def loop(make: Builder, x: Node) -> Node:
        index, word = make.param("index", WordType(32), "i"), make.param("carried", WordType(32), "w")
        rotated = make.make(Op.ROR, [word, make.const(1, 8)])
        taken = make.make(Op.SLICE, [word], 1, type_=WordType(8))
        mixed = make.make(Op.XOR, [rotated, make.make(Op.EXTEND, [taken], type_=WordType(32))])
        turns = [make.const(0, 32), make.const(3, 32)]
        return make.results(make.make(Op.LOOP, [*turns, x], Region([index, word], [mixed])))[0]

    make = Builder()
    x = make.param("memory", WordType(32), "x")
    assert source(keeps_graph(aligned, Graph("g", [x], [loop(make, x)]))) == (Op.ROR, 0)


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
