"""Narrow lanes: arrays of the key keep their words, and are refused where those would have to be cut."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.language import u32, words
from finalist.machines.native.passes.lanes import narrow as lanes
from finalist.machines.native.passes.lanes.narrow import with_windows
from finalist.machines.tracing import traced as tracing_traced
from tests.graphs import random_program
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_graph, operations


@pytest.mark.parametrize("op", [Op.WHEN, Op.LOOP])
def test_an_array_of_the_key_is_not_carried(op: Op) -> None:
    """As where two change places: no definition does that, but a graph may."""
    given = toy(lambda block, keys: block, lambda key: {"K": key, "L": key}, words(2, u32), (64,))
    program, make = traced(given), Builder()
    block = [make.param("memory", WordType(32), f"x{n}") for n in range(2)]
    keys = [make.param("key", type_, name) for type_, name in zip(program.key_types, "KL", strict=True)]
    a, b = (make.param("carried", keys[0].type, "c") for _ in keys)
    if op is Op.WHEN:
        made = make.results(make.make(op, (make.slice(block[0], 0, 1), *keys), Region([a, b], [b, a])))
    else:
        turn = make.param("index", WordType(32), "i")
        made = make.loop(make.const(0, 32), make.const(3, 32), keys, Region([turn, a, b], [b, a]))
    read = make.make(Op.LOAD, (made[0], make.const(1, 32)))
    kernel = Graph("g_encrypt", [*block, *keys], [block[1], make.make(Op.ADD, (read, block[0]))])
    reason = f"word=8 .* an array of 32-bit entries is given and carried through a {op.label}"
    with pytest.raises(ScheduleError, match=reason):
        lanes.run(program.with_graphs(program.expand, kernel), 8)


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
    kernel = tracing_traced(cipher("frog"), "encrypt", 128).kernel
    windows = operations(with_windows(kernel), Op.WINDOW)
    assert [node.inputs[1].attr for node in windows] == [16 + 288 * r for r in range(8)]
