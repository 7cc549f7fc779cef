"""Meanings: the value of a term is what the interpreter says of the same operations."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.interpreter import dtype
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.target.meaning import InRegister, Term, constant, evaluate, operand, permuted, select

BINARY = (
    Op.AND,
    Op.OR,
    Op.XOR,
    Op.ADD,
    Op.SUB,
    Op.MUL,
    Op.MULHI,
    Op.SHL,
    Op.SHR,
    Op.ROL,
    Op.ROR,
    Op.LT,
    Op.EQ,
)


def values(width: int, seed: str) -> list[tuple[int, int]]:
    source = random.Random(seed)
    edges = [0, 1, width - 1, width, (1 << width) - 1, 1 << width - 1]
    return [(a, b) for a in edges for b in edges] + [
        (source.getrandbits(width), source.getrandbits(width)) for _ in range(20)
    ]


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.label)
@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_a_term_is_what_the_interpreter_says(op: Op, width: int) -> None:
    make = Builder()
    a, b = make.param("memory", WordType(width), "a"), make.param("memory", WordType(width), "b")
    graph = Graph("g", [a, b], [make.make(op, (a, b))])
    pairs = values(width, op.label)
    columns = [np.array(column, dtype(width)) for column in zip(*pairs, strict=True)]
    (expected,) = interpreter.run(graph, columns)
    term = Term(op, (operand("a"), operand("b")))
    assert [evaluate(term, {"a": x, "b": y}, width) for x, y in pairs] == [int(v) for v in expected]


@pytest.mark.parametrize("op", [Op.ADD, Op.SUB])
def test_lanes_do_not_reach_into_one_another(op: Op) -> None:
    term = Term(op, (operand("a"), operand("b")), lane=32)
    whole = evaluate(term, {"a": 0xFFFFFFFF_00000000, "b": 0x00000001_00000001}, 64)
    low, high = (0 + 1, 0xFFFFFFFF + 1) if op is Op.ADD else (0 - 1, 0xFFFFFFFF - 1)
    assert whole == (high & 0xFFFFFFFF) << 32 | low & 0xFFFFFFFF


@pytest.mark.parametrize("op", [op for op in BINARY if op not in (Op.LT, Op.EQ)], ids=lambda op: op.label)
@pytest.mark.parametrize("lane", [8, 16])
def test_what_is_done_in_lanes_is_done_in_each(op: Op, lane: int) -> None:
    """By its own operand, or, where it is moved, by one amount for all."""
    moves = op in (Op.SHL, Op.SHR, Op.ROL, Op.ROR)
    term, alone = (Term(op, (operand("a"), operand("b")), lane=bits) for bits in (lane, 0))
    for a, b in values(32, f"{op.label} {lane}"):
        amount = b % (lane + 3)
        found = evaluate(term, {"a": a, "b": amount if moves else b}, 32)
        for low in range(0, 32, lane):
            part, other = (x >> low & (1 << lane) - 1 for x in (a, b))
            given = {"a": part, "b": amount if moves else other}
            assert found >> low & (1 << lane) - 1 == evaluate(alone, given, lane)


def test_choices_and_complements() -> None:
    a, b = operand("a"), operand("b")
    given = {"a": 0b1100, "b": 0b1010}
    assert evaluate(~a, given, 4) == 0b0011
    assert evaluate(select(a, a, b), given, 4) == 0b1010
    assert evaluate(select(constant(3), a, b), given, 4) == 0b1100
    assert evaluate(a.extend(8), given, 4) == 0b1100


def test_equal_terms_are_one_key() -> None:
    a = operand("a")
    assert (a + 1) == (operand("a") + 1)
    assert len({a + 1, operand("a") + 1, a + 2, (a + 1).in_lanes(32)}) == 3


def test_a_table_in_a_register_is_read_by_every_byte() -> None:
    """An index past its end begins anew, or finds 0."""
    table, index = 0x44332211, 0x05_03_00_84
    for wraps, found in ((True, 0x22441111), (False, 0x00441100)):
        term = permuted(operand("i"), operand("t"), InRegister(wraps))
        assert evaluate(term, {"i": index, "t": table}, 32) == found
