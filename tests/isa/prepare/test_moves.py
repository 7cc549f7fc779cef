"""Shifts by words as products, choices as masks: the same values."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, every_node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.prepare.moves import without_moves
from tests.model import evaluate


def graph() -> Graph:
    make = Builder()
    x, n, c = (make.param("memory", WordType(width), "p") for width in (8, 3, 1))
    half = make.make(Op.SHR, (x, make.const(1, 8)))
    back = make.make(Op.XOR, (n, make.const(7, 3)))
    narrow = make.slice(x, 0, 5)
    results = [
        make.make(Op.SHL, (x, n)),
        make.make(Op.SHR, (x, n)),
        make.make(Op.SHR, (half, back)),
        make.make(Op.SHR, (narrow, n)),
        make.make(Op.SHL, (narrow, n)),
        make.make(Op.SELECT, (c, x, half)),
    ]
    return Graph("moves", (x, n, c), tuple(results), ())


def test_all_words_and_amounts() -> None:
    old = graph()
    new = without_moves(old, 8)
    for x in range(0, 256, 5):
        for n in range(8):
            for c in (0, 1):
                assert evaluate(new, (x, n, c)) == evaluate(old, (x, n, c)), (x, n, c)


def test_nothing_is_left_that_the_processor_lacks() -> None:
    ops = {
        (node.op, node.inputs[1].op) for node in every_node(without_moves(graph(), 8)) if len(node.inputs) > 1
    }
    assert not {(op, other) for op, other in ops if op in (Op.SHL, Op.SHR) and other is not Op.CONST}
    assert Op.SELECT not in {op for op, _ in ops}


def test_bits_for_the_neighbour_are_the_high_half_of_its_product() -> None:
    """x << n and (x >> 1) >> 7 - n take one product."""
    make = Builder()
    x, n = (make.param("memory", WordType(width), "p") for width in (8, 3))
    back = make.make(Op.XOR, (n, make.const(7, 3)))
    half = make.make(Op.SHR, (x, make.const(1, 8)))
    results = (make.make(Op.SHL, (x, n)), make.make(Op.SHR, (half, back)))
    made = without_moves(Graph("pair", (x, n), results, ()), 8)
    low, high = made.results
    assert (low.op, high.op, set(low.inputs)) == (Op.MUL, Op.MULHI, set(high.inputs))
