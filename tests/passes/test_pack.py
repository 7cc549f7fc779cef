"""Packing finds what works on all parts of a word, and refuses what would need itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.ir.verify import verify
from finalist.passes import pack
from finalist.passes.pack import packed
from tests.graphs import Choices, Drawn
from tests.passes.meaning import keeps_graph, operations

BOX = TableData(tuple(7 * k % 256 for k in range(256)), 8, "S")


def words(make: Builder, count: int, width: int = 32) -> list[Node]:
    return [make.param("memory", WordType(width), f"p{k}") for k in range(count)]


def parts(make: Builder, word: Node) -> list[Node]:
    return [make.slice(word, low, 8) for low in range(0, word.width, 8)]


def xor(make: Builder, a: Node, b: Node) -> Node:
    return make.make(Op.XOR, [a, b])


def box(make: Builder, x: Node) -> Node:
    return make.make(Op.LOOKUP, [x], BOX)


def test_xors_of_all_bytes_become_one() -> None:
    make = Builder()
    a, b = words(make, 2)
    mixed = [xor(make, x, y) for x, y in zip(parts(make, a), parts(make, b), strict=True)]
    graph = keeps_graph(packed, Graph("g", [a, b], [make.make(Op.JOIN, mixed)]))
    assert [node.op for node in graph.body] == [Op.XOR]


def test_a_chain_of_xors_stays_packed() -> None:
    make = Builder()
    a, *keys = words(make, 4)
    state = parts(make, a)
    for key in keys:
        state = [xor(make, x, y) for x, y in zip(state, parts(make, key), strict=True)]
    graph = keeps_graph(packed, Graph("g", [a, *keys], [make.make(Op.JOIN, state)]))
    assert [node.op for node in graph.body] == [Op.XOR] * 3


def test_one_byte_left_out_is_not_packed() -> None:
    make = Builder()
    a, b = words(make, 2)
    x, y = parts(make, a), parts(make, b)
    mixed = [xor(make, x[k], y[k]) for k in range(3)]
    graph = keeps_graph(packed, Graph("g", [a, b], [make.make(Op.JOIN, [*mixed, x[3]])]))
    assert len(operations(graph, Op.XOR)) == 3


def test_a_part_that_needs_another_part_is_refused() -> None:
    """The second byte takes the first one's result, so they can't be made at once."""
    make = Builder()
    a, b = words(make, 2)
    x, y = parts(make, a), parts(make, b)
    first = xor(make, x[0], y[0])
    mixed = [first, xor(make, x[1], box(make, first)), xor(make, x[2], y[2]), xor(make, x[3], y[3])]
    keeps_graph(packed, Graph("g", [a, b], mixed))


def test_two_words_that_need_each_other_are_refused() -> None:
    """Each alone can be packed, but each needs a part of the other: half a Feistel step, bytewise."""
    make = Builder()
    a, b, c = words(make, 3, 16)
    x, y, k = parts(make, a), parts(make, b), parts(make, c)
    y0 = xor(make, y[0], k[0])
    x0, x1 = xor(make, x[0], box(make, y0)), xor(make, x[1], k[1])
    y1 = xor(make, y[1], box(make, x1))
    graph = Graph("g", [a, b, c], [make.make(Op.JOIN, [x0, x1]), make.make(Op.JOIN, [y0, y1])])
    keeps_graph(packed, graph)


def test_need_through_a_loop_is_seen() -> None:
    """What a loop's body takes from outside is a need like any other."""
    make = Builder()
    a, b = words(make, 2, 16)
    x, y = parts(make, a), parts(make, b)
    first = xor(make, x[0], y[0])
    index, carried = make.param("index", WordType(32), "i"), make.param("carried", WordType(8), "v")
    body = Region([index, carried], [make.make(Op.ADD, [carried, first])])
    (total,) = make.loop(make.const(0, 32), make.const(3, 32), [y[1]], body)
    graph = Graph("g", [a, b], [first, xor(make, x[1], total)])
    keeps_graph(packed, graph)


def tangle(choices: Choices) -> Graph:
    """XORs of bytes with bytes made before, in any order: every kind of need among packed words."""
    make = Builder()
    params = words(make, 3, 16)
    state = [parts(make, word) for word in params]
    pool = [byte for word in state for byte in word]
    for _ in range(1 + choices.integer(0, 11)):
        word, place = choices.integer(0, 2), choices.integer(0, 1)
        other = pool[choices.integer(0, len(pool) - 1)]
        other = box(make, other) if choices.integer(0, 1) else other
        state[word][place] = xor(make, state[word][place], other)
        pool.append(state[word][place])
    return Graph("tangle", params, [make.make(Op.JOIN, word) for word in state])


@st.composite
def tangles(draw) -> Graph:
    return tangle(Drawn(draw))


@given(tangles(), st.integers(0, 9))
@settings(deadline=None, max_examples=100)
def test_tangles(graph: Graph, seed: int) -> None:
    verify(graph)
    keeps_graph(packed, graph, seed)


def test_what_it_costs_to_join_words() -> None:
    """All but one are shifted, and ORed to the others."""
    make = Builder()
    (a,) = words(make, 1)
    joined = make.make(Op.JOIN, [make.make(Op.NOT, (part,)) for part in parts(make, a)])
    assert pack._cost(Graph("g", [a], [joined])) == 4 + 4 + 3 + 3
