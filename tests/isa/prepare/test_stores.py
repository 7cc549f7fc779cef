"""Reads whose value is known, and writes that nobody reads."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.prepare import stores
from finalist.machines.tracing import traced
from finalist.passes.chain import chained
from tests.graphs import random_graph, random_program
from tests.passes.meaning import keeps_graph, keeps_program, operations


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs(seed: int) -> None:
    keeps_graph(stores.with_known_reads, random_graph(f"stores {seed}"), seed)
    keeps_graph(stores.without_dead_writes, random_graph(f"stores {seed}"), seed)
    keeps_program(stores.run, random_program(f"stores {seed}", stateful=bool(seed % 2)), seed)


def exchange(read: str, wrong: bool = False) -> Graph:
    """An exchange of two entries, after which one is read."""
    make = Builder()
    array = make.param("key", ArrayType(4, 8), "a")
    i, j, k = (make.param("memory", WordType(2), name) for name in "ijk")
    first, second = make.make(Op.LOAD, (array, j)), make.make(Op.LOAD, (array, j if wrong else i))
    after = make.make(Op.STORE, (make.make(Op.STORE, (array, i, first)), j, second))
    place = {"i": i, "j": j, "k": k}[read]
    return Graph("g", [array, i, j, k], [make.make(Op.LOAD, (after, place)), after])


def reads(graph: Graph) -> list[Node]:
    return [node for node in operations(graph, Op.LOAD) if node.inputs[0].op is Op.STORE]


@pytest.mark.parametrize(("read", "left"), [("i", 0), ("j", 0), ("k", 1)])
def test_what_was_exchanged_is_known(read: str, left: int) -> None:
    assert len(reads(keeps_graph(stores.with_known_reads, exchange(read)))) == left


def test_what_is_no_exchange_is_read() -> None:
    assert len(reads(keeps_graph(stores.with_known_reads, exchange("i", wrong=True)))) == 1


def test_a_state_is_written_once_for_many_blocks() -> None:
    program = chained(traced(cipher("rc4"), "encrypt", 128), 4)

    def fixed(graph: Graph) -> int:
        return sum(node.inputs[1].op is Op.CONST for node in operations(graph, Op.STORE))

    assert (fixed(program.kernel), fixed(stores.run(program).kernel)) == (8, 2)
