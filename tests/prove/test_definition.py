"""Graphs on unknown words: whatever is simplified there, they compute what the interpreter computes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import FinalistError
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.execute import interpret
from finalist.ir.graph import Graph, Node
from finalist.ir.interpreter import dtype
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.language import Array, Cipher, Word, rol, u8, words
from finalist.machines.tracing import traced
from finalist.prove.bits import bits_of
from finalist.prove.definition import Evaluator, outputs
from finalist.prove.evaluate import Valuation
from finalist.prove.memory import as_bytes
from finalist.prove.words import Words
from tests.graphs import Shape, random_graph

#: Of the operations on words each at all of these.
WIDTHS = (1, 2, 5, 7, 8, 16, 31, 32, 33, 63, 64)
#: Left to the second tier.
CHECK = (pytest.mark.slow, pytest.mark.check)
#: The widths, those that take long left to the second tier.
SHIFTED = [w if w < 16 or w == 32 else pytest.param(w, marks=CHECK) for w in WIDTHS]
BINARY = (Op.AND, Op.OR, Op.XOR, Op.ADD, Op.SUB, Op.MUL, Op.MULHI, Op.REM, Op.EQ, Op.LT)


def checked(graph: Graph, source: random.Random, points: int = 6) -> bool:
    """Whether the graph can be carried out on unknown words; fails where its values are not the
    interpreter's."""
    words = Words()
    symbols = [_symbol(words, param) for param in graph.params]
    try:
        found = Evaluator(words).run(graph, symbols)
    except FinalistError:
        return False
    for _ in range(points):
        given = [_value(param, source) for param in graph.params]
        inputs = {}
        for param, value in zip(graph.params, given, strict=True):
            inputs |= {(param, j): int(v) for j, v in enumerate(np.atleast_1d(value))}
        valuation = Valuation(words, inputs)
        for one, wanted in zip(found, interpreter.run(graph, given), strict=True):
            entries = one if isinstance(wanted, np.ndarray) and wanted.ndim else [one]
            assert [valuation.word(entry) for entry in entries] == [int(v) for v in np.atleast_1d(wanted)]
    return True


def _symbol(words: Words, param: Node) -> object:
    if isinstance(param.type, ArrayType):
        return tuple(words.symbol((param, k), param.width) for k in range(param.length))
    return words.symbol((param, 0), param.width)


def _value(param: Node, source: random.Random) -> np.ndarray:
    kinds = [lambda: source.getrandbits(param.width), lambda: 0, lambda: (1 << param.width) - 1, lambda: 1]
    count = param.length if isinstance(param.type, ArrayType) else None
    drawn = [source.choice(kinds)() & (1 << param.width) - 1 for _ in range(count or 1)]
    return np.array(drawn if count else drawn[0], dtype(param.width))


@pytest.mark.parametrize("width", SHIFTED)
def test_every_operation_at_every_width(width: int) -> None:
    make = Builder()
    a, b = (make.param("word", WordType(width), name) for name in "ab")
    results = [make.make(op, (a, b)) for op in BINARY]
    results += [make.make(Op.NOT, (a,)), make.make(Op.SUB, (make.const(0, width), b))]
    source = random.Random(width)
    assert checked(Graph("all", (a, b), results), source, points=20)


@pytest.mark.parametrize("width", SHIFTED)
@pytest.mark.parametrize("op", [Op.SHL, Op.SHR, Op.ROL, Op.ROR])
def test_shifts_by_words(op: Op, width: int) -> None:
    make = Builder()
    a, amount = make.param("word", WordType(width), "a"), make.param("word", WordType(8), "n")
    results = [make.make(op, (a, amount)), make.make(op, (a, make.make(Op.SUB, (make.const(0, 8), amount))))]
    results += [make.make(op, (a, make.const(k, 8))) for k in (0, 1, width - 1, width, width + 1, 255)]
    assert checked(Graph("shifts", (a, amount), results), random.Random(width), points=20)


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=CHECK) for k in range(1, 12))])
def test_random_graphs(part: int) -> None:
    """What depends on key or block where it may not is refused; a third has to be left at least."""
    shape = Shape(ops=frozenset(Op) - {Op.INSTRUCTION}, widths=(8, 16, 5, 32, 1, 33))
    seeds = range(25 * part, 25 * part + 25)
    done = [checked(random_graph(f"prove {seed}", shape), random.Random(seed)) for seed in seeds]
    assert sum(done) > len(done) // 3


@pytest.mark.parametrize(
    ("name", "tabulated"),
    [
        ("rijndael", True),
        ("twofish", False),
        *(pytest.param(name, True, marks=CHECK) for name in ("serpent", "mars", "twofish")),
    ],
)
def test_a_cipher_at_a_key_and_a_block(name: str, tabulated: bool) -> None:
    """The bits made of a definition, where key and block are known, are its published kind of answer."""
    program, words = traced(cipher(name), "encrypt", 128), Words()
    made = outputs(program, words, as_bytes(words, "key", 16), [as_bytes(words, "data", 16)], tabulated)
    source = random.Random(name)
    key, block = source.randbytes(16), source.randbytes(16)
    inputs = {("key", k): byte for k, byte in enumerate(key)}
    inputs |= {("data", k): byte for k, byte in enumerate(block)}
    valuation = Valuation(words, inputs)
    wanted = interpret(program, np.frombuffer(key, np.uint8)[None], np.frombuffer(block, np.uint8)[None])
    assert bytes(valuation.word(byte) for byte in made) == wanted.tobytes()


