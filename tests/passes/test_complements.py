"""Complements travel to where they meet the key: the same values, and no gate more."""

from __future__ import annotations

import random

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.passes.complements import _moved
from tests.passes.meaning import keeps_graph, operations

WIDTH = 8
GATES = (Op.AND, Op.OR, Op.XOR, Op.NOT)


def words(make: Builder) -> tuple[Node, Node, Node]:
    """Two words of a block, and one of the key."""
    key = make.param("key", ArrayType(4, WIDTH), "k")
    block = (make.param("memory", WordType(WIDTH), name) for name in "ab")
    return (*block, make.make(Op.LOAD, (key, make.const(1, 32))))


def moved(make: Builder, *results: Node) -> Graph:
    """What becomes of a graph on such words; it means the same."""
    return keeps_graph(_moved, Graph("g", make_params(results), results))


def make_params(results: tuple[Node, ...]) -> list[Node]:
    found: dict[Node, None] = {}

    def visit(node: Node) -> None:
        if node.op is Op.PARAM:
            found[node] = None
        for child in node.inputs:
            visit(child)

    for result in results:
        visit(result)
    return sorted(found, key=lambda node: (node.attr == "key", node.serial))


def test_a_complement_goes_into_the_word_of_the_key() -> None:
    make = Builder()
    a, b, k = words(make)
    graph = moved(make, make.make(Op.XOR, (make.make(Op.XOR, (make.make(Op.NOT, (a,)), b)), k)))
    (keyed,) = operations(graph, Op.NOT)
    assert keyed.inputs[0].op is Op.LOAD


def test_two_complements_are_none() -> None:
    make = Builder()
    a, b, _ = words(make)
    graph = moved(make, make.make(Op.XOR, (make.make(Op.NOT, (a,)), make.make(Op.NOT, (b,)))))
    assert [node.op for node in graph.body] == [Op.XOR]


@pytest.mark.parametrize("op", [Op.AND, Op.OR])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("outside", [False, True])
def test_gates_of_complemented_words(op: Op, first: bool, second: bool, outside: bool) -> None:
    """One gate, and complements of at most one word; none where all cancel (De Morgan)."""
    make = Builder()
    a, b, _ = words(make)
    inputs = [make.make(Op.NOT, (w,)) if inverted else w for w, inverted in ((a, first), (b, second))]
    result = make.make(op, inputs)
    graph = moved(make, make.make(Op.NOT, (result,)) if outside else result)
    assert len(operations(graph, Op.AND)) + len(operations(graph, Op.OR)) == 1
    assert len(graph.body) <= 3
    if first and second and outside:
        assert len(graph.body) == 1


@pytest.mark.parametrize("op", [Op.SHL, Op.SHR, Op.ROL, Op.ROR])
@pytest.mark.parametrize("amount", [0, 1, 5, 7])
def test_a_complement_moves_with_its_word(op: Op, amount: int) -> None:
    make = Builder()
    a, _, k = words(make)
    word = make.make(op, (make.make(Op.NOT, (a,)), make.const(amount, WIDTH)))
    graph = moved(make, make.make(Op.XOR, (word, k)))
    assert not any(node.op is Op.NOT and node.inputs[0] is a for node in graph.body)


def test_truth_tables_take_it_in() -> None:
    make = Builder()
    a, b, _ = words(make)
    inverted = make.make(Op.NOT, (a,))
    graph = moved(make, make.make(Op.BOOL, (inverted, b), 0b0110_1000 & 0xF, type_=WordType(WIDTH)))
    assert [node.op for node in graph.body] == [Op.BOOL]


def test_sums_need_the_word_itself() -> None:
    make = Builder()
    a, b, _ = words(make)
    graph = moved(make, make.make(Op.ADD, (make.make(Op.XOR, (a, make.const(3, WIDTH))), b)))
    assert {node.op for node in graph.body} == {Op.XOR, Op.ADD}


def test_part_of_a_word_complemented_goes_through_no_gate() -> None:
    make = Builder()
    a, b, _ = words(make)
    graph = moved(make, make.make(Op.AND, (make.make(Op.XOR, (a, make.const(0xF, WIDTH))), b)))
    assert {node.op for node in graph.body} == {Op.XOR, Op.AND}


def test_nothing_to_do() -> None:
    make = Builder()
    a, b, _ = words(make)
    graph = Graph("g", [a, b], [make.make(Op.AND, (a, b))])
    assert _moved(graph) is graph


@pytest.mark.parametrize("number", range(30))
def test_random_gates(number: int) -> None:
    """All that has been complemented and is not needed so is free: no more operations than before."""
    source, make = random.Random(number), Builder()
    known = list(words(make))
    for _ in range(25):
        op = source.choice(GATES)
        known.append(make.make(op, source.choices(known, k=1 if op is Op.NOT else 2)))
    results = tuple(known[-4:])
    before = Graph("g", make_params(results), results)
    after = moved(make, *results)
    gates = {Op.AND, Op.OR}
    assert sum(n.op in gates for n in after.body) <= sum(n.op in gates for n in before.body)
