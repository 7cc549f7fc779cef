"""The builder computes types, refuses operands that do not fit, and makes equal expressions once."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.errors import GraphError
from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Node, Region, TableData
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, TupleType, WordType

MAKE = Builder()
A, B = (MAKE.param("memory", WordType(32), name) for name in "ab")
BYTE, BIT = MAKE.param("memory", WordType(8), "byte"), MAKE.param("memory", WordType(1), "bit")
CELLS = MAKE.param("key", ArrayType(4, 32), "cells")
TABLE = TableData((0, 1, 2, 3), 8)


@pytest.mark.parametrize(
    ("op", "inputs", "attr", "expected"),
    [
        (Op.ADD, [A, B], None, WordType(32)),
        (Op.NOT, [BYTE], None, WordType(8)),
        (Op.BOOL, [A, B, A], 0x17, WordType(32)),
        (Op.ROL, [A, BYTE], None, WordType(32)),
        (Op.EQ, [A, B], None, WordType(1)),
        (Op.LT, [BYTE, BYTE], None, WordType(1)),
        (Op.SELECT, [BIT, A, B], None, WordType(32)),
        (Op.JOIN, [BYTE, BIT, A], None, WordType(41)),
        (Op.LOOKUP, [MAKE.slice(BYTE, 0, 2)], TABLE, WordType(8)),
        (Op.LOAD, [CELLS, BYTE], None, WordType(32)),
        (Op.STORE, [CELLS, BYTE, A], None, ArrayType(4, 32)),
    ],
)
def test_types(op: Op, inputs: list[Node], attr: Any, expected: Any) -> None:
    assert MAKE.make(op, inputs, attr).type == expected


@pytest.mark.parametrize(
    ("op", "inputs", "attr"),
    [
        (Op.ADD, [A, BYTE], None),
        (Op.ADD, [A], None),
        (Op.ADD, [A, B, A], None),
        (Op.XOR, [CELLS, CELLS], None),
        (Op.NOT, [], None),
        (Op.NOT, [A, B], None),
        (Op.NOT, [CELLS], None),
        (Op.BOOL, [A, BYTE], 1),
        (Op.BOOL, [], 1),
        (Op.SHL, [A], None),
        (Op.SHL, [A, B, A], None),
        (Op.ROL, [A, CELLS], None),
        (Op.EQ, [A, BYTE], None),
        (Op.SELECT, [BIT, A, BYTE], None),
        (Op.SELECT, [A, A, B], None),
        (Op.SELECT, [BIT, A], None),
        (Op.JOIN, [A, A, BIT], None),
        (Op.JOIN, [], None),
        (Op.LOOKUP, [BYTE], TABLE),
        (Op.LOOKUP, [BYTE], None),
        (Op.LOOKUP, [MAKE.slice(BYTE, 0, 2), A], TABLE),
        (Op.LOAD, [A, BYTE], None),
        (Op.LOAD, [CELLS], None),
        (Op.LOAD, [CELLS, CELLS], None),
        (Op.STORE, [CELLS, A, BYTE], None),
        (Op.STORE, [CELLS, A], None),
        (Op.STORE, [CELLS, A, CELLS], None),
        (Op.RESULT, [A], 0),
    ],
)
def test_operands_that_do_not_fit(op: Op, inputs: list[Node], attr: Any) -> None:
    with pytest.raises(GraphError, match=op.label):
        MAKE.make(op, inputs, attr)


def test_a_loop_hands_on_what_it_takes() -> None:
    index, carried = MAKE.param("index", WordType(32), "i"), MAKE.param("carried", WordType(8), "v")
    with pytest.raises(GraphError, match="loop"):
        MAKE.make(Op.LOOP, [A, B, BYTE], Region([index, carried], [index]))
    with pytest.raises(GraphError, match="when"):
        MAKE.make(Op.WHEN, [A, BYTE], Region([carried], [carried]))
    loop = MAKE.make(Op.LOOP, [A, B, BYTE], Region([index, carried], [carried]))
    assert loop.type == TupleType((WordType(8),))
    assert MAKE.results(loop)[0].type == WordType(8)
    with pytest.raises(GraphError, match="result"):
        MAKE.make(Op.RESULT, [loop], 1)
    with pytest.raises(GraphError, match="result"):
        MAKE.make(Op.RESULT, [loop], -1)


@pytest.mark.parametrize("op", [Op.CONST, Op.SLICE, Op.EXTEND, Op.LINEAR, Op.ARRAY])
def test_some_types_must_be_given(op: Op) -> None:
    with pytest.raises(GraphError, match=f"the type of {op.label} must be given"):
        Builder().make(op, [A] * (op.arity or 0))


@pytest.mark.parametrize("width", [0, 65, -1])
def test_words_have_1_to_64_bits(width: int) -> None:
    with pytest.raises(GraphError, match="1 to 64 bits"):
        WordType(width)


def test_equal_expressions_are_one_node() -> None:
    make = Builder()
    a, b = make.param("memory", WordType(32), "a"), make.param("memory", WordType(32), "b")
    assert make.make(Op.ADD, [a, b]) is make.make(Op.ADD, [a, b])
    assert make.make(Op.ADD, [a, b]) is not make.make(Op.ADD, [b, a])
    assert make.slice(a, 0, 8) is make.slice(a, 0, 8)
    assert make.slice(a, 0, 8) is not make.slice(a, 8, 8)
    assert make.const(5, 8) is make.const(5 + 256, 8)
    assert make.const(5, 8) is not make.const(5, 9)
    assert Builder().const(5, 8) is not make.const(5, 8)


def test_two_arrays_alike_are_two() -> None:
    make = Builder()
    assert make.array([1, 2], 8) is not make.array([1, 2], 8)
    array, place, x = make.array([0], 8), make.const(0, 32), make.const(1, 8)
    assert make.make(Op.STORE, [array, place, x]) is not make.make(Op.STORE, [array, place, x])
    assert make.make(Op.LOAD, [array, place]) is make.make(Op.LOAD, [array, place])


def test_a_shared_node_belongs_to_the_earliest_phase() -> None:
    make = Builder()
    a = make.param("memory", WordType(32), "a")
    make.phase = 3
    late = make.make(Op.NOT, [a])
    make.phase = 1
    assert make.make(Op.NOT, [a]) is late
    assert late.phase == 1


def test_the_rule_sees_every_operation_first() -> None:
    seen = []

    def rule(make: Builder, op: Op, inputs: tuple[Node, ...], attr: Any, type_: Any) -> Node | None:
        seen.append(op)
        return inputs[0] if op is Op.NOT else None

    make = Builder(rule)
    a = make.param("memory", WordType(32), "a")
    assert make.make(Op.NOT, [a]) is a
    assert make.make(Op.ADD, [a, a]).op is Op.ADD
    assert seen == [Op.NOT, Op.ADD]


def test_constants_are_taken_modulo_the_width() -> None:
    assert Builder().const(-1, 7).attr == mask(7) == 127
