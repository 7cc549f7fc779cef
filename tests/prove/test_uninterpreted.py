"""Loops and arrays as uninterpreted terms: what has equal numbers has equal values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType, WordType
from finalist.machines.tracing import traced
from finalist.passes import simplify
from finalist.prove.definition import split
from finalist.prove.memory import as_bytes
from finalist.prove.uninterpreted import Uninterpreted
from finalist.prove.words import Words
from tests.graphs import Shape, inputs_for, random_graph

CHECK = (pytest.mark.slow, pytest.mark.check)
SHAPE = Shape(ops=frozenset(Op) - {Op.INSTRUCTION, Op.APPLY}, widths=(8, 16, 5, 32, 1, 33), size=8)
#: What one operation is exchanged for.
OTHER = {
    Op.ADD: Op.SUB,
    Op.SUB: Op.ADD,
    Op.XOR: Op.OR,
    Op.OR: Op.AND,
    Op.AND: Op.XOR,
    Op.LT: Op.EQ,
    Op.EQ: Op.LT,
}


def numbered(*graphs: Graph) -> list[list[Any]]:
    """What each graph makes of the same unknown words and arrays."""
    words = Words()
    evaluator = Uninterpreted(words)
    given = [evaluator.symbol(param.type, "given", at) for at, param in enumerate(graphs[0].params)]
    return [evaluator.run(graph, given) for graph in graphs]


def changed(graph: Graph, source: random.Random) -> Graph | None:
    """The graph with one operation another, wherever it stands; None if it has none."""
    nodes = [node for node in every_node(graph) if node.op in OTHER]
    if not nodes:
        return None
    at = source.choice(nodes)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return rewriter.builder.make(OTHER[node.op], inputs) if node is at else None

    return rewrite(graph, Builder(), visit)


def same(a: Graph, b: Graph, seed: int) -> bool:
    """Whether the interpreter makes the same of both."""
    given = inputs_for(a, 40, seed)
    pairs = zip(interpreter.run(a, given), interpreter.run(b, given), strict=True)
    return all(np.array_equal(x, y) for x, y in pairs)


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=CHECK) for k in range(1, 12))])
def test_random_graphs_that_are_equal_by_name_are_equal(part: int) -> None:
    """Of graphs of which one operation was changed, some are, where it does not matter; what it matters for
    has another name."""
    told_apart = equal = 0
    for seed in range(60 * part, 60 * part + 60):
        graph, source = random_graph(f"folded {seed}", SHAPE), random.Random(seed)
        other = changed(graph, source)
        if other is None:
            continue
        first, second = numbered(graph, other)
        if first == second:
            equal += 1
            assert same(graph, other, seed), seed
        else:
            told_apart += 1
    assert told_apart > 10
    assert equal > 1


def test_what_the_simplifier_makes_has_most_often_the_same_name() -> None:
    graphs = [random_graph(f"simplified {seed}", SHAPE) for seed in range(30)]
    found = [numbered(graph, simplify.simplified(graph)) for graph in graphs]
    assert sum(first == second for first, second in found) > 20


WORD, ARRAY = WordType(8), ArrayType(4, 8)


def counting(step: int = 1, first: int = 0, captured: bool = True) -> Graph:
    """A word that others are added to, as often as an unknown word says, with an entry of an array that is
    stored in each iteration. ``captured``: whether the first word is one of them."""
    make = Builder()
    times, word, array = (make.param("memory", type_) for type_ in (WORD, WORD, ARRAY))
    index, total, entries = (make.param("carried", type_) for type_ in (WORD, WORD, ARRAY))
    entry = make.make(Op.LOAD, (entries, index))
    added = make.make(Op.ADD, (entry, word if captured else make.const(3, 8)))
    stored = make.make(Op.STORE, (entries, index, make.make(Op.ADD, (entry, make.const(step, 8)))))
    region = Region((index, total, entries), (make.make(Op.ADD, (total, added)), stored))
    return Graph(
        "counting", (times, word, array), make.loop(make.const(first, 8), times, (word, array), region)
    )


def test_a_loop_that_an_unknown_word_ends() -> None:
    """It has a name, and another one if it begins elsewhere or does something else."""
    one, again, step, first, captured = numbered(
        counting(), counting(), counting(step=2), counting(first=1), counting(captured=False)
    )
    assert one == again
    assert all(one[0] != other[0] and one[1] != other[1] for other in (step, first, captured))


def twice(inner: bool, by_start: bool = False) -> Graph:
    """A loop within a loop, of as many iterations as an unknown word says, that adds the inner index or the
    outer one. ``by_start``: the word is where the inner one begins, not where it ends."""
    make = Builder()
    times, word = (make.param("memory", WORD) for _ in range(2))
    i, total, j, within = (make.param("carried", WORD) for _ in range(4))
    bounds = (times, make.const(200, 8)) if by_start else (make.const(200, 8), times)
    (added,) = make.loop(
        *bounds, (total,), Region((j, within), (make.make(Op.ADD, (within, j if inner else i)),))
    )
    whole = make.loop(make.const(0, 8), make.const(9, 8), (word,), Region((i, total), (added,)))
    return Graph("twice", (times, word), whole)


def test_loops_within_loops() -> None:
    found = numbered(twice(inner=True), twice(inner=False), twice(inner=True, by_start=True))
    assert len({tuple(one[0]) for one in found}) == len(found)
    assert numbered(twice(inner=True)) == numbered(twice(inner=True))


def under(condition: int) -> Graph:
    """An array and a word that are changed where one of two unknown bits is 1."""
    make = Builder()
    bits = [make.param("memory", WordType(1)) for _ in range(2)]
    array, word = (make.param("memory", type_) for type_ in (ARRAY, WORD))
    entries, own = (make.param("carried", type_) for type_ in (ARRAY, WORD))
    stored = make.make(Op.STORE, (entries, make.const(0, 8), own))
    region = Region((entries, own), (stored, make.make(Op.NOT, (own,))))
    changed_ = make.results(make.make(Op.WHEN, (bits[condition], array, word), region))
    return Graph("under", (*bits, array, word), changed_)


def test_what_is_changed_under_a_condition() -> None:
    """It is neither what it was nor what it would be, nor that under another condition."""
    first, again, other = numbered(under(0), under(0), under(1))
    assert first == again
    assert all(a != b for a, b in zip(first, other, strict=True))


def test_a_loop_without_iterations_and_what_it_leaves_as_it_is() -> None:
    make = Builder()
    word, other = (make.param("memory", WORD) for _ in range(2))
    index, a, b = (make.param("carried", WORD) for _ in range(3))
    region = Region((index, a, b), (make.make(Op.ADD, (a, b)), b))
    none = make.loop(make.const(3, 8), make.const(3, 8), (word, other), region)
    some = make.loop(make.const(3, 8), make.const(4, 8), (word, other), region)
    (found,) = numbered(Graph("loops", (word, other), (word, other, *none, *some)))
    assert found[2:4] == found[:2]
    assert found[5] == found[1]
    assert found[4] not in found[:4]


def test_what_an_array_gives() -> None:
    """At the index of the last store what was stored, at another one that is known what was there; at others
    a word of its own, the same after one store to an index or two."""
    make = Builder()
    array, place, value = (make.param("memory", type_) for type_ in (ARRAY, WORD, WORD))
    stored = make.make(Op.STORE, (array, place, value))
    at_one = make.make(Op.STORE, (array, make.const(1, 8), value))
    over = make.make(Op.STORE, (make.make(Op.STORE, (array, place, place)), place, value))
    fresh = make.array([5, 6, 7, 8], 8)
    reads = [
        make.make(Op.LOAD, (stored, place)),
        make.make(Op.LOAD, (at_one, make.const(5, 8))),
        make.make(Op.LOAD, (at_one, make.const(2, 8))),
        make.make(Op.LOAD, (array, make.const(6, 8))),
        make.make(Op.LOAD, (at_one, place)),
        make.make(Op.LOAD, (stored, make.const(1, 8))),
        make.make(Op.LOAD, (over, make.const(1, 8))),
        make.make(Op.LOAD, (fresh, make.const(2, 8))),
    ]
    ((written, fifth, second, sixth, unknown, once, again, known, word),) = numbered(
        Graph("reads", (array, place, value), (*reads, value))
    )
    assert written == fifth == word
    assert second == sixth
    assert unknown not in (word, second)
    assert once == again != word
    assert known == 7


@pytest.mark.parametrize("length", [4, 5])
@pytest.mark.parametrize("wrong", ["", "other index", "values exchanged", "another value"])
def test_an_entry_that_the_last_store_may_have_replaced(length: int, wrong: str) -> None:
    """Past a store to an unknown index, what was stored before: the choice between both, and no other. Of an
    array whose length is no power of two an index that is too large would be another one."""
    make = Builder()
    array, place, last, before = (
        make.param("memory", type_) for type_ in (ArrayType(length, 8), WORD, WORD, WORD)
    )
    at = make.make(Op.STORE, (array, make.const(1, 8), before))
    aside = make.make(Op.STORE, (at, make.const(2, 8), place))
    read = make.make(Op.LOAD, (make.make(Op.STORE, (aside, place, last)), make.const(1, 8)))
    here = make.make(Op.EQ, (make.make(Op.AND, (place, make.const(length - 1, 8))), make.const(1, 8)))
    if wrong == "other index":
        here = make.make(Op.EQ, (make.make(Op.AND, (place, make.const(3, 8))), make.const(2, 8)))
    first, second = (before, last) if wrong == "values exchanged" else (last, before)
    choice = make.make(Op.SELECT, (here, first, place if wrong == "another value" else second))
    ((found, made),) = numbered(Graph("choice", (array, place, last, before), (read, choice)))
    assert (found == made) == (length == 4 and not wrong)


def test_a_key_schedule_whose_loops_depend_on_the_key() -> None:
    """FROG's, before and after a pass; one with another remainder in a loop is not equal."""
    program = traced(cipher("frog"), "encrypt", 128)
    words = Words()
    evaluator, key = Uninterpreted(words), split(program.key, as_bytes(words, "key", 16))
    good = simplify.run(program).expand
    loops = [node for node in every_node(good) if node.op is Op.LOOP]
    at = next(node for loop in loops for node in loop.region.body if node.op is Op.REM)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return rewriter.builder.make(Op.REM, inputs[::-1]) if node is at else None

    first, second, wrong = (
        evaluator.run(graph, key) for graph in (program.expand, good, rewrite(good, Builder(), visit))
    )
    assert first == second != wrong
