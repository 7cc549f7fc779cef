"""Statements: what is inlined, how things are named, and arrays that must not be overwritten."""

from __future__ import annotations

import re

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.machines.native.text.body import Body
from finalist.machines.native.text.dialect import Scalar

U32 = WordType(32)


def written(graph: Graph, copies: int = 1, constant: bool = False) -> str:
    """The statements of a graph; array parameters are called as they are, `constant` ones like a key's."""
    body = Body(Scalar(), copies)
    for param in graph.params:
        if isinstance(param.type, ArrayType):
            body.arrays[param, 0] = param.name
            body.constant_arrays |= {param} if constant else set()
        else:
            for copy in range(copies):
                body.define(param, copy, f"{param.name}_{copy}" if copies > 1 else param.name)
    body.region(graph)
    return "\n".join(body.lines)


def word(make: Builder, name: str = "p") -> Node:
    return make.param("memory", U32, name)


def test_a_value_with_one_user_is_written_there() -> None:
    make = Builder()
    p, q = word(make), word(make, "q")
    byte = make.extend(make.slice(p, 8, 8), 32)
    once = written(Graph("g", [p, q], [make.make(Op.ADD, [byte, q])]))
    assert once.count("const") == 1
    twice = written(Graph("g", [p, q], [make.make(Op.ADD, [byte, make.make(Op.MUL, [byte, q])])]))
    assert twice.count("const") == 3


def test_what_is_divided_by_a_word_is_not_written_there() -> None:
    """Nor the word: a divisor is compared with zero too, and compilers warn of some expressions there."""
    make = Builder()
    p, q = word(make), word(make, "q")
    text = written(Graph("g", [p, q], [make.make(Op.REM, [make.make(Op.NOT, [p]), make.make(Op.NOT, [q])])]))
    assert text.count("~q") == text.count("~p") == 1
    assert text.count("const") == 3


def test_long_chains_are_broken() -> None:
    make = Builder()
    params = [word(make, f"a_rather_long_name_{k}") for k in range(30)]
    total = params[0]
    for param in params[1:]:
        total = make.make(Op.XOR, [total, param])
    text = written(Graph("g", params, [total]))
    assert max(map(len, text.splitlines())) < 200
    assert 2 <= text.count("const") < 29


def test_names_of_the_definition_are_used_and_never_twice() -> None:
    """Not those of parameters either, nor of what the prelude defines; copies have names of their own."""
    make = Builder()
    p0, p1 = word(make, "p0"), word(make, "p1")
    node, results = p0, []
    for name in ("p", "p", "p0_", "rol", "a", "a0_", "a", "größe", "") * 4:
        node = make.make(Op.ADD, [node, p1])
        node.name = name
        results.append(node)
    for copies in (1, 2, 3):
        text = written(Graph("g", [p0, p1], results), copies)
        names = re.findall(r"uint32_t (\w+) =", text)
        assert len(names) == len(results) * copies == len(set(names))
        given = {f"p{k}_{copy}" if copies > 1 else f"p{k}" for k in range(2) for copy in range(copies)}
        assert not set(names) & (given | {"rol32", "rol64"})
        assert all(name.isascii() for name in names)


def test_copies_are_written_side_by_side() -> None:
    make = Builder()
    p, q = word(make), word(make, "q")
    graph = Graph("g", [p, q], [make.make(Op.ADD, [make.make(Op.MUL, [p, q]), p])])
    lines = written(graph, copies=2).splitlines()
    assert [re.search(r"_(\d) =", line)[1] for line in lines] == ["0", "1", "0", "1"]


def test_an_index_is_reduced_where_it_may_pass_the_end() -> None:
    make = Builder()
    p, array = word(make), make.param("key", ArrayType(4, 32), "keys")
    low = make.slice(p, 0, 2)
    assert "%" in written(Graph("g", [p, array], [make.make(Op.LOAD, [array, p])]))
    assert "%" not in written(Graph("g", [p, array], [make.make(Op.LOAD, [array, low])]))
    text = written(Graph("g", [p, array], [make.make(Op.LOAD, [array, make.const(6, 32)])]))
    assert "keys[2]" in text


def test_fresh_arrays_are_filled_unless_all_is_overwritten() -> None:
    make = Builder()
    p = word(make)
    array = make.array([0, 0], 32)
    for place in range(2):
        array = make.make(Op.STORE, [array, make.const(place, 32), p])
    assert "memset" not in written(Graph("g", [p], [array]))
    half = make.make(Op.STORE, [make.array([0, 0], 32), make.const(0, 32), p])
    assert "memset" in written(Graph("g", [p], [half]))
    named = make.make(Op.STORE, [make.array([7, 8], 32), make.const(0, 32), p])
    assert "{0x7, 0x8}" in written(Graph("g", [p], [named]))


