"""Arrays, loops, conditionals and random graphs on limbs; what readers of a graph see is kept."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, Region, every_node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.passes.legalise import legalised
from finalist.passes.legalise.arithmetic import Arithmetic
from finalist.passes.legalise.pages import MOST
from tests.graphs import Shape, graphs, inputs_for, random_graph
from tests.passes.legalise.narrow import LIMBS, cut, edges, keeps, params

#: Widths with what is wide for any limbs, and what is narrow for all.
MIXED = Shape(widths=(64, 8, 33, 1, 48, 32, 40, 17, 63, 16, 7, 49, 31))


def columns(seed: int, rows: int, *types: WordType | ArrayType) -> list[np.ndarray[Any, Any]]:
    """Random values, the first row of ones only, the second of zeros."""
    source, made = random.Random(seed), []
    for type_ in types:
        length = type_.length if isinstance(type_, ArrayType) else 1
        cells = [[source.getrandbits(type_.width) for _ in range(length)] for _ in range(rows)]
        cells[0], cells[1] = [mask(type_.width)] * length, [0] * length
        array = np.array(cells, "u8")
        made.append(array if isinstance(type_, ArrayType) else array[:, 0])
    return made


# -- arrays -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [3, 8, 9, 32, 33, 64])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 8, 100, 255, 256])
@pytest.mark.parametrize("width", LIMBS)
@pytest.mark.every(5)
def test_reads_and_writes(width: int, length: int, index: int) -> None:
    """An index counts modulo the length, however wide it is, and whatever the entries are."""
    make = Builder()
    for bits in (8, 33, 64):
        array = make.param("key", ArrayType(length, bits), "a")
        i, j, x = params(make, index, index, bits)
        written = make.make(Op.STORE, [array, i, x])
        graph = Graph("g", [array, i, j, x], [written, make.make(Op.LOAD, [written, j])])
        values = columns(length, 40, array.type, i.type, j.type, x.type)  # type: ignore[arg-type]
        near = edges(index, width) + [
            n & mask(index) for k in (1, 2, 255) for n in (k * length - 1, k * length)
        ]
        values[1] = np.resize(np.array(near, "u8"), 40)
        values[2] = np.where(np.arange(40) % 3 == 0, values[1] + np.uint64(length), values[2])
        values[2] &= np.uint64(mask(index))
        keeps(graph, width, values)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("width", LIMBS)
def test_reads_at_constant_places(width: int, bits: int) -> None:
    make = Builder()
    array = make.param("key", ArrayType(5, 64), "a")
    places = {place & mask(bits) for place in (0, 4, 5, 9, 255, 256, 1 << 16, 1 << 33, mask(64))}
    results = [make.make(Op.LOAD, [array, make.const(place, bits)]) for place in sorted(places)]
    keeps(Graph("g", [array], results), width, columns(1, 8, array.type))  # type: ignore[arg-type]


def test_first_values_and_order_of_reads() -> None:
    """A fresh array with contents, read after it was overwritten elsewhere, and before."""
    make = Builder()
    i, x = params(make, 32, 64)
    first = make.array([k * 0x0123456789ABCDEF & mask(64) for k in range(6)], 64)
    second = make.make(Op.STORE, [first, i, x])
    third = make.make(Op.STORE, [second, make.make(Op.LOAD, [second, i]), make.make(Op.LOAD, [first, i])])
    graph = Graph("g", [i, x], [third, make.make(Op.LOAD, [first, i]), make.make(Op.LOAD, [second, x])])
    for width in LIMBS:
        keeps(graph, width, columns(7, 30, i.type, x.type))  # type: ignore[arg-type]


@pytest.mark.parametrize("length", [257, 300, 480, 512, 768, 1000])
@pytest.mark.parametrize("bits", [8, 12, 33])
@pytest.mark.every(4)
def test_arrays_of_several_pages(length: int, bits: int) -> None:
    """Given and fresh ones, at places known and unknown, within the array and past its end."""
    make = Builder()
    i, j, x = params(make, 32, 9, bits)
    given = make.param("key", ArrayType(length, bits), "a")
    fresh = make.array([k * 0x9E3779B97F4A7C15 & mask(bits) for k in range(length)], bits)
    places = [i, j, *(make.const(k, 16) for k in (0, 255, 256, length - 1, length, length + 257))]
    read = [make.make(Op.LOAD, [array, place]) for array in (given, fresh) for place in places]
    stored, word = fresh, x
    for place in (places[3], j, i):
        stored = make.make(Op.STORE, [stored, place, word])
        word = make.make(Op.ADD, [word, make.make(Op.LOAD, [stored, j])])
    graph = Graph("g", [i, j, x, given], [*read, stored, word])
    types = (i.type, j.type, WordType(bits), given.type)
    values = columns(4, 40, *types)  # type: ignore[arg-type]
    keeps(graph, 8, values)
    values[0] %= length
    keeps(graph, 8, values)


@pytest.mark.parametrize("length", [8193, 65536])
def test_an_array_of_too_many_pages_is_refused(length: int) -> None:
    make = Builder()
    make.line = "there.py:7"
    (i,) = params(make, 32)
    graph = Graph("g", [i], [make.make(Op.LOAD, [make.array([3] * length, 8), i])])
    reason = rf"word=8 is not legal for g: the index of {length} entries has 32 bits \(there.py:7\)"
    with pytest.raises(ScheduleError, match=reason):
        legalised(graph, 8, MOST)
    keeps(graph, 16, columns(3, 20, i.type))  # type: ignore[arg-type]


def test_a_byte_reaches_what_it_reached_before() -> None:
    make = Builder()
    (i,) = params(make, 8)
    array = make.array(range(300), 64)
    graph = Graph("g", [i], [make.make(Op.LOAD, [array, make.extend(i, 32)]), make.make(Op.LOAD, [array, i])])
    keeps(graph, 8, [np.arange(256)])


# -- loops and conditionals ---------------------------------------------------------------------------


def summing(make: Builder, bounds: list[Node], start: Node, array: Node) -> list[Node]:
    """A loop that adds its index to a word, and writes the word into an array."""
    index = make.param("index", bounds[0].type, "i")
    word, carried = make.param("carried", start.type, "w"), make.param("carried", array.type, "a")
    wide = make.extend(index, word.width) if word.width >= index.width else make.slice(index, 0, word.width)
    more = make.make(Op.ADD, [make.make(Op.ROL, [word, make.const(7, 8)]), wide])
    entry = make.make(Op.XOR, [more, make.make(Op.LOAD, [carried, index])])
    body = Region([index, word, carried], [more, make.make(Op.STORE, [carried, index, entry])])
    return make.loop(*bounds, [start, array], body)


@pytest.mark.parametrize("bits", [64, 33, 16])
@pytest.mark.parametrize("width", LIMBS)
@pytest.mark.parametrize(
    ("start", "stop"), [(0, 0), (0, 5), (3, 9), (7, 2), (250, 255), (0, 255), ("a", "b"), (0, "b"), ("a", 20)]
)
def test_loops(start: int | str, stop: int | str, width: int, bits: int) -> None:
    """Bounds that are known, or small words at run time."""
    make = Builder()
    a, b, word = params(make, 4, 5, bits)
    named: dict[Any, Node] = {"a": make.extend(a, 32), "b": make.extend(b, 32)}
    bounds = [named.get(bound) or make.const(int(bound), 32) for bound in (start, stop)]
    results = summing(make, bounds, word, make.array([k << 30 & mask(bits) for k in range(5)], bits))
    values = columns(5, 12, a.type, b.type, word.type)  # type: ignore[arg-type]
    after = keeps(Graph("g", [a, b, word], results), width, values)
    assert sum(node.op is Op.LOOP for node in after.body) == (start == "a" or stop == "b" or start < stop)


def test_a_loop_far_up() -> None:
    """Where the upper limbs of the index are the same at all turns, the lower one counts."""
    make = Builder()
    (word,) = params(make, 64)
    bounds = [make.const(0x12345678000000F0 + n, 64) for n in (0, 15)]
    results = summing(make, bounds, word, make.array([0] * 7, 64))
    for width in LIMBS:
        keeps(Graph("g", [word], results), width, columns(2, 4, word.type))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("start", "stop"), [(0, 256), (0, 257), (255, 256), (255, 258), (250, 700), (512, 768), (3, 2)]
)
def test_a_loop_whose_index_passes_a_limb(start: int, stop: int) -> None:
    make = Builder()
    (word,) = params(make, 32)
    bounds = [make.const(start, 32), make.const(stop, 32)]
    results = summing(make, bounds, word, make.array([0] * 5, 32))
    keeps(Graph("g", [word], results), 8, columns(2, 6, word.type))  # type: ignore[arg-type]


@pytest.mark.parametrize(("bits", "stop", "width"), [(32, "w", 8), (32, 4097, 8), (64, 1 << 50, 32)])
def test_a_loop_whose_index_passes_too_many_limbs_is_refused(bits: int, stop: int | str, width: int) -> None:
    """Or whose end is not known."""
    make = Builder()
    word, end = params(make, 64, bits)
    make.line = "there.py:9"
    bounds = [make.const(0, bits), end if isinstance(stop, str) else make.const(stop, bits)]
    graph = Graph("g", [word, end], summing(make, bounds, word, make.array([0], 64)))
    reason = rf"word={width} is not legal for g: the index of this loop has {bits} bits \(there.py:9\)"
    with pytest.raises(ScheduleError, match=reason):
        legalised(graph, width, MOST)


@pytest.mark.parametrize("width", LIMBS)
def test_conditionals(width: int) -> None:
    make = Builder()
    c, x = params(make, 1, 48)
    array = make.array([1 << 40, 2, 3], 64)
    word, carried = make.param("carried", x.type, "w"), make.param("carried", array.type, "a")
    sum_ = make.make(Op.ADD, [word, x])
    inner = Region([word, carried], [sum_, make.make(Op.STORE, [carried, x, make.extend(sum_, 64)])])
    results = make.results(make.make(Op.WHEN, [c, x, array], inner))
    keeps(Graph("g", [c, x], results), width, columns(9, 20, c.type, x.type))  # type: ignore[arg-type]


@pytest.mark.parametrize("width", LIMBS)
def test_a_loop_in_a_conditional_in_a_loop(width: int) -> None:
    """Words of enclosing regions are used within."""
    make = Builder()
    c, x = params(make, 1, 64)
    i, outer = make.param("index", WordType(32), "i"), make.param("carried", x.type, "o")
    inside = make.param("carried", x.type, "w")
    four = [make.const(0, 32), make.const(4, 32)]
    body, _ = summing(make, four, make.make(Op.XOR, [inside, outer]), make.array([5] * 3, 64))
    made = make.make(Op.WHEN, [c, outer], Region([inside], [make.make(Op.MUL, [body, x])]))
    (chosen,) = make.results(made)
    turned = make.make(Op.ROL, [chosen, i])
    results = make.loop(make.const(1, 32), make.const(4, 32), [x], Region([i, outer], [turned]))
    keeps(Graph("g", [c, x], results), width, columns(4, 12, c.type, x.type))  # type: ignore[arg-type]


# -- random graphs ------------------------------------------------------------------------------------


@given(graphs(MIXED), st.sampled_from(LIMBS), st.integers(0, 9))
@settings(deadline=None, max_examples=100)
def test_random_graphs(graph: Graph, width: int, seed: int) -> None:
    keeps(graph, width, inputs_for(graph, 6, seed))


@pytest.mark.fuzz
@pytest.mark.parametrize("width", LIMBS)
@pytest.mark.every(3)
def test_many_random_graphs(width: int) -> None:
    for seed in range(150):
        graph = random_graph(f"limbs {width} {seed}", MIXED)
        keeps(graph, width, inputs_for(graph, 6, seed))


def test_a_fault_is_found_among_random_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The carry of a sum dropped."""

    def no_carry(self: Arithmetic, x: Node, y: Node) -> tuple[Node, Node]:
        return self.make.make(Op.ADD, (x, y)), self.make.const(0, 1)

    monkeypatch.setattr(Arithmetic, "_sum", no_carry)
    with pytest.raises(AssertionError, match="row"):
        test_many_random_graphs(16)


