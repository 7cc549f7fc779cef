"""Bits that nothing takes: what only makes those is left out, and nothing else changes."""

from __future__ import annotations

import random

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.prepare.wanted import without_unwanted
from tests.passes.meaning import keeps_graph

BYTE = WordType(8)


def moved(make: Builder, op: Op, x: Node, amount: int) -> Node:
    return make.make(op, (x, make.const(amount, 8)))


def counts(mask: int, left: int, right: int) -> list[Op]:
    """What is left of ((a << left | b >> right) ^ c) & mask."""
    make = Builder()
    a, b, c = (make.param("memory", BYTE, name) for name in "abc")
    either = make.make(Op.OR, (moved(make, Op.SHL, a, left), moved(make, Op.SHR, b, right)))
    result = make.make(Op.AND, (make.make(Op.XOR, (either, c)), make.const(mask, 8)))
    after = keeps_graph(without_unwanted, Graph("moves", (a, b, c), [result]))
    return [node.op for node in after.body]


@pytest.mark.parametrize(
    ("mask", "operations"),
    [
        (0x0F, [Op.SHR, Op.XOR, Op.AND]),
        (0xF0, [Op.SHL, Op.XOR, Op.AND]),
        (0x1F, [Op.SHL, Op.SHR, Op.OR, Op.XOR, Op.AND]),
    ],
)
def test_what_a_mask_leaves_nothing_of_is_left_out(mask: int, operations: list[Op]) -> None:
    assert sorted(counts(mask, 4, 4), key=str) == sorted(operations, key=str)


def test_a_mask_of_bits_that_are_0_anyway_is_left_out() -> None:
    make = Builder()
    a = make.param("memory", BYTE, "a")
    result = make.make(Op.AND, (moved(make, Op.SHR, a, 4), make.const(15, 8)))
    after = keeps_graph(without_unwanted, Graph("mask", (a,), [result]))
    assert [node.op for node in after.body] == [Op.SHR]


def test_a_mask_stays_where_a_sum_takes_all_bits() -> None:
    make = Builder()
    a, b = (make.param("memory", BYTE, name) for name in "ab")
    low = make.make(Op.AND, (a, make.const(15, 8)))
    graph = Graph("sum", (a, b), [make.make(Op.AND, (make.make(Op.ADD, (low, b)), make.const(240, 8)))])
    after = keeps_graph(without_unwanted, graph)
    assert [node.op for node in after.body] == [Op.AND, Op.ADD, Op.AND]


@pytest.mark.parametrize("seed", range(6))
def test_random_moves_and_masks_keep_their_meaning(seed: int) -> None:
    source, make = random.Random(seed), Builder()
    words = [make.param("memory", BYTE, f"w{k}") for k in range(3)]
    params = list(words)
    for _ in range(40):
        a, b = source.choice(words), source.choice(words)
        kind = source.choice(["move", "mask", "sum", "part"])
        if kind == "move":
            words.append(moved(make, source.choice([Op.SHL, Op.SHR]), a, source.randrange(8)))
        elif kind == "mask":
            words.append(make.make(Op.AND, (a, make.const(source.randrange(256), 8))))
        elif kind == "sum":
            words.append(make.make(source.choice([Op.OR, Op.XOR, Op.ADD]), (a, b)))
        else:
            words.append(make.extend(make.slice(a, source.randrange(4), 4), 8))
    keeps_graph(without_unwanted, Graph("random", params, words[-6:]), seed)
