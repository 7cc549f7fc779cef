"""Rotations by what another rotation has just brought down."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.lanes.amounts import with_small_amounts
from tests.passes.meaning import keeps_graph, operations


@pytest.mark.parametrize("turn", [Op.ROL, Op.ROR])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("amount_width", [8, 16, 32, 64])
def test_top_bits_become_a_shift(width: int, amount_width: int, turn: Op) -> None:
    bits = width.bit_length() - 1
    make = Builder()
    x, n = make.param("memory", WordType(width), "x"), make.param("memory", WordType(amount_width), "n")
    turned = make.make(Op.ROL, [n, make.const(bits, 8)])
    graph = keeps_graph(with_small_amounts, Graph("g", [x, n], [make.make(turn, [x, turned])]))
    (rotation,) = operations(graph, turn)
    assert rotation.inputs[1].op is (Op.SHR if bits < amount_width else Op.ROL)


@pytest.mark.parametrize(("width", "by"), [(32, 4), (32, 6), (33, 5), (24, 4), (31, 5), (1, 1)])
def test_others_stay(width: int, by: int) -> None:
    """Where the word's width is no power of two, or the bits brought down are more or fewer."""
    make = Builder()
    x, n = make.param("memory", WordType(width), "x"), make.param("memory", WordType(32), "n")
    turned = make.make(Op.ROL, [n, make.const(by, 8)])
    graph = keeps_graph(with_small_amounts, Graph("g", [x, n], [make.make(Op.ROL, [x, turned])]))
    assert not operations(graph, Op.SHR)


def test_a_small_amount_that_turns_all_the_way() -> None:
    """A five-bit amount turned by five is itself; by five of four bits it is turned by one."""
    for amount_width in (5, 4, 3):
        make = Builder()
        x, n = make.param("memory", WordType(32), "x"), make.param("memory", WordType(amount_width), "n")
        turned = make.make(Op.ROL, [n, make.const(5, 8)])
        keeps_graph(with_small_amounts, Graph("g", [x, n], [make.make(Op.ROR, [x, turned])]))
