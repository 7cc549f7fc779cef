"""Regions compute their own body: what depends on their parameters, in an order that can be executed."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalist.errors import GraphError
from finalist.ir.builder import Builder
from finalist.ir.graph import (
    Graph,
    Node,
    Region,
    TableData,
    every_node,
    operands,
    origin,
    postorder,
    trip_count,
    tuple_of,
)
from finalist.ir.ops import CONTROL, Op
from finalist.ir.types import ArrayType, TupleType, WordType
from tests.graphs import examples, graphs

U32 = WordType(32)


def word(make: Builder, name: str = "p") -> Node:
    return make.param("memory", U32, name)


def test_types_print_as_they_are_written() -> None:
    assert str(WordType(7)) == "u7"
    assert str(ArrayType(4, 32)) == "u32[4]"
    assert str(TupleType((U32, ArrayType(2, 8)))) == "(u32, u8[2])"


def test_width_and_length_of_what_has_none() -> None:
    make = Builder()
    v = make.param("carried", U32, "v")
    node = make.make(Op.WHEN, [make.slice(word(make), 0, 1), v], Region([v], [v]))
    with pytest.raises(GraphError, match="has no width"):
        _ = node.width
    with pytest.raises(GraphError, match="no array"):
        _ = v.length


def test_index_width_of_a_table() -> None:
    assert TableData((1, 2), 8).index_width == 1
    assert TableData(tuple(range(256)), 8).index_width == 8
    assert TableData((1, 2), 8, "A") == TableData((1, 2), 8, "B")


def test_what_does_not_depend_on_the_parameters_is_outside() -> None:
    """Loop-invariant work moves out by itself."""
    make = Builder()
    p, i = word(make), make.param("index", U32, "i")
    fixed = make.make(Op.NOT, [p])
    inside = make.make(Op.ADD, [i, fixed])
    region = Region([i], [inside])
    assert region.body == (inside,)
    assert region.free == (fixed,)
    assert not region.closed


def test_constants_are_never_free() -> None:
    make = Builder()
    x = word(make, "x")
    region = Region([x], [make.make(Op.XOR, [x, make.const(5, 32)])])
    assert region.closed


def test_a_parameter_or_an_outside_value_may_be_the_result() -> None:
    make = Builder()
    p, x = word(make), word(make, "x")
    assert Region([x], [x]).body == ()
    assert Region([x], [p]).free == (p,)


def test_what_an_inner_region_takes_is_needed_outside() -> None:
    make = Builder()
    p, c = word(make), word(make, "c")
    i, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    secret = make.make(Op.NOT, [p])
    (result,) = make.loop(c, c, [c], Region([i, v], [make.make(Op.ADD, [v, secret])]))
    loop = result.inputs[0]
    assert secret in set(operands(loop))
    graph = Graph("g", [p, c], [result])
    assert graph.body.index(secret) < graph.body.index(loop)
    assert set(every_node(graph)) > set(graph.body)


def test_values_of_an_ended_region_are_refused() -> None:
    make = Builder()
    p, i = word(make), make.param("index", U32, "i")
    with pytest.raises(GraphError, match=r"g: i .* belongs to a region that has ended"):
        Graph("g", [p], [make.make(Op.ADD, [p, i])])


def test_reads_come_before_the_overwriting() -> None:
    """The read is made after the write, but of the version before it."""
    make = Builder()
    p, array = word(make), make.array([1, 2], 32)
    written = make.make(Op.STORE, [array, p, p])
    late = make.make(Op.LOAD, [array, p])
    new = make.make(Op.LOAD, [written, p])
    order = Graph("g", [p], [make.make(Op.ADD, [new, late])]).body
    assert order.index(late) < order.index(written) < order.index(new)


def test_reads_inside_a_loop_come_before_the_overwriting() -> None:
    make = Builder()
    p, array = word(make), make.array([1, 2], 32)
    i, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    written = make.make(Op.STORE, [array, p, p])
    (total,) = make.loop(p, p, [p], Region([i, v], [make.make(Op.LOAD, [array, i])]))
    order = Graph("g", [p], [total, written]).body
    assert order.index(total.inputs[0]) < order.index(written)


def test_a_read_that_cannot_come_before_is_refused() -> None:
    """The old version is read at a place that only the new one knows."""
    make = Builder()
    p, array = word(make), make.array([1, 2], 32)
    new = make.make(Op.LOAD, [make.make(Op.STORE, [array, p, p]), p])
    with pytest.raises(GraphError, match="read after it was overwritten"):
        Graph("g", [p], [make.make(Op.LOAD, [array, new])])


def test_order_follows_rounds_not_making() -> None:
    make = Builder()
    p = word(make)
    make.phase = 2
    late = make.make(Op.NOT, [p])
    make.phase = 1
    early = make.make(Op.ADD, [p, p])
    assert Graph("g", [p], [late, early]).body == (early, late)


def test_a_value_is_made_when_its_first_user_needs_it() -> None:
    make = Builder()
    p = word(make)
    make.phase = 5
    shared = make.make(Op.NOT, [p])
    make.phase = 1
    early = make.make(Op.ADD, [shared, p])
    make.phase = 3
    other = make.make(Op.MUL, [p, p])
    assert Graph("g", [p], [other, early]).body == (shared, early, other)


def test_depth_is_no_limit() -> None:
    make = Builder()
    node = p = word(make)
    for _ in range(20_000):
        node = make.make(Op.ADD, [node, p])
    assert len(Graph("g", [p], [node]).body) == 20_000


def test_postorder_without_what_only_the_known_need() -> None:
    make = Builder()
    p = word(make)
    a = make.make(Op.NOT, [p])
    b, c = make.make(Op.ADD, [a, a]), make.make(Op.MUL, [a, a])
    assert postorder([b, c]) == [p, a, b, c]
    assert postorder([b, c], {a}) == [b, c]


def test_origin_of_a_version() -> None:
    make = Builder()
    p, array = word(make), make.array([1, 2], 32)
    carried = make.param("carried", array.type, "a")
    first = make.make(Op.STORE, [array, p, p])
    body = Region([carried], [make.make(Op.STORE, [carried, p, p])])
    (after,) = make.results(make.make(Op.WHEN, [make.slice(p, 0, 1), first], body))
    assert origin(after) is array
    assert origin(body.results[0]) is carried


@given(graphs(), st.integers(0, 99))
@examples
def test_bodies_are_executable_and_complete(graph: Graph, seed: int) -> None:
    """Operands first, every version's reads before its overwriting, in all regions."""
    regions: list[tuple[Region, set[Node]]] = [(graph, set())]
    while regions:
        region, outer = regions.pop()
        known = outer | set(region.params)
        overwritten: set[Node] = set()
        for node in region.body:
            used = {child for child in operands(node) if child.op is not Op.CONST}
            assert used <= known
            assert not used & overwritten, "a version is read after its overwriting"
            arrays = (child for child in node.inputs if isinstance(child.type, ArrayType))
            overwritten |= set(arrays) if node.op is not Op.LOAD else set()
            if node.op in CONTROL:
                regions.append((node.region, set(known)))
            known.add(node)
        assert all(result in known or result.op is Op.CONST for result in region.results)


