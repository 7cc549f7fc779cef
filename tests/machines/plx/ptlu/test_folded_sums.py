"""Sums over the bytes of a word, through registers: the same results, by parallel lookups."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.ir.verify import verify
from finalist.machines.plx.ptlu.folded_sums import with_folded_sums

SOURCE = random.Random(3)
TABLES = [TableData(tuple(SOURCE.getrandbits(32) for _ in range(256)), 32, f"T{k}") for k in range(4)]
WORD = WordType(32)


def looked_up(make: Builder, word: Node, turn: int, count: int = 4) -> list[Node]:
    """What the first bytes of a word find, from tables in turn."""
    slices = [make.slice(word, 8 * k, 8) for k in range(count)]
    return [make.make(Op.LOOKUP, (part,), TABLES[(k + turn) % 4]) for k, part in enumerate(slices)]


def summed(make: Builder, leaves: list[Node]) -> Node:
    total = leaves[0]
    for leaf in leaves[1:]:
        total = make.make(Op.XOR, (total, leaf))
    return total


def same(one: Graph, other: Graph) -> bool:
    data = np.random.default_rng(4).integers(0, 1 << 32, (len(one.params), 7), dtype=np.uint64)
    words = [row.astype(np.uint32) for row in data]
    pairs = zip(interpreter.run(one, words), interpreter.run(other, words), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def registers(graph: Graph) -> list[Node]:
    return [n for n in every_node(graph) if n.op is Op.TUPLE and n.inputs[0].op is Op.LOOKUP]


@pytest.mark.parametrize("lanes", [2, 4])
def test_sums(lanes: int) -> None:
    """Of one word, of two with another leaf, of a word whose bytes read the tables in another order."""
    make = Builder()
    a, b = (make.param("memory", WORD, name) for name in "ab")
    one = summed(make, looked_up(make, a, 0))
    two = summed(make, [*looked_up(make, a, 0), b, *looked_up(make, b, 0)])
    turned = summed(make, looked_up(make, b, 3))
    graph = Graph("sums", [a, b], [one, two, turned])
    made = with_folded_sums(graph, lanes)
    verify(made)
    assert same(graph, made)
    found = registers(made)
    assert len(found) == 3 * (4 // lanes)  # those of a are shared
    orders = [[word.attr for word in node.inputs] for node in found]
    assert all(order in (TABLES[:2], TABLES[2:], TABLES) for order in orders)


def test_what_is_no_whole_word_stays() -> None:
    make = Builder()
    a = make.param("memory", WORD, "a")
    part = summed(make, looked_up(make, a, 0, count=3))
    once = looked_up(make, a, 1)
    masked = summed(make, [make.make(Op.AND, (leaf, make.const(0xFF, 32))) for leaf in once])
    graph = Graph("sums", [a], [part, masked])
    made = with_folded_sums(graph, 2)
    assert same(graph, made)
    assert not registers(made)
