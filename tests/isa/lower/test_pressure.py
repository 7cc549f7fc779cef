"""Orders in which few words wait: what is moved, what may not be, and that the meaning stays."""

from __future__ import annotations

import random

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.lower.carries import groups
from finalist.isa.lower.pressure import Pressure, _owners, _Units, wanted_later
from finalist.isa.lower.subroutines import Call, Subroutine
from tests.passes.meaning import same_graph

BOX = TableData(tuple(k * 7 % 256 for k in range(256)), 8, "BOX")
BYTE = WordType(8)


def words(make: Builder, count: int) -> list[Node]:
    return [make.param("memory", BYTE, f"w{k}") for k in range(count)]


def xor(make: Builder, *parts: Node) -> Node:
    total, *others = parts
    for part in others:
        total = make.make(Op.XOR, (total, part))
    return total


def box(make: Builder, x: Node) -> Node:
    return make.make(Op.LOOKUP, (x,), BOX)


def of_four() -> Graph:
    """Four words, the last of which only the second and the third result want."""
    make = Builder()
    given = words(make, 4)
    z = [box(make, x) for x in given]
    rows = [(z[0], z[1]), (z[1], z[2], z[3]), (z[0], z[2], z[3]), (z[0], z[1], z[2])]
    return Graph("rows", given, [box(make, xor(make, *row)) for row in rows])


def bytes_of(graph: Graph) -> int:
    units = _Units.of(graph, _owners(graph, {}, {}), lambda _: 0)
    assert units is not None
    return units.usual()[0]


def arranged(graph: Graph) -> Graph:
    Pressure({}).arrange(graph, groups(graph, 8, []))
    return graph


def test_a_word_gives_its_byte_to_what_comes_after_its_last_use() -> None:
    graph, before = of_four(), of_four()
    assert bytes_of(graph) == 6
    arranged(graph)
    assert bytes_of(graph) == 5
    same_graph(before, graph)
    assert len(graph.body) == len(before.body)


def test_an_order_that_is_as_good_stays() -> None:
    make = Builder()
    a, b = words(make, 2)
    graph = Graph("two", [a, b], [box(make, a), box(make, b)])
    body = graph.body
    assert arranged(graph).body is body


def test_what_works_on_memory_stays() -> None:
    graph = of_four()
    make = Builder()
    array = make.param("state", ArrayType(4, 8), "state")
    stored = make.make(Op.STORE, (array, make.const(0, 8), graph.results[0]))
    made = Graph("stored", [*graph.params, array], [*graph.results[1:], stored])
    body = made.body
    assert arranged(made).body is body


def test_a_call_takes_what_its_subroutine_does() -> None:
    make = Builder()
    given = words(make, 2)
    inner = of_four()
    outputs = [xor(make, *given), box(make, xor(make, *given))]
    graph = Graph("calling", given, outputs)
    call = Call(Subroutine(inner), list(graph.body), given, outputs)
    order = Pressure(dict.fromkeys(graph.body, call))
    order.arrange(inner, {})
    units = _Units.of(graph, _owners(graph, {}, order.calls), order._own)
    assert units is not None
    assert len(units.units) == 1
    assert units.usual() == (5, 0)


def test_what_a_call_does_not_copy_is_counted_once() -> None:
    """The words that go in are wanted after it; they are those of the subroutine."""
    make = Builder()
    given = words(make, 4)
    inner = of_four()
    outputs = [xor(make, *given), box(make, xor(make, *given))]
    last = [xor(make, *outputs, x) for x in given]
    graph = Graph("calling", given, last)
    nodes = [outputs[0], outputs[1].inputs[0], outputs[1]]
    call = Call(Subroutine(inner), nodes, given, outputs)
    kept = wanted_later(graph, [call])
    assert kept == set(inner.params)
    order = Pressure(dict.fromkeys(nodes, call))
    order.arrange(inner, {}, kept)
    owners = _owners(graph, {}, order.calls)
    alone = _Units.of(graph, owners, order._own, kept)
    told = _Units.of(graph, owners, order._own, kept, lambda node: order._counted(node, kept))
    assert alone is not None
    assert told is not None
    assert told.usual()[0] == alone.usual()[0] - 4


def test_what_a_call_makes_for_itself_is_wanted_by_nobody_else() -> None:
    make = Builder()
    given = words(make, 2)
    first = xor(make, *given)
    taken = words(make, 1)
    inner = Graph("inner", taken, [box(make, taken[0])])
    second = [box(make, first), box(make, box(make, first))]
    graph = Graph("calling", given, second)
    call = Call(Subroutine(inner), [second[0], *second[1].inputs, second[1]], [first], second)
    assert wanted_later(graph, [call]) == set()


@pytest.mark.parametrize("seed", range(4))
def test_random_graphs_mean_the_same(seed: int) -> None:
    draw, make = random.Random(seed), Builder()
    made = words(make, 4)
    for _ in range(40):
        a, b = draw.choice(made), draw.choice(made)
        made.append(make.make(draw.choice([Op.XOR, Op.ADD, Op.AND]), (a, b)))
    results = made[-6:]
    graph, before = Graph("random", made[:4], results), Graph("random", made[:4], results)
    least = bytes_of(before)
    arranged(graph)
    assert bytes_of(graph) <= least
    same_graph(before, graph)
