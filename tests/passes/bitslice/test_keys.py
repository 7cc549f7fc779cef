"""Bits of the key: arrays filled in a loop, complemented where the kernel wants that."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.execute import split
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType
from finalist.language import LITTLE, rol, u32, u64, words
from finalist.passes import hoist
from finalist.passes.bitslice import keys, walk
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program, operations

BLOCK = words(2, u32, LITTLE)


def on_bits(encrypt, expand=lambda key: key):
    return walk.run(hoist.run(traced(toy(encrypt, expand, BLOCK, (64,)))))


def test_the_kernel_reads_bits_and_nothing_else_of_the_key() -> None:
    program = on_bits(lambda block, key: [block[0] ^ key[0], block[1] & rol(key[1], 3)])
    after = keeps_program(keys.run, program)
    assert [type_.width for type_ in after.key_types] == [1]
    assert len(operations(after.expand, Op.LOOP)) == 1


def test_complements_are_in_the_key() -> None:
    program = on_bits(lambda block, key: [block[0] ^ ~key[0], block[1] ^ key[1]])
    after = keeps_program(keys.run, program)
    assert not operations(after.kernel, Op.NOT)


def test_a_bit_taken_both_ways_is_complemented_where_it_is_rarer() -> None:
    program = on_bits(lambda block, key: [block[0] & key[0], (block[1] | key[0]) ^ (block[0] & ~key[0])])
    after = keeps_program(keys.run, program)
    assert len(operations(after.kernel, Op.NOT)) <= 32


@pytest.mark.parametrize("width", [5, 8, 13])
def test_words_of_any_width(width: int) -> None:
    """The bits of each word begin at a power of two."""
    program = on_bits(
        lambda block, key: [(block[0][0:width] ^ key[0]).extend(32), block[1]],
        lambda key: [key[0][0:width], key[1][3 : 3 + width]],
    )
    keeps_program(keys.run, program)


def test_a_kernel_without_a_key() -> None:
    keeps_program(keys.run, on_bits(lambda block, key: [block[1], block[0]]))


@pytest.mark.parametrize("width", [5, 8, 13, 32, 64])
def test_the_words_that_bits_were_cut_from(width: int) -> None:
    definition = toy(
        lambda block, key: [(block[0][0:width] ^ ~key[0]).extend(64), block[1]],
        lambda key: [key[0][0:width], key[1][0:width]],
        words(2, u64, LITTLE),
        (128,),
    )
    program = keys.run(walk.run(hoist.run(traced(definition))))
    (bits,) = program.expand.results
    found = keys.words_of_bits(bits)
    assert found is not None and found.width == width
    both = Graph("both", program.expand.params, [found, bits])
    secret = np.random.default_rng(width).integers(0, 256, (5, 16), np.uint8)
    of_words, of_bits = interpreter.run(both, split(program.key, secret))
    indices = np.arange(keys.stride(found), dtype=np.uint64)
    cut = np.asarray(of_words, np.uint64)[:, :, None] >> indices & np.uint64(1)
    assert np.array_equal(cut.reshape(len(secret), -1), of_bits)


OTHERWISE = {
    "another word": lambda make, index, words: bit_of(make, words, after(make, index), index),
    "another bit": lambda make, index, words: bit_of(make, words, index, after(make, index)),
    "as if of sixteen bits": lambda make, index, words: bit_of(make, words, index, index, step=16),
    "complements": lambda make, index, words: make.make(Op.NOT, (bit_of(make, words, index, index),)),
}


@pytest.mark.parametrize("how", OTHERWISE)
@pytest.mark.parametrize("planted", [False, True])
def test_bits_in_another_order_were_cut_from_no_words(how: str, planted: bool) -> None:
    make = Builder()
    words = make.param("key", ArrayType(4, 8), "words")

    def entry(index: Node) -> Node:
        return OTHERWISE[how](make, index, words) if planted else bit_of(make, words, index, index)

    bits = make.filled(32, 1, entry)
    assert (keys.words_of_bits(bits) is words) is not planted


@pytest.mark.parametrize("length", [16, 24, 31])
def test_some_of_the_bits_are_not_all(length: int) -> None:
    make = Builder()
    words = make.param("key", ArrayType(4, 8), "words")
    assert keys.words_of_bits(make.filled(length, 1, lambda i: bit_of(make, words, i, i))) is None


def test_bits_that_no_loop_stores_were_cut_from_no_words() -> None:
    make = Builder()
    assert keys.words_of_bits(make.param("key", ArrayType(32, 1), "bits")) is None


def after(make: Builder, index: Node) -> Node:
    return make.make(Op.ADD, (index, make.const(1, 32)))


def bit_of(make: Builder, words: Node, word: Node, bit: Node, step: int = 8) -> Node:
    """The bit at one index of the word at another, both counted in bits from the first word."""
    at = make.make(Op.SHR, (word, make.const(step.bit_length() - 1, 8)))
    amount = make.make(Op.AND, (bit, make.const(step - 1, 32)))
    return make.slice(make.make(Op.SHR, (make.make(Op.LOAD, (words, at)), amount)), 0, 1)
