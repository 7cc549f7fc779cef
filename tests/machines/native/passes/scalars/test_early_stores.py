"""Round keys are stored as they are computed, where they are more than registers and not mere copies."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.scalars.early_stores import with_early_stores
from finalist.machines.tracing import traced
from finalist.passes.pipeline import lower
from tests.passes.meaning import keeps_graph, operations

#: More than there are registers.
MANY = 20


def stored(make: Builder, values: Iterable[Node], order: Iterable[int] | None = None) -> Node:
    """An array of values, stored in this order of indices."""
    found = list(values)
    array = make.array([0] * len(found), found[0].width)
    for index in range(len(found)) if order is None else order:
        array = make.make(Op.STORE, (array, make.const(index, 32), found[index]))
    return array


def recurrence(make: Builder, word: Node, steps: int) -> list[Node]:
    """Round keys, each made of the one before by two operations."""
    found = [word]
    for step in range(1, steps):
        rotated = make.make(Op.ROL, (found[-1], make.const(3, 32)))
        found.append(make.make(Op.XOR, (rotated, make.const(step, word.width))))
    return found[1:]


def distances(graph: Graph) -> list[int]:
    """How many statements each store stands behind what it stores; 0 of a parameter."""
    number = {node: n for n, node in enumerate(graph.body)}
    return [number[node] - number.get(node.inputs[2], number[node]) for node in operations(graph, Op.STORE)]


def a_recurrence(steps: int = MANY + 1, order: Iterable[int] | None = None) -> Graph:
    make = Builder()
    word = make.param("memory", WordType(64), "k")
    return Graph("g", [word], [stored(make, recurrence(make, word, steps), order)])


def test_each_round_key_is_stored_at_once() -> None:
    graph = a_recurrence()
    assert max(distances(graph)) > MANY
    after = keeps_graph(with_early_stores, graph)
    assert set(distances(after)) == {1} and len(after.body) == len(graph.body)


@pytest.mark.parametrize("seed", range(10))
def test_whatever_the_order_of_indices(seed: int) -> None:
    order = random.Random(seed).sample(range(MANY), MANY)
    after = keeps_graph(with_early_stores, a_recurrence(order=order), seed)
    assert set(distances(after)) == {1}


def test_several_arrays_and_values_that_stand_twice() -> None:
    make = Builder()
    word = make.param("memory", WordType(64), "k")
    keys = recurrence(make, word, MANY + 1)
    graph = Graph("g", [word], [stored(make, keys), stored(make, [keys[3], *keys[:4], word])])
    after = keeps_graph(with_early_stores, graph)
    assert max(distances(after)) <= 4 and len(after.body) == len(graph.body)


def test_what_fits_into_registers_is_stored_at_the_end() -> None:
    graph = a_recurrence(12)
    assert with_early_stores(graph) is graph


def test_copies_stay_together() -> None:
    make = Builder()
    words = [make.param("memory", WordType(32), f"k{n}") for n in range(MANY)]
    graph = Graph("g", words, [stored(make, [*words, *words])])
    assert with_early_stores(graph) is graph


@pytest.mark.parametrize("index", ["computed", "repeated"])
def test_other_arrays_stay_as_they_are(index: str) -> None:
    make = Builder()
    word = make.param("memory", WordType(32), "k")
    keys = recurrence(make, word, MANY + 1)
    where = keys[0] if index == "computed" else make.const(5, 32)
    array = make.make(Op.STORE, (stored(make, keys), where, word))
    graph = Graph("g", [word], [array])
    assert with_early_stores(graph) is graph


def test_an_array_that_is_read_stays_as_it_is() -> None:
    make = Builder()
    word = make.param("memory", WordType(32), "k")
    keys = stored(make, recurrence(make, word, MANY + 1))
    read = make.make(Op.LOAD, (keys, make.make(Op.AND, (word, make.const(3, 32)))))
    graph = Graph("g", [word], [keys, stored(make, [read])])
    assert with_early_stores(graph) is graph


@pytest.mark.parametrize("seed", range(30))
def test_random_key_schedules_keep_their_meaning(seed: int) -> None:
    """Of several arrays, which have values in common, constants and parameters among them."""
    draw, make = random.Random(seed), Builder()
    params = [make.param("memory", WordType(32), f"k{n}") for n in range(4)]
    words = [*params, make.const(seed, 32)]
    for _ in range(4 * MANY):
        op = draw.choice([Op.ADD, Op.XOR, Op.MUL, Op.AND])
        words.append(make.make(op, draw.choices(words[-8:], k=2)))
    arrays = []
    for _ in range(draw.randint(1, 3)):
        values = draw.sample(words[MANY:], MANY) + draw.choices(words, k=3)
        arrays.append(stored(make, values, draw.sample(range(len(values)), len(values))))
    graph = Graph("g", params, arrays)
    after = keeps_graph(with_early_stores, graph, seed)
    stores = [node for node in graph.body if node.op is Op.STORE]
    computes_enough = len(graph.body) - len(stores) - len(arrays) >= 1.25 * len(stores)
    assert (after is not graph) == computes_enough


@pytest.mark.parametrize(
    ("name", "early"), [("simon", True), ("lea", True), ("magma", False), ("threefish", False)]
)
def test_key_schedules(name: str, early: bool) -> None:
    expand = lower(traced(cipher(name), "encrypt", cipher(name).usual_key_bits())).expand
    after = keeps_graph(with_early_stores, expand)
    assert (after is not expand) == early
