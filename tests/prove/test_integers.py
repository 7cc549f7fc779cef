"""Words as integers: they are those of the interpreter, limbs are their words, and faults are not proved."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ir.builder import Builder
from finalist.ir.execute import interpret
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language import Array, Cipher, Word, multiply_add, u16, u32, words
from finalist.language.word import mulhi
from finalist.machines.tracing import traced
from finalist.passes import legalise, simplify
from finalist.prove.cuts import compare
from finalist.prove.integers import Integers
from finalist.prove.literals import Cut
from finalist.prove.question import Question
from finalist.prove.recorded import Recorder, simulated
from tests.graphs import EVERYTHING, bytes_for, random_program
from tests.prove.changes import Change, changed, swapped

#: Of the CPU for what is not proved.
SECONDS = 5.0
ROWS = 40
#: Words of words: no control flow, no arrays.
STRAIGHT = EVERYTHING.without(Op.LOOP, Op.WHEN, Op.ARRAY, Op.LOAD, Op.STORE, Op.WINDOW, Op.APPLY)


class Asked:
    """All words of a program as one question, and what they are on drawn keys and blocks."""

    def __init__(self, program: Program) -> None:
        recorder = Recorder()
        self.recorded = recorder.record(program, 1)
        self.nodes = [node for node in recorder.nodes if node.op is not Op.ARRAY]
        self.question = Question(self.nodes, Cut(self.recorded, self.recorded))
        self.integers = Integers(self.question)
        keys, data = bytes_for(program, ROWS)
        with np.errstate(over="ignore"):
            self.values = simulated(recorder.nodes, [self.recorded], keys, data)

    def atoms(self, row: int) -> dict[object, int]:
        """By key the values of bits of inputs, and of words of which only the operation is known."""
        found: dict[object, int] = {}
        for word in (*self.recorded.key, *self.recorded.blocks[0]):
            for k, number in enumerate(self.question.numbers(word)):
                assert number is not None
                found["bit", number >> 1] = self.value(word, row) >> k & 1
        for node in self.nodes:
            inputs = tuple(frozenset(self.integers.of(child).polynomial.items()) for child in node.inputs)
            widths = tuple(child.width for child in node.inputs)
            found[node.op, node.attr, inputs, widths] = self.value(node, row)
        return found

    def value(self, node: Node, row: int) -> int:
        return int(np.broadcast_to(self.values[node], (ROWS,))[row])


@pytest.mark.parametrize("seed", range(60))
def test_integers_are_the_words_of_random_programs(seed: int) -> None:
    asked = Asked(random_program(f"integers {seed}", STRAIGHT))
    assert not asked.integers.failed
    for row in range(0, ROWS, 8):
        atoms = asked.atoms(row)
        for node in asked.nodes:
            made = asked.integers.of(node)
            assert asked.integers.polynomials.value(made.polynomial, atoms.__getitem__) == asked.value(
                node, row
            ), node
            assert asked.value(node, row) <= made.greatest


class Products(Cipher):
    """Both words of a product, and of one with a word added, as of a decorrelation module."""

    block = words(2, u16)
    key_bits = (32,)
    key_words = words(2, u16)

    def expand_key(self, key: list[Word]) -> dict[str, Array]:
        return {"K": Array.holding(key)}

    def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
        a, b = (keys["K"][k] for k in range(2))
        low = a * block[0] + b
        return [low, mulhi(a, block[0]) + (low < b).extend(16) ^ block[1]]


class Constants(Products):
    """A product with a number of many digits, and one with a word of which half is known."""

    def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
        half = keys["K"][0][0:8].extend(16) | 0xB700
        return [mulhi(block[0], 0x9E5B) + block[1], mulhi(block[1], half) + block[0] * half]


class Modulo(Products):
    """``a x + b`` modulo 2^32 + 15, in limbs with a borrow."""

    block = words(2, u32)
    key_bits = (64,)
    key_words = words(2, u32)

    def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
        a, b = (keys["K"][k] for k in range(2))
        return [multiply_add(a, block[0], b, (1 << 32) + 15), block[1]]


def in_limbs(definition: type[Cipher]) -> tuple[Program, Program]:
    """A definition, and the same in words of half its width."""
    program = traced(definition, "encrypt", definition.usual_key_bits())
    return program, simplify.run(legalise.run(program, definition.block.width // 2))


@pytest.mark.parametrize("definition", [Products, Constants], ids=lambda one: one.__name__)
def test_products_in_limbs(definition: type[Cipher]) -> None:
    assert compare(*in_limbs(definition)).reason == ""


def test_products_modulo_more_than_a_word() -> None:
    """Of a word that is reduced a solver is asked."""
    pytest.importorskip("pysat")
    assert compare(*in_limbs(Modulo)).reason == ""


def without(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    """Nothing, in place of a word: a carry that is dropped, an upper word that is not added."""
    return make.const(0, node.width)


def first_alone(make: Builder, node: Node, inputs: tuple[Node, ...]) -> Node:
    return inputs[0]


@pytest.mark.parametrize("definition", [Products, Constants], ids=lambda one: one.__name__)
@pytest.mark.parametrize(
    ("op", "change"),
    [(Op.LT, without), (Op.LT, swapped), (Op.MULHI, without), (Op.ADD, first_alone), (Op.MUL, without)],
    ids=lambda one: one.name if isinstance(one, Op) else one.__name__,
)
def test_a_fault_in_limbs_is_not_proved(op: Op, change: Change, definition: type[Cipher]) -> None:
    """Each carry and each word of a product, one at a time, wherever the interpreter sees a difference."""
    (first, good), seen = in_limbs(definition), 0
    keys, data = bytes_for(good, 4000)
    wanted = interpret(good, keys, data)
    for number in range(sum(node.op is op for node in good.kernel.body)):
        bad = changed(good, op, number, change)
        if not np.array_equal(interpret(bad, keys, data), wanted):
            seen += 1
            assert compare(first, bad, SECONDS).reason != ""
    assert seen
