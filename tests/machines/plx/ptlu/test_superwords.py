"""Words in registers: the same results, with what is done alike done in tuples."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import GraphError
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.execute import interpret
from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.types import TupleType, WordType
from finalist.ir.verify import verify
from finalist.isa.prepare.late import with_late_parts
from finalist.machines.plx.ptlu.contained import with_contained_tables
from finalist.machines.plx.ptlu.key_layout import with_ordered_keys
from finalist.machines.plx.ptlu.sums_of_lookups import leaves_of
from finalist.machines.plx.ptlu.superwords import with_superwords
from finalist.machines.tracing import traced
from finalist.passes import pipeline
from finalist.passes.rounds.roll import rolled

PLACES = {2: ((0, 1, 2, 3), (1, 0, 3, 2), (2, 0, 3, 1)), 4: ((0, 1, 2, 3), (0, 3, 2, 1))}
WORD = WordType(32)


def lowered(name: str, operation: str) -> Program:
    program = pipeline.lower(traced(find_cipher(name), operation, 128), 32, "full")
    return program.with_graphs(program.expand, rolled(with_late_parts(program.kernel)))


def random_layers(seed: int, layers: int = 3) -> Graph:
    """Four words through layers of everything that registers are gathered from."""
    source, make = random.Random(seed), Builder()
    params = [make.param("memory", WORD, f"p{k}") for k in range(4)]
    tables = [TableData(tuple(source.getrandbits(32) for _ in range(256)), 32, f"T{k}") for k in range(4)]
    words = list(params)
    for _ in range(layers):
        kind = source.choice(("lookups", "alike", "turned", "mixed"))
        words = [_word(source, make, tables, words, k, kind) for k in range(4)]
    return Graph("layers", params, words)


def _word(
    source: random.Random, make: Builder, tables: list[TableData], words: list[Node], place: int, kind: str
) -> Node:
    if kind == "alike":
        op = (Op.ADD, Op.SUB, Op.AND, Op.OR)[len(make._known) % 4 if place == 0 else 0]
        return make.make(op, (words[place], words[(place + 1) % 4]))
    if kind == "turned":
        return make.make(Op.ROL, (words[place], make.const(7, 8)))
    if kind == "mixed":
        return words[(place + source.randrange(4)) % 4]
    total = make.const(place + 1, 32)
    step = source.choice((1, 3, 2)) if place == 0 else 1
    for byte in range(4):
        index = make.slice(words[(place + step * byte) % 4], 8 * byte, 8)
        found = make.make(Op.LOOKUP, (index,), tables[byte])
        if source.random() < 0.2:
            found = make.make(Op.AND, (found, make.const(0xFF << 8 * byte, 32)))
        total = make.make(Op.XOR, (total, found))
    return total


def tuples(graph: Graph) -> int:
    return sum(isinstance(node.type, TupleType) and node.op is Op.TUPLE for node in every_node(graph))


@pytest.mark.parametrize("lanes", [2, 4])
def test_random_layers(lanes: int) -> None:
    data = np.random.default_rng(1).integers(0, 1 << 32, (4, 5), dtype=np.uint64)
    words = [row.astype(np.uint32) for row in data]
    for seed in range(40):
        graph = random_layers(seed)
        for places in PLACES[lanes]:
            for ascending in (True, False):
                made = with_superwords(graph, places, lanes, ascending)
                verify(made)
                assert tuples(made) >= 4 // lanes
                got, expected = (interpreter.run(g, words) for g in (made, graph))
                assert all(np.array_equal(a, b) for a, b in zip(got, expected, strict=True)), seed


@pytest.mark.parametrize("lanes", [2, 4])
@pytest.mark.parametrize(
    ("name", "operation"), [("rijndael", "encrypt"), ("crypton-v1", "decrypt"), ("serpent", "encrypt")]
)
@pytest.mark.every(2)
def test_programs(name: str, operation: str, lanes: int) -> None:
    """Registers through loops; keys in their order, words of a block from and to memory."""
    program = lowered(name, operation)
    keys = np.random.default_rng(2).integers(0, 256, (3, 16), dtype=np.uint8)
    data = np.random.default_rng(3).integers(0, 256, (3, 16), dtype=np.uint8)
    expected = interpret(program, keys, data)
    for places in PLACES[lanes][:2]:
        kernel = with_superwords(with_contained_tables(program.kernel), places, lanes, True)
        made = with_ordered_keys(program.with_graphs(program.expand, kernel), True)
        verify(made.kernel)
        assert np.array_equal(interpret(made, keys, data), expected)


def test_a_round_of_neighbouring_lookups() -> None:
    """Each register of lookups is read from one word; rotated, they add up without any mask."""
    program = lowered("rijndael", "encrypt")
    kernel = with_superwords(program.kernel, (0, 3, 2, 1), 4, True)
    loop = next(node for node in kernel.body if node.op is Op.LOOP)
    found = [n for n in loop.region.body if n.op is Op.TUPLE and n.inputs[0].op is Op.LOOKUP]
    assert len(found) == 4
    assert all(len({word.inputs[0].inputs[0] for word in n.inputs}) == 1 for n in found)
    assert not any(n.op in (Op.AND, Op.SHL, Op.OR) for n in loop.region.body)


@pytest.mark.check
def test_words_that_are_not_worked_on_alike_are_refused() -> None:
    """Gathering what does not belong together takes ever more groups: it gives up, and soon."""
    program = pipeline.lower(traced(find_cipher("serpent"), "decrypt", 128), 32, "full")
    with pytest.raises(GraphError, match="words that stand side by side are not worked on alike"):
        with_superwords(program.kernel, (0, 1, 2, 3), 4, True)


def test_leaves_of_sums_with_parts_in_common() -> None:
    """Forty sums of sums have 2^40 ways to their leaves; what is added twice is not there."""
    make = Builder()
    a, b, c = (make.param("memory", WORD, name) for name in "abc")
    word, other = make.make(Op.XOR, (a, b)), make.make(Op.XOR, (b, c))
    for _ in range(39):
        word, other = make.make(Op.XOR, (word, other)), word
    graph = Graph("sums", (a, b, c), (word,))
    leaves = leaves_of(word)
    assert len(set(leaves)) == len(leaves)
    values = [np.array([value], np.uint32) for value in (1, 2, 4)]
    (expected,) = interpreter.run(graph, values)
    assert sum({a: 1, b: 2, c: 4}[leaf] for leaf in leaves) == int(expected[0])
    assert leaves_of(a) == [a]
