"""Entries read an iteration ahead of stores whose places are known late."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.rewrite import rewrite
from finalist.ir.types import ArrayType, WordType
from finalist.machines.native.passes.scalars.read_ahead import with_reads_ahead
from finalist.machines.tracing import traced
from finalist.measure.bench import match
from finalist.passes.simplify import simplify
from finalist.vectors.load import vectors_of
from tests.graphs import random_graph
from tests.marks import needs_compiler
from tests.passes.meaning import keeps_graph, operations


def shuffle(
    *,
    length: int = 8,
    width: int = 8,
    start: int = 0,
    stop: int = 8,
    place: str = "late",
    other: str = "",
    exchange: bool = True,
) -> Graph:
    """A loop that exchanges each entry of an array with one that the entry says.

    ``place``: of the other entry: ``late``, as the entry says; ``early``, as a key says; ``twice``, as the
    entry says by way of a second one. ``other``: one more store to the array, ``index`` at the loop's index
    or ``late`` at a place that the entry says. ``exchange``: else a key is stored at the index.
    """
    make = Builder()
    array = make.param("memory", ArrayType(length, width), "a")
    keys = make.param("memory", ArrayType(3, width), "k")
    first = make.param("memory", WordType(width), "x")
    index = make.param("index", WordType(32), "i")
    carried, sum_ = make.param("carried", array.type, "a"), make.param("carried", first.type, "s")
    entry, key = load(make, carried, index), load(make, keys, index)
    to = make.make(Op.ADD, (make.make(Op.ADD, (sum_, entry)), key))
    if place == "early":
        to = make.make(Op.ADD, (sum_, key))
    if place == "twice":
        to = load(make, carried, to)
    stored = make.make(Op.STORE, (carried, index, load(make, carried, to) if exchange else key))
    stored = make.make(Op.STORE, (stored, to, entry))
    if other:
        at = index if other == "index" else make.make(Op.ADD, (entry, key))
        stored = make.make(Op.STORE, (stored, at, sum_))
    bounds = [make.const(bound, 32) for bound in (start, stop)]
    made = make.loop(*bounds, [array, first], Region([index, carried, sum_], [stored, to]))
    return Graph("shuffle", [array, keys, first], [made[1], made[0]])


def load(make: Builder, array: Node, place: Node) -> Node:
    return make.make(Op.LOAD, (array, place))


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"exchange": False},
        {"start": 3},
        {"stop": 1},
        {"stop": 21},  # over the end, where entries begin anew
        {"length": 5, "stop": 11},  # at lengths that no mask reduces to
        {"length": 300, "stop": 40},  # more than an entry can say
        {"width": 32},
        {"width": 64},
        {"other": "index"},
        {"length": 2, "stop": 9, "other": "index"},
    ],
)
def test_the_next_entry_and_place_are_carried(form: dict[str, Any]) -> None:
    before = shuffle(**form)
    after = keeps_graph(with_reads_ahead, before)
    ((loop,), (old,)) = operations(after, Op.LOOP), operations(before, Op.LOOP)
    assert len(loop.inputs) == len(old.inputs) + 2
    choices = [result for result in loop.region.results if result.op is Op.SELECT]
    assert len(choices) == 2 and all(choice.inputs[0].op is Op.EQ for choice in choices)


@pytest.mark.parametrize("form", [{"start": 5, "stop": 5}, {"start": 6, "stop": 2}])
def test_loops_without_iterations(form: dict[str, Any]) -> None:
    keeps_graph(with_reads_ahead, shuffle(**form))


@pytest.mark.parametrize(
    "form", [{"place": "early"}, {"place": "twice"}, {"other": "late"}, {"length": 1, "other": "index"}]
)
def test_left_as_it_is(form: dict[str, Any]) -> None:
    """A place that does not wait for the entry; one that waits for another entry, too; two late stores; an
    array whose one entry the next iteration reads after all stores."""
    graph = shuffle(**form)
    assert with_reads_ahead(graph) is graph


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs(seed: int) -> None:
    keeps_graph(with_reads_ahead, random_graph(f"reads ahead {seed}"), seed)


def test_of_the_key_schedules_of_the_catalogue_rc4s_has_it() -> None:
    expand = rewrite(traced(cipher("rc4"), "encrypt", 128).expand, Builder(simplify))
    after = keeps_graph(with_reads_ahead, expand)
    assert len(operations(after, Op.SELECT)) == 2 and not operations(expand, Op.SELECT)


@needs_compiler
def test_other_processors_than_x86_choose_by_masks() -> None:
    program: Any = compile_cipher("rc4", "native", "encrypt", 128)
    assert program.text.count("#if defined(__x86_64__)") == 1
    program.text = program.text.replace("#if defined(__x86_64__)", "#if 0")
    match(program, vectors_of(cipher("rc4")), ["ecb"])


def test_what_a_loop_hands_on_is_chosen_by_conditional_moves() -> None:
    """Which no compiler makes a branch of, as of ``?:``, and which are there sooner than a mask."""
    text = compile_cipher("rc4", "native", "encrypt", 128).text
    schedule = text[
        text.rindex("rc4_expand_key(const uint8_t *key, rc4_key *k)") : text.index("rc4_encrypt_8(")
    ]
    assert schedule.count("= choose32(") == 2 and "select32(" not in schedule
