"""Exchanges of bits in the form that waits less."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.scalars.swaps import with_quick_swaps
from tests.passes.meaning import keeps_graph, operations


def swap(make: Builder, x: Node, distance: int, low: int, back: int | None = None) -> tuple[Node, Node]:
    """The exchange, and the bits that differ; ``back``: how far these go up, where that is a fault."""
    d, u = (make.const(amount, 8) for amount in (distance, distance if back is None else back))
    apart = make.make(Op.XOR, (x, make.make(Op.SHR, (x, d))))
    moved = make.make(Op.AND, (apart, make.const(low, x.width)))
    return make.make(Op.XOR, (make.make(Op.XOR, (x, moved)), make.make(Op.SHL, (moved, u)))), moved


def graph(width: int, *steps: tuple[int, int], back: int | None = None, also: bool = False) -> Graph:
    make = Builder()
    x = word = make.param("memory", WordType(width), "x")
    for distance, low in steps:
        word, moved = swap(make, word, distance, low, back)
    return Graph("toy", [x], [word, moved] if also else [word])


@pytest.mark.parametrize(
    ("width", "steps"),
    [(64, [(36, 0xF0F0F0F), (48, 0xFFFF)]), (32, [(4, 0x0F0F0F0F)]), (32, [(16, 0xFFFF)]), (8, [(1, 0x55)])],
)
def test_the_form_is_another(width: int, steps: list[tuple[int, int]]) -> None:
    after = keeps_graph(with_quick_swaps, graph(width, *steps))
    assert not operations(after, Op.XOR)
    assert len(operations(after, Op.AND)) == 3 * len(steps)


@pytest.mark.parametrize(
    "other",
    [
        graph(32, (4, 0xFF)),  # bits that go both ways
        graph(32, (4, 0x0F0F0F0F), back=5),
        graph(32, (4, 0xF0000000)),  # bits that have no place above
        graph(32, (4, 0x0F0F0F0F), also=True),
    ],
)
def test_what_is_no_exchange_alone_stays(other: Graph) -> None:
    assert with_quick_swaps(other) is other
