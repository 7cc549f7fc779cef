"""Blocks in lanes: of several blocks the same as of each alone, by rounds of both kinds."""

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
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import ArrayType, WordType
from finalist.machines.plx.ptlu.blocks import (
    crossed,
    exchanged,
    exchanges,
    with_blocks_in_lanes,
    with_columns,
)
from finalist.machines.plx.ptlu.builder import WideBuilder
from finalist.machines.tracing import traced
from finalist.passes import pipeline
from finalist.passes.rounds.roll import rolled
from tests.passes.meaning import whole

WORD = WordType(32)
ALIKE = (Op.XOR, Op.ADD, Op.SUB, Op.AND, Op.OR, Op.NOT, Op.ROL, Op.ROR, Op.SHL, Op.SHR)


def random_cipher(seed: int, count: int) -> Program:
    """Rounds done alike, rounds of lookups, and rounds with what is not done in lanes."""
    source, make = random.Random(seed), Builder()
    tables = [TableData(tuple(source.getrandbits(32) for _ in range(256)), 32, f"T{k}") for k in range(3)]
    key = [make.param("memory", WORD, f"k{n}") for n in range(4)]
    array = make.array([0] * 4, 32)
    for place, word in enumerate(key):
        array = make.make(Op.STORE, (array, make.const(place, 32), word))
    expand = Graph("expand", key, [array])
    params = [make.param("memory", WORD, f"p{n}") for n in range(count)]
    entries = make.param("key", ArrayType(4, 32), "K")
    words, rounds = list(params), 9
    for number in range(rounds):
        make.phase = number
        kind = source.choice(("alike", "lookups", "alone"))
        for _ in range(2 * count):
            place, other = source.randrange(count), source.randrange(count)
            words[place] = step(source, make, kind, words[place], words[other], tables, entries)
    kernel = Graph("kernel", [*params, entries], words, ((0, rounds),))
    layout = Layout(count, 32, ByteOrder.LITTLE)
    return Program("random", "encrypt", 128, layout, Layout(4, 32, ByteOrder.LITTLE), expand, kernel)


def step(
    source: random.Random, make: Builder, kind: str, a: Node, b: Node, tables: list[TableData], key: Node
) -> Node:
    """A word anew."""
    if kind == "lookups":
        index = make.slice(b, 8 * source.randrange(4), 8)
        return make.make(
            source.choice((Op.XOR, Op.ADD)), (a, make.make(Op.LOOKUP, (index,), source.choice(tables)))
        )
    if kind == "alone" and source.random() < 0.5:
        alone = (
            make.make(Op.MUL, (a, b)),
            make.make(Op.ROL, (a, b)),
            make.make(Op.SHR, (a, make.slice(b, 3, 5))),
        )
        return source.choice(alone)
    op = source.choice(ALIKE)
    if op is Op.NOT:
        return make.make(op, (a,))
    if op in (Op.ROL, Op.ROR, Op.SHL, Op.SHR):
        return make.make(op, (a, make.const(source.choice((3, 8, 13, 24)), 8)))
    entry = make.make(Op.LOAD, (key, make.const(source.randrange(4), 32)))
    return make.make(op, (a, source.choice((b, entry, make.const(source.getrandbits(32), 32)))))


def same(program: Program, made: Program, lanes: int) -> None:
    """Blocks side by side come out as each alone does."""
    whole(made)
    assert made.block.bytes == lanes * program.block.bytes
    source = np.random.default_rng(3)
    keys = source.integers(0, 256, (3, program.key.bytes), dtype=np.uint8)
    data = source.integers(0, 256, (3, lanes, program.block.bytes), dtype=np.uint8)
    alone = [
        interpret(program, np.repeat(key[None], lanes, 0), row) for key, row in zip(keys, data, strict=True)
    ]
    assert np.array_equal(interpret(made, keys, data.reshape(3, -1)), np.stack(alone).reshape(3, -1))


@pytest.mark.parametrize("kinds", [0, 4, 8])
@pytest.mark.parametrize("lanes", [2, 4])
@pytest.mark.every(3)
def test_random_ciphers(lanes: int, kinds: int) -> None:
    done = 0
    for seed in range(16):
        program = random_cipher(seed, 2 if seed % 3 == 0 else 4)
        for ascending in (True, False):
            try:
                made = with_blocks_in_lanes(program, lanes, kinds, ascending)
            except GraphError:
                continue
            same(program, made, lanes)
            done += 1
    assert done > 16


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("name", ["mars", "serpent", "rijndael", "twofish"])
@pytest.mark.every(4)
def test_ciphers(name: str, operation: str) -> None:
    program = pipeline.lower(traced(find_cipher(name), operation, 128), 32, "full")
    same(program, with_blocks_in_lanes(program, 4, 8, True), 4)


