"""Words kept rotated: fewer rotations, and the same function."""

from __future__ import annotations

import random

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.rounds.rotations import with_rotated_words
from tests.passes.meaning import keeps_graph, operations

_RANDOM = random.Random(6)
TABLE = TableData(tuple(_RANDOM.getrandbits(32) for _ in range(256)), 32)


def feistel(rounds: int, *, amounts: tuple[int, ...] = (5,), product: bool = False) -> Graph:
    """Two words, of which one is read rotated in each round; a ``product`` takes it as it is, too."""
    make = Builder()
    left, right = params = [make.param("memory", WordType(32), name) for name in ("left", "right")]
    for turn in range(rounds):
        amount = amounts[turn % len(amounts)]
        rotated: Node = make.make(Op.ROL, (right, make.const(amount, 8)))
        entry = make.make(Op.LOOKUP, (make.slice(rotated, 3, 8),), TABLE)
        added = make.make(Op.MUL, (entry, right)) if product else entry
        left, right = right, make.make(Op.XOR, (left, added))
    return Graph("toy", params, [left, right])


def test_rotations_go_to_the_ends() -> None:
    after = keeps_graph(with_rotated_words, feistel(12))
    # Both words at the beginning, and at the end.
    assert len(operations(after, Op.ROL)) <= 4
    tables = {node.attr for node in operations(after, Op.LOOKUP)}
    assert len(tables) == 1 and TABLE not in tables


def test_the_commonest_amount_is_taken_away() -> None:
    after = keeps_graph(with_rotated_words, feistel(30, amounts=(5, 9, 5)))
    assert len(operations(after, Op.ROL)) <= 10 + 4


def test_what_gains_nothing_is_left_alone() -> None:
    for graph in (feistel(2), feistel(12, product=True)):
        assert with_rotated_words(graph) is graph


def test_a_table_that_others_read_is_left_alone() -> None:
    before = feistel(12)
    make = Builder()
    index = make.slice(before.params[0], 0, 8)
    alone = make.make(Op.NOT, (make.make(Op.LOOKUP, (index,), TABLE),))
    graph = Graph("toy", before.params, [*before.results, alone])
    assert with_rotated_words(graph) is graph