# -- what readers see ---------------------------------------------------------------------------------


def noted() -> Graph:
    """Two rounds, each a line of its own, with names."""
    make = Builder()
    (first,) = params(make, 64)
    x = first
    for turn in range(2):
        make.phase, make.line = turn + 1, f"there.py:{turn}"
        x = make.make(Op.ADD, [x, make.make(Op.ROL, [x, make.const(3 + turn, 8)])])
        x.name = f"state{turn}_"
    return Graph("noted", [first], [x], ((1, 2),))


def test_rounds_lines_and_names_stay() -> None:
    after = legalised(noted())
    assert (after.name, after.rounds) == ("noted", ((1, 2),))
    assert [param.name for param in after.params] == ["p0_lo", "p0_hi"]
    assert {node.phase for node in after.body} == {1, 2}
    assert all(node.line == f"there.py:{node.phase - 1}" for node in after.body)
    names = [node.name for node in after.body if node.name]
    assert names == ["state0_lo", "state0_hi", "state1_lo", "state1_hi"]
    assert [p.name for p in legalised(noted(), 16).params] == ["p0_0", "p0_1", "p0_2", "p0_3"]


def test_no_two_parameters_have_one_name() -> None:
    make = Builder()
    names = ["key_lo", "key", "key_lo_2", "key"]
    given = [make.param("key", ArrayType(2, w), n) for n, w in zip(names, (32, 64, 32, 64), strict=True)]
    loads = [make.make(Op.LOAD, [array, make.const(0, 32)]) for array in given]
    after = legalised(Graph("g", given, loads))
    found = [param.name for param in after.params]
    assert found[0] == "key_lo" and found[3] == "key_lo_2"
    assert len(set(found)) == len(found) == 6


def test_words_of_64_bits_are_let_be() -> None:
    graph = noted()
    after = keeps(graph, 64, [np.array([1, 2, mask(64)], "u8")])
    assert [node.op for node in after.body] == [node.op for node in graph.body]


def test_narrow_operations_stay_as_they_are() -> None:
    make = Builder()
    (x,) = params(make, 32)
    y = make.make(Op.MUL, [make.make(Op.ROL, [x, x]), make.make(Op.MULHI, [x, x])])
    graph = Graph("g", [x], [y])
    after = legalised(graph)
    assert [node.op for node in after.body] == [node.op for node in graph.body]
    assert len(cut(np.zeros(1), 32, 32)) == 1
    assert not any(node.op is Op.SLICE for node in every_node(after))
