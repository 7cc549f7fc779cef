"""Narrow words in wider variables, with a mask where somebody looks at the bits above alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.text.body import use_counts
from finalist.machines.native.text.demanded import unmasked

Use = Callable[[Builder, Node, Node], Node]


def whether(use: Use) -> bool:
    """Whether a sum of 16 bits, used so, needs no mask."""
    make = Builder()
    x, y = (make.param("memory", WordType(16), name) for name in "xy")
    total = make.make(Op.ADD, (x, y))
    graph = Graph("toy", [x, y], [use(make, total, y)])
    return total in unmasked(graph, use_counts(graph))


def _of(op: Op, first: bool = True) -> Use:
    return lambda make, total, y: make.make(op, (total, y) if first else (y, total))


def _array(width: int) -> Use:
    def use(make: Builder, total: Node, y: Node) -> Node:
        value = total if width == 16 else make.extend(total, width)
        return make.make(Op.STORE, (make.array([0], width), make.const(0, 32), value))

    return use


@pytest.mark.parametrize(
    "use",
    [
        *map(_of, (Op.ADD, Op.SUB, Op.MUL)),
        _of(Op.SUB, first=False),
        lambda make, total, y: make.make(Op.SHL, (total, make.const(3, 8))),
        lambda make, total, y: make.slice(total, 0, 9),
        lambda make, total, y: make.make(Op.ADD, (make.make(Op.XOR, (total, y)), y)),
        lambda make, total, y: make.make(
            Op.ADD, (make.make(Op.SELECT, (make.make(Op.EQ, (y, y)), total, make.const(0, 16))), y)
        ),
        _array(16),
    ],
)
def test_lower_bits_are_all_that_some_users_look_at(use: Use) -> None:
    assert whether(use)


@pytest.mark.parametrize(
    "use",
    [
        *map(_of, (Op.LT, Op.EQ, Op.MULHI, Op.XOR, Op.OR, Op.AND)),
        lambda make, total, y: total,
        lambda make, total, y: make.extend(total, 32),
        lambda make, total, y: make.slice(total, 9, 7),
        lambda make, total, y: make.make(Op.JOIN, (total, y)),
        lambda make, total, y: make.make(Op.SHR, (total, make.const(3, 8))),
        lambda make, total, y: make.make(Op.SHL, (y, total)),
        lambda make, total, y: make.make(Op.SELECT, (make.make(Op.EQ, (y, y)), total, y)),
        lambda make, total, y: make.make(Op.ADD, (total, make.make(Op.EQ, (total, y)).inputs[0])) and total,
        _array(32),
    ],
)
def test_others_look_at_all(use: Use) -> None:
    assert not whether(use)


def test_what_is_rotated_keeps_all_masks() -> None:
    """Compilers make it 16 bits throughout."""

    def rotated(make: Builder, total: Node, y: Node) -> Node:
        return make.make(Op.ROL, (make.make(Op.ADD, (total, y)), make.const(3, 8)))

    assert not whether(rotated)


def test_one_such_user_is_enough() -> None:
    make = Builder()
    x, y = (make.param("memory", WordType(16), name) for name in "xy")
    total = make.make(Op.ADD, (x, y))
    graph = Graph("toy", [x, y], [make.make(Op.ADD, (total, y)), make.make(Op.LT, (total, y))])
    assert total not in unmasked(graph, use_counts(graph))