@pytest.mark.parametrize("length", [3, 4, 40])
def test_stores_at_positions_that_are_words(length: int) -> None:
    """Indices wrap around; a position may be that of the store before."""
    make = Builder()
    a, b, c = (make.param("word", WordType(8), name) for name in "abc")
    array = make.array(list(range(length)), 8)
    for index, value in ((a, b), (c, a), (make.const(1, 8), c), (b, c)):
        array = make.make(Op.STORE, (array, index, value))
    results = [make.make(Op.LOAD, (array, index)) for index in (a, b, c, make.const(0, 8))]
    assert checked(Graph("stores", (a, b, c), results), random.Random(length), points=20)


def long_sum(key: list[Word]) -> Word:
    """A word whose bits are sums of more atoms than stay without a name."""
    total = key[1]
    for part in (rol(byte, n) for byte in key[4:] for n in range(4)):
        total = total ^ part
    return total


class Filled(Cipher):
    """A table that the key schedule fills by products that it adds up, read at its own entries."""

    block = words(2, u8)
    key_bits = (64,)
    key_words = words(8, u8)

    def expand_key(self, key: list[Word]) -> dict[str, Array]:
        S = Array(32, 8, range(32))
        x, total = key[0], long_sum(key)
        for place in range(32):
            x = rol(x, 1) * key[2] ^ S[x & 31] ^ key[3]
            total = total ^ x
            S[place] = total
        return {"S": S}

    def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
        a, b = block
        return [a ^ keys["S"][b & 31], b]


class Again(Filled):
    """The same with long sums that come up, and are taken, before they are stored: the key cancels."""

    def expand_key(self, key: list[Word]) -> dict[str, Array]:
        S = Array(32, 8, range(32))
        x, total = key[0], long_sum(key)
        for place in range(32):
            total = total ^ rol(x, 1) * key[2]
            x = S[(total ^ key[3]) & 31]
            S[place] = total ^ key[3] ^ key[3] ^ 1
        return {"S": S}


@pytest.mark.parametrize("definition", [Filled, Again])
def test_a_program_is_the_same_after_another_one(definition: type[Cipher]) -> None:
    """What is stored has its names at the same places, though tables are known that are opaque."""
    program = traced(definition, "encrypt", 64)
    store = Words()
    key, data = as_bytes(store, "key", 8), as_bytes(store, "data", 2)
    first = outputs(program, store, key, [data])
    assert store.reads.tables
    assert outputs(program, store, key, [data]) == first


class Late(Filled):
    """The same, with long sums stored before any table is opaque."""

    def expand_key(self, key: list[Word]) -> dict[str, Array]:
        total, first = key[0], Array(4, 8)
        for part in (rol(byte, n) for byte in key[1:] for n in range(4)):
            total = total ^ part
        for place in range(4):
            first[place] = rol(total, 1) ^ key[0] if place & 1 else total
        keys = Filled.expand_key(self, key)
        S = keys["S"]
        for place in range(32):
            S[place] = S[place] ^ first[place & 3] ^ S[S[place] & 31]
        return keys


def test_words_that_are_stored_before_a_table_is_opaque_have_names_too() -> None:
    program = traced(Late, "encrypt", 64)
    store = Words()
    outputs(program, store, as_bytes(store, "key", 8), [as_bytes(store, "data", 2)])
    assert store.reads.tables
    long = {number for number, name in store.store.aliases.items() if name >> 1 != number}
    assert any(all(store.store.atoms[atom][0] == "input" for atom in store.store.sets[n]) for n in long)


@pytest.mark.parametrize("table", [0b11101000, 0b10010110, 0b11001010, 0b01111111, 0b00010111, 0])
def test_gates_of_three_inputs_are_those_that_they_are_made_of(table: int) -> None:
    """Where no index is known they add no functions of their own; a majority is that of a sum's carry."""
    store = Words()
    make = Builder()
    inputs = tuple(make.param("word", WordType(4), name) for name in "abc")
    graph = Graph("gate", inputs, [make.make(Op.BOOL, inputs, table, type_=WordType(4))])
    symbols = [store.symbol(name, 4) for name in "abc"]
    (found,) = Evaluator(store).run(graph, symbols)
    for k, bit in enumerate(bits_of(found, 4)):
        for point in range(8):
            given = {name: (point >> j & 1) << k for j, name in enumerate("abc")}
            assert Valuation(store, given).bit(bit) == table >> point & 1
    assert not any(atom[0] == "function" for atom in store.store.atoms)
    if table == 0b11101000:
        assert bits_of(found, 4)[0] == store.store.majority(*(symbol[0] for symbol in symbols))
