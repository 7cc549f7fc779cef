"""Functions of three vectors as C: by one instruction or as products, on lanes of all widths."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.language import Table, Word
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.vectors import logic
from finalist.toolchain import compiler
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.graphs import inputs_for
from tests.language.toy import run, toy
from tests.machines.native.harness import FLAGS, Form, compare
from tests.marks import needs_compiler


def every_function(width: int, seed: int) -> Graph:
    """All functions of three words, on words of the block and, in their turns, of the key, and constants;
    those of two also on what is the same for all blocks."""
    make, source = Builder(), random.Random(seed)
    block = [make.param("memory", WordType(width), name) for name in "xyz"]
    fixed = [make.param("key", WordType(width), "k"), make.const(source.getrandbits(width), width)]
    results: list[Node] = []
    for truth in range(256):
        words = [*block, source.choice(fixed)]
        source.shuffle(words)
        results.append(make.make(Op.BOOL, words[:3], truth))
    for two in (block[:2], fixed):
        results += [make.make(Op.BOOL, two, truth) for truth in range(16)]
    total = results[0]
    for result in results[1:]:  # one function takes all, so that a few numbers tell
        total = make.make(Op.ADD, (make.make(Op.ADD, (total, total)), result))
    return Graph("g", [*block, fixed[0]], [total, *source.sample(results, 20)])


@needs_compiler
@pytest.mark.parametrize("native", [True, False], ids=["native", "any"])
@pytest.mark.parametrize(
    ("lanes", "bits", "width"),
    [(1, 32, 32), (1, 32, 3), (1, 64, 64), (16, 32, 32), (8, 64, 64), (64, 8, 8), (64, 8, 3)],
)
@pytest.mark.every(7)
def test_as_the_interpreter_does(tmp_path: Path, lanes: int, bits: int, width: int, native: bool) -> None:
    graph = every_function(width, seed=lanes)
    values = inputs_for(graph, lanes, seed=bits)
    values[3] = values[3][:1].repeat(lanes)
    flags = (*FLAGS, "-Wno-psabi", *(["-march=native"] if native else []))
    compare([graph], [values], tmp_path, Form(1, lanes, bits), flags)


def test_expressions_are_the_functions() -> None:
    """And none is longer than what it could be chosen by: a word, then one of two functions."""
    words = {"a": 0xAA, "b": 0xCC, "c": 0xF0}
    for truth, expression in logic.expressions().items():
        assert eval(expression, {}, words) & 0xFF == truth
        assert sum(map(expression.count, "^&|~")) <= 5


def test_only_functions_that_are_used_are_written() -> None:
    text = logic.macro(512, "x = vec_logic(vec_bit(k[3]), y & 0x12, z, 0x96);\nw = f(x, 0x34);")
    assert "vec_logic_0x96(vec a, vec b, vec c) { return" in text
    assert text.count("static inline vec vec_logic_0x") == 1


def program(name: str, operation: str = "encrypt", **choices: int | str) -> NativeProgram:
    made = compile_cipher(name, "native", operation=operation, **choices)
    assert isinstance(made, NativeProgram)
    return made


PLANES = {"name": "serpent"}
BITS = {"name": "des", "lookup": "bitslice"}


@pytest.mark.parametrize("how", [BITS, PLANES], ids=["bits", "planes"])
@pytest.mark.every(2)
def test_vectors_of_512_bits_alone_have_such_functions(how: dict[str, str]) -> None:
    for width in (1, 128, 256, 512):
        assert ("vec_logic" in program(**how, width=width).text) == (width == logic.BITS)


@pytest.mark.skipif(compiler.available() and compiler.vector_bits() < 512, reason="needs vectors of 512 bits")
@needs_compiler
@pytest.mark.parametrize(
    ("how", "operation"), [(PLANES, "decrypt"), (BITS, "encrypt")], ids=["planes", "bits"]
)
@pytest.mark.every(2)
def test_known_answers(how: dict[str, str], operation: str) -> None:
    made = program(**how, operation=operation, width=512)
    made.flags = ("-O1", "-march=native", "-Werror", "-Wno-psabi")
    assert check_known_answers(made, vectors_of(cipher(how["name"]))) > 0


KEYED = Table([((x & 7).bit_count() > 1) ^ x >> 3 for x in range(16)], 1)


def before(block: list[Word], K: list[Word]) -> list[Word]:
    """A function with a part that takes words of the key alone."""
    return [*KEYED.bitslice(K[0], K[1], K[2], block[0]), *block[1:]]


def within(block: list[Word], K: list[Word]) -> list[Word]:
    """A word of the block that does not matter, which is found when gates are made of it."""
    x, k, m = block[0], K[0], K[1]
    k_again = (x | k) & ~(x & k) ^ x
    return [block[1] + ~(k_again | m), *block[1:]]


@needs_compiler
@pytest.mark.parametrize("encrypt", [before, within])
@pytest.mark.parametrize("width", [1, 512])
def test_functions_of_the_key_alone(encrypt: Callable[..., list[Word]], width: int) -> None:
    """Which are the same for all blocks, so no vectors."""
    if compiler.vector_bits() < width > 1:
        pytest.skip(f"needs vectors of {width} bits")
    definition = toy(encrypt)
    made = compile_cipher(definition, "native", width=width)
    assert isinstance(made, NativeProgram)
    made.flags = ("-O1", *["-march=native"] * (compiler.vector_bits() >= width), "-Werror", "-Wno-psabi")
    key, data = bytes(range(16)), np.random.default_rng(width).bytes(64 * definition.block.bytes)
    assert made.run(key, data).output == run(definition, key, data)


def test_few_vectors_have_few_gates_one_after_the_other() -> None:
    """A vector more of them waits for no gate: there fewer are quicker."""
    few, many = (
        program("serpent", width=512, planes=1, blocks=16 * copies, skew=4, rounds=8) for copies in (4, 8)
    )
    assert few.work.operations > many.work.operations
