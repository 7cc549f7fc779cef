"""Tables that others contain."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.plx.ptlu.contained import with_contained_tables, with_placed_tables, with_whole_bytes
from tests.graphs import random_graph
from tests.machines.plx.ptlu.test_folded_sums import WORD, same
from tests.machines.plx.ptlu.test_superwords import lowered
from tests.passes.meaning import keeps_graph, operations


def test_a_contained_table_goes() -> None:
    """Rijndael's last round reads no table of its own any more, and masks what it reads."""
    program = lowered("rijndael", "encrypt")

    def tables(graph: Graph) -> set[object]:
        return {node.attr for node in every_node(graph) if node.op is Op.LOOKUP}

    made = with_contained_tables(program.kernel)
    assert (len(tables(program.kernel)), len(tables(made))) == (5, 4)
    inverse = lowered("rijndael", "decrypt").kernel  # no entry's byte is the inverse S-box's
    assert tables(with_contained_tables(inverse)) == tables(inverse)


def test_whole_bytes() -> None:
    """Bytes of a word turned by one bit are taken from there; without it, and past its end, they stay."""
    make = Builder()
    a, b = (make.param("memory", WORD, name) for name in "ab")
    turned = make.make(Op.ROR, (a, make.const(1, 8)))
    left = make.make(Op.ROL, (b, make.const(29, 8)))  # three to the right
    parts = [make.slice(a, 9, 8), make.slice(b, 3, 8), make.slice(a, 3, 8), make.slice(a, 8, 8)]
    graph = Graph("bytes", [a, b], [turned, left, *parts])
    made = with_whole_bytes(graph)
    assert same(graph, made)
    sources = [part.inputs[0].op for part in made.results[2:]]
    assert sources == [Op.ROR, Op.ROL, Op.PARAM, Op.PARAM]


def joined(parts: int) -> Graph:
    make = Builder()
    words = [make.param("memory", WordType(8), f"x{k}") for k in range(parts)]
    table = TableData(tuple((7 * k + 3) % 256 for k in range(256)), 8, "S")
    return Graph("g", words, [make.make(Op.JOIN, [make.make(Op.LOOKUP, [word], table) for word in words])])


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs(seed: int) -> None:
    keeps_graph(lambda graph: with_placed_tables(graph, 99, 64), random_graph(f"placed {seed}"), seed)


@pytest.mark.parametrize(("most", "widest", "done"), [(4, 32, True), (3, 32, False), (4, 16, False)])
def test_as_far_as_there_is_room(most: int, widest: int, done: bool) -> None:
    after = keeps_graph(lambda graph: with_placed_tables(graph, most, widest), joined(4))
    assert bool(operations(after, Op.JOIN)) != done
    assert {node.width for node in operations(after, Op.LOOKUP)} == ({32} if done else {8})
