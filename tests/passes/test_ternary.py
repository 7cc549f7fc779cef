"""Gates of three inputs in place of chains of two: the same meaning, and fewer of them."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_node
from finalist.ir.ops import BITWISE, Op
from finalist.ir.types import WordType
from finalist.passes.ternary import COLUMNS, gate, truth, with_ternary_gates
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph, operations

U32 = WordType(32)
TWO = (Op.AND, Op.OR, Op.XOR)


def words(make: Builder, count: int, kind: str = "memory") -> list[Node]:
    return [make.param(kind, U32, f"{kind}{k}") for k in range(count)]


def gates(graph: Graph) -> list[Node]:
    """What takes an instruction; a complemented operand takes none."""
    return [node for node in every_node(graph) if node.op in BITWISE and node.op is not Op.NOT]


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs(seed: int) -> None:
    keeps_graph(with_ternary_gates, random_graph(f"ternary {seed}"), seed)


@pytest.mark.parametrize("seed", range(20))
def test_random_logic_takes_fewer_gates(seed: int) -> None:
    make, source = Builder(), random.Random(seed)
    nodes = params = words(make, 6)
    for _ in range(80):
        a, b = source.sample(nodes[-12:], 2)
        a = make.make(Op.NOT, (a,)) if source.random() < 0.2 else a
        nodes = [*nodes, make.make(source.choice(TWO), (a, b))]
    before = Graph("g", params, nodes[-6:])
    after = keeps_graph(with_ternary_gates, before, seed)
    assert len(gates(after)) <= 0.8 * len(gates(before))
    assert all(len(node.inputs) <= 3 for node in gates(after))


@pytest.mark.parametrize(("terms", "least"), [(3, 1), (4, 2), (5, 2), (9, 4)])
def test_sums(terms: int, least: int) -> None:
    make = Builder()
    params = words(make, terms)
    total = params[0]
    for word in params[1:]:
        total = make.make(Op.XOR, (total, word))
    assert len(gates(keeps_graph(with_ternary_gates, Graph("g", params, [total])))) == least


def test_what_others_take_is_computed_twice_where_that_is_a_gate_less() -> None:
    make = Builder()
    a, b, c, d = params = words(make, 4)
    both = make.make(Op.AND, (a, b))
    results = [make.make(Op.XOR, (both, c)), make.make(Op.XOR, (both, d))]
    after = keeps_graph(with_ternary_gates, Graph("g", params, results))
    assert len(gates(after)) == 2


def test_what_turns_out_constant_is_no_operand() -> None:
    """A word that is all zeros whatever it is made of, which only its truth table shows."""
    for op, expected in ((Op.XOR, Op.XOR), (Op.AND, Op.CONST)):
        make = Builder()
        a, b, c, d = params = words(make, 4)
        zeros = make.make(Op.XOR, (make.make(Op.AND, (a, b)), make.make(Op.AND, (b, a))))
        both = make.make(op, (c, make.make(op, (d, zeros))))
        after = keeps_graph(with_ternary_gates, Graph("g", params, [both]))
        assert after.results[0].op is expected
        assert all(child.op is not Op.CONST for node in after.body for child in node.inputs)


def test_what_depends_on_the_key_alone_is_left_alone() -> None:
    make = Builder()
    k, l, m = keys = words(make, 3, "key")
    (x,) = words(make, 1)
    key = make.make(Op.XOR, (make.make(Op.AND, (k, l)), m))
    graph = Graph("g", [x, *keys], [make.make(Op.XOR, (x, key))])
    after = keeps_graph(with_ternary_gates, graph)
    assert not operations(after, Op.BOOL)


def in_a_loop(turn: Callable[[Builder, Node, Node], Node]) -> Graph:
    """``x`` taken through three turns beside a word from outside."""
    make = Builder()
    x, y = params = words(make, 2)
    index, carried = make.param("index", U32, "i"), make.param("carried", U32, "c")
    body = Region([index, carried], [turn(make, carried, y)])
    return Graph("g", params, make.loop(make.const(0, 32), make.const(3, 32), [x], body))


def test_loops() -> None:
    def turn(make: Builder, word: Node, other: Node) -> Node:
        added = make.make(Op.XOR, (make.make(Op.AND, (word, other)), make.const(5, 32)))
        return make.make(Op.ROL, (added, make.const(1, 8)))

    after = keeps_graph(with_ternary_gates, in_a_loop(turn))
    assert len(gates(after)) == 1


@pytest.mark.parametrize("table", range(256))
def test_gates_by_their_truth_tables(table: int) -> None:
    make = Builder()
    inputs = words(make, 3)
    made = gate(make, inputs, table, 32)
    assert truth(made, inputs) == table
    assert made.op is not Op.BOOL or len(made.inputs) in (2, 3)


def test_words_themselves() -> None:
    make = Builder()
    inputs = words(make, 3)
    assert [gate(make, inputs, column, 32) for column in COLUMNS] == inputs


def test_the_statements_of_a_function_keep_their_order() -> None:
    """It may have been chosen so that few words are alive at once."""
    make = Builder()
    a, b = words(make, 2, "argument")
    total, product = make.make(Op.ADD, (a, b)), make.make(Op.MUL, (a, b))
    function = Region([a, b], [make.make(Op.SUB, (product, total))])
    x, y = words(make, 2)
    graph = keeps_graph(with_ternary_gates, Graph("g", [x, y], [make.apply(function, [x, y])]))
    (applied,) = graph.results
    assert [node.op for node in applied.region.body] == [Op.ADD, Op.MUL, Op.SUB]