def test_an_array_read_in_a_loop_is_filled_first() -> None:
    """The loop takes the first values from outside of itself, before they are all overwritten."""
    make = Builder()
    p, array = word(make), make.array([0, 0], 32)
    i, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    body = Region([i, v], [make.make(Op.LOAD, [array, make.make(Op.ADD, [i, v])])])
    (found,) = make.loop(p, p, [p], body)
    for place in range(2):
        array = make.make(Op.STORE, [array, make.const(place, 32), p])
    assert "memset" in written(Graph("g", [p], [array, found]))


def test_the_key_s_arrays_are_copied_before_they_are_overwritten() -> None:
    make = Builder()
    p, keys = word(make), make.param("key", ArrayType(4, 32), "keys")
    text = written(Graph("g", [p, keys], [make.make(Op.STORE, [keys, p, p])]), constant=True)
    assert "memcpy(array0, keys, sizeof array0);" in text
    assert not re.search(r"^\s*keys\[.*=", text, re.MULTILINE)


def test_arrays_from_outside_of_a_loop_are_copied_at_every_turn() -> None:
    make = Builder()
    p, array = word(make), make.array([1, 2], 32)
    i, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    inside = make.make(Op.LOAD, [make.make(Op.STORE, [array, i, v]), p])
    lines = written(Graph("g", [p], make.loop(p, p, [p], Region([i, v], [inside])))).splitlines()
    head = next(k for k, line in enumerate(lines) if "for (" in line)
    assert any("memcpy" in line for line in lines[head:])


def test_carried_words_change_at_once() -> None:
    make = Builder()
    p, q = word(make), word(make, "q")
    i, v, w = (make.param("index", U32, "i"), *(make.param("carried", U32, name) for name in "vw"))
    text = written(Graph("g", [p, q], make.loop(p, q, [p, q], Region([i, v, w], [w, v]))))
    assert text.count("const uint32_t n") == 2


def test_loop_bounds_are_in_parentheses() -> None:
    make = Builder()
    p = word(make)
    i, v = make.param("index", U32, "i"), make.param("carried", U32, "v")
    few = make.extend(make.slice(p, 0, 2), 32)
    text = written(Graph("g", [p], make.loop(make.const(0, 32), few, [p], Region([i, v], [i]))))
    assert "< (p & 3u);" in text


@pytest.mark.parametrize("stop", [2, 1])
def test_arrays_that_a_loop_fills_have_no_first_values(stop: int) -> None:
    make = Builder()
    p, array = word(make), make.array([0, 0], 32)
    i, carried = make.param("index", U32, "i"), make.param("carried", array.type, "t")
    body = Region([i, carried], [make.make(Op.STORE, [carried, i, p])])
    (found,) = make.loop(make.const(0, 32), make.const(stop, 32), [array], body)
    assert ("memset" in written(Graph("g", [p], [found]))) == (stop == 1)


def test_an_array_that_a_loop_reads_is_filled_first() -> None:
    make = Builder()
    p, array = word(make), make.array([0, 0], 32)
    i, carried = make.param("index", U32, "i"), make.param("carried", array.type, "t")
    sum_ = make.make(Op.ADD, [p, make.make(Op.LOAD, [carried, i])])
    body = Region([i, carried], [make.make(Op.STORE, [carried, i, sum_])])
    (found,) = make.loop(make.const(0, 32), make.const(2, 32), [array], body)
    assert "memset" in written(Graph("g", [p], [found]))


def filling_loop(make: Builder, p: Node, read: int | None) -> Node:
    """An array of eight: its first entry before a loop, the rest in turns, each after reading entry ``read``
    places before the one it writes."""
    array = make.make(Op.STORE, [make.array([0] * 8, 32), make.const(0, 32), p])
    i, carried = make.param("index", U32, "i"), make.param("carried", array.type, "t")
    at = make.make(Op.ADD, [i, make.const(1, 32)])
    value = p
    if read is not None:
        value = make.make(Op.LOAD, [carried, make.make(Op.SUB, [at, make.const(read, 32)])])
    body = Region([i, carried], [make.make(Op.STORE, [carried, at, value])])
    return make.loop(make.const(0, 32), make.const(7, 32), [array], body)[0]


@pytest.mark.parametrize(("read", "first"), [(None, False), (1, False), (0, True), (2, True)])
def test_a_loop_may_fill_an_array_and_read_what_it_has_written(read: int | None, first: bool) -> None:
    make = Builder()
    p = word(make)
    assert ("memset" in written(Graph("g", [p], [filling_loop(make, p, read)]))) == first


def test_first_values_end_with_the_last_that_is_none_of_zero() -> None:
    make = Builder()
    p = word(make)
    array = make.make(Op.STORE, [make.array([7, 0, 8, 0, 0], 32), make.const(0, 32), p])
    assert "init0[5] = {0x7, 0x0, 0x8};" in written(Graph("g", [p], [array]))
