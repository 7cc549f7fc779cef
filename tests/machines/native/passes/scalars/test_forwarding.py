"""Reads of what was just written become choices in registers, where waiting for memory takes the time."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.machines.native.passes.scalars.forwarding import with_forwarding
from finalist.machines.native.run import NativeProgram
from finalist.machines.tracing import traced
from finalist.passes.pipeline import lower
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph, operations

LENGTH = 8


def chain(steps: int, length: int = LENGTH, known: bool = False, ahead: bool = True, more: int = 0) -> Graph:
    """An array of which each entry is made of the one before and written, and then one at an unknown index.

    ``known``: that index is a constant; else an argument. ``ahead``: the next step loads the entry just
    stored; else one that nothing was stored to as yet. ``more``: further stores to such indices.
    """
    make = Builder()
    entries = make.param("memory", ArrayType(length, 8), "a")
    indices = [make.param("memory", WordType(8), f"j{k}") for k in range(steps * (1 + more))]
    array, value = entries, make.param("memory", WordType(8), "x")
    given = [entries, *indices, value]
    for step in range(steps):
        here = make.const((step + 1) % length, 32)
        value = make.make(Op.XOR, (value, make.make(Op.LOAD, (array, here))))
        array = make.make(Op.STORE, (array, here, value))
        for k in range(1 + more):
            at = indices[step * (1 + more) + k] if not known else make.const((step + 3) % length, 8)
            array = make.make(Op.STORE, (array, at, make.make(Op.ADD, (value, value))))
        value = make.make(Op.LOAD, (array, here if ahead else make.const((step + 2) % length, 32)))
    return Graph("chain", given, [value, array])


@pytest.mark.parametrize("length", [2, 5, 8, 16])
def test_a_read_is_one_of_two_values(length: int) -> None:
    """Whatever the index, too large ones included."""
    graph = chain(4, length)
    after = keeps_graph(with_forwarding, graph)
    assert len(operations(after, Op.SELECT)) == 4
    assert len(operations(after, Op.LOAD)) < len(operations(graph, Op.LOAD))


@pytest.mark.parametrize(
    "graph",
    [
        chain(4, ahead=False),  # of what was written long ago
        chain(4, more=1),  # past two writes
        chain(4, known=True),  # to constant indices: `simplify` does these
    ],
)
def test_others_are_left_alone(graph: Graph) -> None:
    assert with_forwarding(graph) is graph


def test_what_has_more_to_do_meanwhile_is_left_alone() -> None:
    """Where the operations take longer than the longest path, two more for each read are a loss."""
    graph = chain(2)
    make = Builder()
    words = [make.param("memory", WordType(32), f"w{k}") for k in range(200)]
    extra = [make.make(Op.ADD, pair) for pair in pairwise(words)]
    busy = Graph("busy", [*graph.params, *words], [*graph.results, *extra])
    assert with_forwarding(busy) is busy
    assert with_forwarding(graph) is not graph


def test_within_loops() -> None:
    """Each region by itself: the body of a loop waits, what is around it does not."""
    make = Builder()
    inner = chain(3)
    array, start = make.param("memory", ArrayType(LENGTH, 8), "a"), make.param("memory", WordType(8), "x")
    indices = [make.param("memory", WordType(8), f"j{k}") for k in range(3)]
    index = make.param("index", WordType(32), "i")
    carried = [make.param("carried", ArrayType(LENGTH, 8)), make.param("carried", WordType(8))]
    given = dict(zip(inner.params, [carried[0], *indices, carried[1]], strict=True))
    made: dict[Node, Node] = {}
    for node in inner.body:
        made[node] = make.make(
            node.op, [given.get(x) or made.get(x, x) for x in node.inputs], node.attr, type_=node.type
        )
    region = Region([index, *carried], [made[inner.results[1]], made[inner.results[0]]])
    loop = make.make(Op.LOOP, (make.const(0, 32), make.const(5, 32), array, start), region)
    graph = Graph("loop", [array, *indices, start], make.results(loop))
    after = keeps_graph(with_forwarding, graph)
    assert len(operations(after, Op.SELECT)) == 3


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_frog(operation: str) -> None:
    """Encryption reads what it has just written, sixteen times a round but the very first; decryption, what
    was written a round ago. The key schedule encrypts."""
    program = lower(traced(cipher("frog"), operation, 128))
    kernel, expand = keeps_graph(with_forwarding, program.kernel), with_forwarding(program.expand)
    made = len(operations(kernel, Op.SELECT)) - len(operations(program.kernel, Op.SELECT))
    assert (made > 100) == (operation == "encrypt")
    assert len(operations(expand, Op.SELECT)) - len(operations(program.expand, Op.SELECT)) == 15


@pytest.mark.parametrize("part", range(4))
def test_random_graphs(part: int) -> None:
    """With writes at indices that are not known among all else."""
    for seed in range(60 * part, 60 * part + 60):
        keeps_graph(with_forwarding, random_graph(f"forwarded {seed}"), seed)
    for length, more in product((3, 4, 16), (0, 1)):
        keeps_graph(with_forwarding, chain(5 + part, length, more=more), part)


@pytest.mark.parametrize(("rounds", "least"), [("unroll", 8 * 15), ("loop", 15), (2, 2 * 15)])
def test_rounds_are_still_alike(rounds: Any, least: int) -> None:
    """Choices come after the loop, whose first read of an iteration is of the one before."""
    program = compile_cipher("frog", blocks=1, rounds=rounds)
    assert isinstance(program, NativeProgram)
    kernel = program.program.kernel
    assert len(operations(kernel, Op.SELECT)) >= least
    assert len(operations(kernel, Op.LOOP)) == (rounds != "unroll")
