"""Loops that pass over more than an index reaches become several."""

from __future__ import annotations

import pytest

import finalist
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.prepare import reach
from finalist.vectors.load import known_answers
from tests.graphs import random_graph, random_program
from tests.passes.meaning import keeps_graph, keeps_program


def summing(start: int, stop: int, scale: int, width: int = 8, nested: bool = False) -> Graph:
    """Adds up, and overwrites, every ``scale``-th entry of an array; ``nested``: three times, in a loop."""
    make = Builder()
    array = make.param("key", ArrayType(scale * stop + 1, width), "a")
    begin = make.array([0] * array.length, width)
    word = make.param("memory", WordType(width), "x")
    turn, total, own = (
        make.param("index", WordType(32), "i"),
        make.param("carried", word.type, "t"),
        make.param("carried", array.type, "c"),
    )
    place = make.make(Op.ADD, [make.make(Op.MUL, [turn, make.const(scale, 32)]), make.const(1, 32)])
    more = make.make(
        Op.ADD, [make.make(Op.ROL, [total, make.const(3, 8)]), make.make(Op.LOAD, [array, place])]
    )
    region = Region([turn, total, own], [more, make.make(Op.STORE, [own, place, more])])
    bounds = make.const(start, 32), make.const(stop, 32)
    if not nested:
        return Graph("g", [array, word], make.loop(*bounds, [word, begin], region))
    outer = [
        make.param("index", WordType(32), "o"),
        *(make.param("carried", n.type, n.name) for n in (total, own)),
    ]
    inner = make.loop(*bounds, outer[1:], region)
    return Graph(
        "g",
        [array, word],
        make.loop(make.const(0, 32), make.const(3, 32), [word, begin], Region(outer, inner)),
    )


def bounds(graph: Graph) -> list[tuple[int, ...]]:
    loops: list[Node] = [node for node in every_node(graph) if node.op is Op.LOOP]
    return [tuple(bound.attr for bound in node.inputs[:2]) for node in loops]


@pytest.mark.parametrize(
    ("start", "stop", "scale", "width", "parts"),
    [
        (0, 4, 128, 8, [(0, 2), (2, 4)]),
        (0, 4, 85, 8, [(0, 4)]),
        (0, 4, 86, 8, [(0, 3), (3, 4)]),
        (1, 6, 32, 16, [(1, 5), (5, 6)]),
        (0, 3, 300, 8, [(0, 1), (1, 2), (2, 3)]),
        (0, 255, 1, 8, [(0, 255)]),
        (0, 0, 300, 8, [(0, 0)]),
    ],
)
def test_loops(start: int, stop: int, scale: int, width: int, parts: list[tuple[int, int]]) -> None:
    graph = summing(start, stop, scale, width)
    assert bounds(keeps_graph(lambda g: reach.within_reach(g, 8), graph)) == parts


def test_a_loop_in_a_loop() -> None:
    after = keeps_graph(lambda g: reach.within_reach(g, 8), summing(0, 4, 128, nested=True))
    assert sorted(bounds(after)) == [(0, 2), (0, 3), (2, 4)]


def test_entries_with_others_between_them_are_further_apart() -> None:
    """Whether the loop reads the array itself or a version of it that it carries, within another loop too."""
    for nested in (False, True):
        graph = summing(0, 4, 30, nested=nested)
        assert (0, 4) in bounds(reach.within_reach(graph, 8))
        (made,) = {node for node in every_node(graph) if node.op is Op.ARRAY}
        for array in (graph.params[0], made):
            after = keeps_graph(lambda g, a=array: reach.within_reach(g, 8, {a: 4}), graph)
            assert (0, 3) in bounds(after) and (3, 4) in bounds(after)


@pytest.mark.check
def test_arrays_of_the_key_side_by_side() -> None:
    """68 round keys of eight bytes, of which four lie side by side: 64 of them in reach of a byte."""
    program = finalist.compile("simon", "hc05", "encrypt", 128)
    row = next(row for row in known_answers("simon") if len(row.key) == 16)
    assert program.run(row.key, row.plaintext).output == row.ciphertext


def test_what_an_index_reaches_stays_the_same_graph() -> None:
    graph = summing(0, 4, 60)
    assert reach.within_reach(graph, 8) is graph


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs(seed: int) -> None:
    """With indices so short that loops are cut."""
    keeps_graph(lambda graph: reach.within_reach(graph, 3), random_graph(f"reach {seed}"), seed)
    keeps_program(lambda program: reach.run(program, 2), random_program(f"reach {seed}"), seed)
