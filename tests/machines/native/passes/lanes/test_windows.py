"""Reads of a long array of the key through windows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.machines.native.passes.lanes.windows import with_windows
from finalist.machines.tracing import traced
from tests.graphs import random_program
from tests.passes.meaning import keeps_graph, operations

LENGTH = 1000


@pytest.mark.parametrize("seed", range(10))
def test_random_kernels(seed: int) -> None:
    keeps_graph(with_windows, random_program(f"windows {seed}").kernel, seed)


def reading(
    place: Callable[[Builder, Node, Node], Node], kind: str = "key", length: int = LENGTH, bits: int = 8
) -> Graph:
    """A read at a place made of a byte of the block and a byte of the key."""
    make = Builder()
    array = make.param(kind, ArrayType(length, 16), "a")
    x, k = make.param("memory", WordType(bits), "x"), make.param("key", WordType(8), "k")
    return Graph("g", [x, array, k], [make.make(Op.LOAD, (array, place(make, x, k)))])


def added(make: Builder, x: Node, k: Node) -> Node:
    return make.make(Op.ADD, (make.extend(k, 32), make.extend(x, 32)))


def fixed(make: Builder, x: Node, k: Node) -> Node:
    return make.make(Op.ADD, (make.extend(x, 32), make.const(744, 32)))


def joined(make: Builder, x: Node, k: Node) -> Node:
    return make.make(Op.JOIN, (x, make.const(2, 2)))


def alone(make: Builder, x: Node, k: Node) -> Node:
    return make.extend(x, 32)


@pytest.mark.parametrize("place", [added, fixed, joined, alone])
def test_a_byte_beyond_a_place_of_the_key(place: Callable[[Builder, Node, Node], Node]) -> None:
    graph = keeps_graph(with_windows, reading(place))
    assert [node.length for node in operations(graph, Op.WINDOW)] == [256]
    (read,) = operations(graph, Op.LOAD)
    assert read.inputs[1].width == 8


@pytest.mark.parametrize(
    "graph",
    [
        reading(fixed, length=999),  # the window would pass the end, and wrap around
        reading(alone, kind="state"),  # which may be overwritten
        reading(alone, bits=9),
        reading(lambda make, x, k: make.make(Op.ADD, (make.extend(x, 32), make.extend(x, 32)))),
        reading(lambda make, x, k: x),
        reading(lambda make, x, k: make.make(Op.ADD, (make.extend(make.slice(x, 0, 4), 8), k))),  # modulo 256
        reading(lambda make, x, k: k),
    ],
)
def test_what_stays(graph: Graph) -> None:
    assert not operations(keeps_graph(with_windows, graph), Op.WINDOW)


def test_the_rounds_of_frog() -> None:
    kernel = traced(cipher("frog"), "encrypt", 128).kernel
    windows = operations(with_windows(kernel), Op.WINDOW)
    assert [node.inputs[1].attr for node in windows] == [16 + 288 * r for r in range(8)]
