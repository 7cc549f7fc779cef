"""Bits of the key: arrays filled in a loop, complemented where the kernel wants that."""

from __future__ import annotations

import pytest

from finalist.ir.ops import Op
from finalist.language import LITTLE, rol, u32, words
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
