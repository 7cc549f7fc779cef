"""Key schedules as loops: random ones that repeat themselves, more or less, and what each kind becomes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.passes.analysis import Ranges
from finalist.passes.key_schedules.key_loops import length as length_of
from finalist.passes.key_schedules.key_loops import with_key_loops
from finalist.passes.key_schedules.loops import Target, written
from finalist.passes.key_schedules.sequence import Straight
from tests.graphs import Seeded
from tests.passes.meaning import keeps_graph, operations, same_graph
from tests.repetitive import WIDTH, Repetitive


@given(st.integers(0, 1 << 40), st.integers(2, 24), st.sampled_from((0, 0, 1, 3)))
@settings(deadline=None, max_examples=30)
def test_random_key_schedules(seed: int, iterations: int, unlike: int) -> None:
    keeps_graph(with_key_loops, Repetitive(Seeded(seed), iterations, unlike).graph(), seed % 7)


def test_random_key_schedules_become_loops() -> None:
    """Else the test before this one would show nothing."""
    made = [with_key_loops(Repetitive(Seeded(seed), 12).graph()) for seed in range(20)]
    assert sum(bool(operations(graph, Op.LOOP)) for graph in made) >= 8


# -- one kind each -----------------------------------------------------------------------------------


def stored(make: Builder, values: list[Node], places: range | None = None) -> Node:
    array = make.array([0] * len(values), WIDTH)
    for place, value in zip(places or range(len(values)), values, strict=True):
        array = make.make(Op.STORE, (array, make.const(place, 32), value))
    return array


def rotated(make: Builder, word: Node) -> list[Node]:
    """w[i] = rol(w[i - 1], 7) + i, sixteen times."""
    found = [word]
    for iteration in range(16):
        turned = make.make(Op.ROL, (found[-1], make.const(7, 8)))
        found.append(make.make(Op.ADD, (turned, make.const(iteration, WIDTH))))
    return found[1:]


def recurrence(age: int, iterations: int = 40) -> Graph:
    """w[i] = rol(w[i - age] ^ w[i - 1] ^ constant of i, 11), all in the expanded key, the last one first."""
    make = Builder()
    key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(age)]
    w = list(key)
    for iteration in range(iterations):
        mixed = make.make(
            Op.XOR, (make.make(Op.XOR, (w[-age], w[-1])), make.const(iteration * iteration, WIDTH))
        )
        w.append(make.make(Op.ROL, (mixed, make.const(11, 8))))
    return Graph("g", key, [stored(make, w[age:], range(iterations - 1, -1, -1))])


@pytest.mark.parametrize(("age", "arrays"), [(2, 1), (8, 1), (9, 2)])
def test_old_words_are_handed_on_or_stand_in_an_array(age: int, arrays: int) -> None:
    looped = keeps_graph(with_key_loops, recurrence(age))
    (loop,) = operations(looped, Op.LOOP)
    assert loop.inputs[1].attr == 40
    assert length_of(looped) < 20 + 2 * age
    assert sum(isinstance(node.type, ArrayType) for node in loop.region.params) == arrays


def test_words_of_the_key_for_each_iteration_stand_in_an_array() -> None:
    make = Builder()
    key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(3)]
    a, found = key[0], []
    for iteration in range(12):
        a = make.make(Op.ADD, (make.make(Op.ROL, (a, make.const(3, 8))), key[iteration % 3]))
        found.append(make.make(Op.XOR, (a, make.const(5, WIDTH))))
    looped = keeps_graph(with_key_loops, Graph("g", key, [stored(make, found)]))
    (read,) = operations(looped, Op.LOAD)
    assert read.inputs[0].length == 3


def test_what_is_needed_after_the_loop_comes_out_of_it() -> None:
    make = Builder()
    (a,) = key = [make.param("memory", WordType(WIDTH), "k")]
    rows = []
    for iteration in range(20):
        a = make.make(Op.ADD, (make.make(Op.ROL, (a, make.const(3, 8))), make.const(iteration, WIDTH)))
        rows.append(a)
    late = make.make(Op.MUL, (rows[4], rows[19]))
    looped = keeps_graph(with_key_loops, Graph("g", key, [stored(make, rows), late]))
    assert len(operations(looped, Op.LOOP)) == 1


def test_iterations_that_are_unlike_the_others_stay_outside() -> None:
    make = Builder()
    key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(2)]
    a, b, found = *key, []
    for iteration in range(30):
        op = Op.SUB if iteration in (0, 29) else Op.ADD
        a, b = b, make.make(op, (make.make(Op.ROL, (a, make.const(iteration % 7, 8))), b))
        found.append(b)
    looped = keeps_graph(with_key_loops, Graph("g", key, [stored(make, found)]))
    (loop,) = operations(looped, Op.LOOP)
    assert loop.inputs[1].attr == 28 and len(operations(looped, Op.SUB)) == 2


def test_an_array_that_is_filled_and_then_read_is_filled_in_time() -> None:
    make = Builder()
    (k,) = key = [make.param("memory", WordType(WIDTH), "k")]
    table = stored(make, rotated(make, k))
    read = make.make(Op.LOAD, (table, k))
    written = make.make(Op.STORE, (table, k, read))
    keeps_graph(with_key_loops, Graph("g", key, [written, read]))


def test_what_does_not_repeat_stays_as_it_is() -> None:
    make = Builder()
    key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(4)]
    a = key[0]
    for number, op in enumerate((Op.ADD, Op.XOR, Op.MUL, Op.SUB, Op.AND, Op.OR, Op.MULHI)):
        a = make.make(op, (a, key[number % 4]))
    graph = Graph("g", key, [a])
    assert with_key_loops(graph) is graph


# -- loops in loops ----------------------------------------------------------------------------------


def nested(graph: Graph) -> Graph:
    return with_key_loops(graph, nested=True)


def rounds_in_rounds(choices: Seeded, outer: int, inner: int, length: int) -> Graph:
    """Rounds of steps, drawn; what each step makes goes into one array, round by round."""
    make = Builder()
    key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(2)]
    ops = [(Op.XOR, Op.ADD, Op.SUB, Op.MUL)[choices.integer(0, 3)] for _ in range(4)]
    amounts = [make.const(choices.integer(0, 31), 8) for _ in range(inner)]
    a, b, found = *key, []
    for number in range(outer):
        a = make.make(ops[0], (make.make(Op.MUL, (a, b)), make.const(number * number, WIDTH)))
        for amount in amounts:
            a, b = make.make(ops[1], (make.make(Op.ROL, (b, amount)), a)), a
            found.append(make.make(ops[2], (make.make(ops[3], (a, key[0])), b)))
    places = range(length) if choices.integer(0, 1) else range(length - 1, -1, -1)
    return Graph("g", key, [stored(make, found, places), b])


@given(st.integers(0, 1 << 40), st.integers(2, 6), st.integers(2, 20))
@settings(deadline=None, max_examples=30)
def test_random_rounds_in_rounds(seed: int, outer: int, inner: int) -> None:
    keeps_graph(nested, rounds_in_rounds(Seeded(seed), outer, inner, outer * inner), seed % 7)


@given(st.integers(0, 1 << 40), st.integers(2, 24), st.sampled_from((0, 0, 1, 3)))
@settings(deadline=None, max_examples=30)
def test_random_key_schedules_with_loops_in_loops(seed: int, iterations: int, unlike: int) -> None:
    keeps_graph(nested, Repetitive(Seeded(seed), iterations, unlike).graph(), seed % 7)


@pytest.mark.parametrize("length", [96, 128])
def test_steps_of_rounds_are_a_loop_in_their_loop(length: int) -> None:
    """Each writes its own word where the round's begin, whether or not an index is a remainder."""
    looped = nested(rounds_in_rounds(Seeded(length), 6, length // 6, length // 6 * 6))
    inside = [loop for loop in operations(looped, Op.LOOP) if operations(loop.region, Op.LOOP)]
    assert inside and not operations(looped, Op.LOAD)
    assert length_of(looped) < 60


def test_round_keys_that_are_loaded_from_constant_indices_are_a_loop() -> None:
    """Of what was filled before; unless loops are not to be in loops, as it always was."""
    make = Builder()
    (k,) = key = [make.param("memory", WordType(WIDTH), "k")]
    full = stored(make, rotated(make, k))
    read = [make.make(Op.LOAD, (full, make.const(15 - n, 32))) for n in range(16)]
    masked = [make.make(Op.AND, (make.make(Op.MUL, (word, word)), make.const(63, WIDTH))) for word in read]
    graph = Graph("g", key, [stored(make, masked)])
    looped = keeps_graph(nested, graph)
    assert len(operations(looped, Op.LOAD)) == 1 < len(operations(with_key_loops(graph), Op.LOAD))


def test_writes_that_may_meet_stay_in_their_order() -> None:
    """Indices from an unknown base on are the same modulo 5 where one has passed 2^32."""
    make = Builder()
    array = make.param("carried", ArrayType(5, WIDTH), "t")
    base, *words = (make.param("carried", WordType(WIDTH), f"w{n}") for n in range(5))
    made = array
    for place, word in zip((0, 1, 2, 4), words, strict=True):
        made = make.make(Op.STORE, (made, make.make(Op.ADD, (base, make.const(place, 32))), word))
    region = Region([array, base, *words], [made])
    assert not Straight.of(region, Ranges({})).stored
    assert len(Straight.of(region, Ranges({base: (1 << 32) - 5})).stored) == 4


def test_a_round_that_writes_what_was_there_before_it() -> None:
    """Beside sixteen words of its own."""
    make = Builder()
    a, b = key = [make.param("memory", WordType(WIDTH), f"k{n}") for n in range(2)]
    array, word = (
        make.param("carried", type_, name) for type_, name in ((ArrayType(68, WIDTH), "t"), (a.type, "w"))
    )
    index = make.param("index", WordType(32), "i")
    base = make.make(Op.MUL, (index, make.const(17, 32)))
    values, last = [make.make(Op.MUL, (a, b))], word
    for _ in range(16):
        last = make.make(Op.ADD, (make.make(Op.ROL, (last, make.const(7, 8))), a))
        values.append(last)
    made = array
    for place, value in enumerate(values):
        at = make.make(Op.ADD, (base, make.const(place, 32))) if place else base
        made = make.make(Op.STORE, (made, at, value))
    bounds = make.const(0, 32), make.const(4, 32)
    filled, _ = make.loop(
        *bounds, [make.array([0] * 68, WIDTH), b], Region([index, array, word], [made, last])
    )
    graph = Graph("g", key, [filled])
    region = operations(graph, Op.LOOP)[0].region
    target = Target(make, {region.params[0]: 3}, lambda inner: inner)
    straight = Straight.of(region, Ranges(target.limits))
    assert len(straight.stored) == 17
    pieces = [straight.nodes[:-1], straight.nodes[-1:]]
    again, _ = make.loop(
        *bounds, [make.array([0] * 68, WIDTH), b], Region(region.params, written(straight, pieces, target))
    )
    same_graph(graph, Graph("g", key, [again]))