def test_rounds_with_products_are_of_each_block() -> None:
    """Sixteen of MARS's rounds; what all blocks share is read once, and the others are done in lanes."""
    program = pipeline.lower(traced(find_cipher("mars"), "encrypt", 128), 32, "full")
    made = with_blocks_in_lanes(program, 4, 8, True)

    def count(one: Program, op: Op) -> int:
        return sum(node.op is op for node in every_node(one.kernel))

    assert count(made, Op.MUL) == 4 * count(program, Op.MUL)
    tuples = [node for node in made.kernel.body if node.op is Op.TUPLE]
    lookups = [node for node in tuples if all(word.op is Op.LOOKUP for word in node.inputs)]
    assert len(lookups) == 64
    assert {array.name for array in made.kernel.params[16:]} == {"key", "key_repeated"}


def test_a_byte_of_all_blocks_reads_one_table() -> None:
    """Of MARS's rotations that is looked up by in which bytes read what others at their places have read."""
    program = pipeline.lower(traced(find_cipher("mars"), "encrypt", 128), 32, "full")
    read: dict[int, set[TableData]] = {}
    for node in with_blocks_in_lanes(program, 4, 8, True).kernel.body:
        if node.op is Op.LOOKUP and node.inputs[0].width == 8:
            byte = node.inputs[0]
            place = byte.inputs[0].attr * 4 + byte.attr // 8
            read.setdefault(place % 8, set()).add(node.attr)
    assert sorted(read) == list(range(8))
    assert all(len(tables) == 1 for tables in read.values())


def test_refusals() -> None:
    def lowered(name: str) -> Program:
        return pipeline.lower(traced(find_cipher(name), "encrypt", 128), 32, "full")

    with pytest.raises(GraphError, match="cast-256_encrypt has no round that is done in lanes"):
        with_blocks_in_lanes(lowered("cast-256"), 4, 8, True)
    with pytest.raises(GraphError, match="no blocks of words that could stand side by side"):
        with_blocks_in_lanes(lowered("rc4"), 4, 8, True)
    serpent = lowered("serpent")
    looped = serpent.with_graphs(serpent.expand, rolled(serpent.kernel))
    with pytest.raises(GraphError, match="has loops: blocks in lanes have their rounds written out"):
        with_blocks_in_lanes(looped, 4, 8, True)


def run(words: list[Node], results: list[Node], values: np.ndarray) -> np.ndarray:
    """Of words with these values, one each, what the results are."""
    found = interpreter.run(Graph("rows", words, results), [row[None] for row in values])
    return np.array([int(np.asarray(one).ravel()[0]) for one in found], np.uint32)


@pytest.mark.parametrize("lanes", [2, 4])
def test_words(lanes: int) -> None:
    wide = WideBuilder(lanes)
    words = [wide.make.param("memory", WORD, f"p{k}") for k in range(lanes * lanes)]
    rows = [wide.register(words[k : k + lanes]) for k in range(0, len(words), lanes)]
    values = np.random.default_rng(1).integers(0, 1 << 32, len(words), dtype=np.uint32)
    results = [word for row in crossed(wide, rows) for word in wide.words(row)]
    assert np.array_equal(run(words, results, values), values.reshape(lanes, lanes).T.ravel())


@pytest.mark.parametrize("lanes", [2, 4])
def test_bytes(lanes: int) -> None:
    wide = WideBuilder(lanes)
    words = [wide.make.param("memory", WORD, f"p{k}") for k in range(lanes)]
    values = np.random.default_rng(2).integers(0, 1 << 32, lanes, dtype=np.uint32)
    results = list(wide.words(with_columns(wide, wide.register(words))))
    expected = values.view(np.uint8).reshape(lanes, 4).T.ravel().view(np.uint32)
    assert np.array_equal(run(words, results, values), expected)


@pytest.mark.parametrize(("lanes", "count"), [(2, 2), (4, 2)])
def test_exchanges_of_bits(lanes: int, count: int) -> None:
    """Each takes a byte half of its way; no more than two are needed."""
    pairs = exchanges(lanes)
    assert len(pairs) == count
    for lane in range(lanes):
        for number in range(4):
            place = lane * 4 + number
            for one, other in pairs:
                place = exchanged(place, one, other)
            assert place == number * lanes + lane