@given(graphs(), st.integers(0, 99))
@examples
def test_the_order_of_results_does_not_change_what_is_computed(graph: Graph, seed: int) -> None:
    results = list(graph.results)
    random.Random(seed).shuffle(results)
    again = Graph(graph.name, graph.params, results)
    assert set(again.body) == set(graph.body)


def test_the_tuple_whose_first_words_some_are() -> None:
    make = Builder()
    one, other = (make.make(Op.TUPLE, [word(make, f"{name}{k}") for k in range(3)]) for name in "pq")
    words, others = make.results(one), make.results(other)
    assert tuple_of(words) is tuple_of(words[:2]) is tuple_of(words[:1]) is one
    assert tuple_of(words[::-1]) is tuple_of(words[1:]) is tuple_of([words[0], others[1]]) is None
    assert tuple_of([words[0], word(make)]) is tuple_of([word(make), words[1]]) is None


def test_words_of_a_loop_are_of_no_tuple() -> None:
    make = Builder()
    index, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    results = make.loop(make.const(2, 32), make.const(7, 32), [word(make)], Region([index, v], [v]))
    assert tuple_of(results) is None
    assert trip_count(results[0].inputs[0], 9) == 5
    open_end = make.loop(make.const(2, 32), word(make), [word(make)], Region([index, v], [v]))
    assert trip_count(open_end[0].inputs[0], 9) == 9
