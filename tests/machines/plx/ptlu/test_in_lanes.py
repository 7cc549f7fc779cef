"""Words in their lanes: the same results, from registers that memory and key fill by one access."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.types import WordType
from finalist.isa.prepare.heights import with_shared_sums
from finalist.machines.plx.ptlu.contained import with_whole_bytes
from finalist.machines.plx.ptlu.in_lanes import with_words_in_lanes
from finalist.machines.plx.ptlu.key_layout import with_ordered_keys
from finalist.machines.tracing import traced
from finalist.passes import pipeline
from tests.passes.meaning import keeps_program, same_graph

WORD = WordType(32)
OPS = (Op.XOR, Op.ADD, Op.SUB, Op.AND, Op.OR, Op.NOT, Op.ROL, Op.ROR)


def sum_of(make: Builder, tables: list[TableData], word: Node, turn: int) -> Node:
    """What the bytes of a word find, added up."""
    total: Node | None = None
    for k in range(4):
        found = make.make(Op.LOOKUP, (make.slice(word, 8 * k, 8),), tables[(k + turn) % 4])
        total = found if total is None else make.make(Op.XOR, (total, found))
    assert total is not None
    return total


def random_words(seed: int, count: int) -> Graph:
    """Words of memory that meet sums, constants and one another."""
    source, make = random.Random(seed), Builder()
    tables = [TableData(tuple(source.getrandbits(32) for _ in range(256)), 32, f"T{k}") for k in range(4)]
    params = [make.param("memory", WORD, f"p{k}") for k in range(count)]
    words, sums = list(params), [sum_of(make, tables, params[0], 0)]
    for _ in range(24):
        place = source.randrange(count)
        if source.random() < 0.3:
            sums.append(sum_of(make, tables, words[place], place % 2))
        op = source.choice(OPS)
        others = [source.choice(sums), source.choice(sums), make.const(source.getrandbits(32), 32)]
        other = source.choice([*others, source.choice(words)] if source.random() < 0.3 else others)
        if op in (Op.ROL, Op.ROR):
            words[place] = make.make(op, (words[place], make.const(source.randrange(32), 8)))
        else:
            words[place] = make.make(op, (words[place],) if op is Op.NOT else (words[place], other))
    return Graph("words", params, words)


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("lanes", [2, 4])
def test_random_graphs(lanes: int, ascending: bool) -> None:
    for seed in range(12):
        graph = random_words(seed, 4 if seed % 2 else 5)
        made = with_words_in_lanes(graph, lanes, 2, ascending)
        assert made is not None
        same_graph(graph, made)


def test_no_words_to_keep_in_lanes() -> None:
    make = Builder()
    a, b = (make.param("memory", WORD, name) for name in "ab")
    product = make.make(Op.MUL, (a, b))
    assert with_words_in_lanes(Graph("few", [a, b], [product, b]), 4, 2, True) is None


def in_lanes(program: Program) -> Program:
    kernel = with_words_in_lanes(program.kernel, 4, 2, True)
    assert kernel is not None
    return with_ordered_keys(program.with_graphs(program.expand, kernel), True)


def test_a_keyed_network() -> None:
    """Twofish's words and keys come together; the bytes of both words are looked up where they stand."""
    program = pipeline.lower(traced(find_cipher("twofish"), "encrypt", 128), 32, "full")
    program = program.with_graphs(program.expand, with_whole_bytes(with_shared_sums(program.kernel)))
    made = keeps_program(in_lanes, program)
    tuples = [node for node in every_node(made.kernel) if node.op is Op.TUPLE]
    keys = [t for t in tuples if all(w.op is Op.LOAD and w.inputs[1].op is Op.CONST for w in t.inputs)]
    places = sorted([word.inputs[1].attr for word in node.inputs] for node in keys)
    assert places == [list(range(k, k + 4)) for k in range(0, 40, 4)]
    looked_up = [t for t in tuples if all(w.op is Op.LOAD and w.inputs[1].op is Op.SLICE for w in t.inputs)]
    assert len(looked_up) == 32
    assert not any(word.inputs[1].inputs[0].op is Op.ROR for node in looked_up for word in node.inputs)
