"""Key schedules on registers."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.language import BIG, Cipher, join, rol, u8, u16, u32, u64, words
from finalist.language.definition import OPERATIONS, trace
from finalist.machines.native.whole_blocks.matched import instructions
from finalist.passes import hoist, simplify
from finalist.passes.matching import kernel, keys
from finalist.passes.pipeline import lower
from tests.language.toy import toy, traced
from tests.passes.matching.aes import Columns, S
from tests.passes.meaning import keeps_program, operations

AES = cipher("rijndael")


def lowered(definition: type[Cipher], operation: str, bits: int) -> Program:
    return keeps_program(lambda p: lower(p, instructions=instructions()), trace(definition, operation, bits))


@pytest.mark.parametrize("definition", [AES, Columns])
@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.every(4)
def test_no_word_is_left(definition: type[Cipher], bits: int, operation: str) -> None:
    """Each register takes at most one round; all that is left of words is where they are stored."""
    program = lowered(definition, operation, bits)
    ops = {node.op for node in program.expand.body}
    assert ops == {Op.TUPLE, Op.INSTRUCTION, Op.RESULT, Op.ARRAY, Op.STORE}
    names = [str(node.attr) for node in operations(program.expand, Op.INSTRUCTION)]
    turns = {128: 10, 192: 8, 256: 13}[bits]
    assert turns <= names.count("aesenclast") <= turns + 4
    assert names.count("aesimc") == (bits // 32 + 5 if operation == "decrypt" else 0)


def altered(expand) -> Program:
    """The AES with another key schedule, up to where `keys` comes."""

    class Altered(AES):
        def expand_key(self, key):
            return expand([join(*key[4 * i : 4 * i + 4]) for i in range(4)], self.last)

    program = kernel.run(simplify.run(trace(Altered, "encrypt", 128)), instructions())
    return hoist.run(program)


def substituted(word):
    return join(*(S[byte] for byte in word.bytes()))


def flat(keys):
    return [[byte for word in key for byte in word.bytes()] for key in keys]


def feistel(key, last):
    """Another one, with two words substituted a round."""
    made = [key]
    for r in range(last):
        a, b, c, d = made[-1]
        a = a ^ rol(substituted(b), 8) ^ (77 * r)
        c = c ^ substituted(d ^ b)
        made.append([b, c ^ d, a, a ^ d])
    return flat(made)


def test_other_schedules_have_the_form_too() -> None:
    program = altered(feistel)
    after = keeps_program(lambda p: keys.run(p, instructions()), program)
    assert not operations(after.expand, Op.LOOKUP)
    names = [str(node.attr) for node in operations(after.expand, Op.INSTRUCTION)]
    assert names.count("aesenclast") == 10


def sums(key, last):
    """One that adds."""
    made = [key]
    for _ in range(last):
        a, b, c, d = made[-1]
        made.append([b, c + d, d, a ^ substituted(b)])
    return flat(made)


def squares(key, last):
    """One that substitutes twice in a row."""
    made = [key]
    for _ in range(last):
        a, b, c, d = made[-1]
        made.append([b, c ^ d, d, a ^ substituted(substituted(b))])
    return flat(made)


@pytest.mark.parametrize("expand", [sums, squares])
def test_what_has_no_such_form_stays(expand) -> None:
    program = altered(expand)
    assert keys.run(program, instructions()).expand.body == program.expand.body


@pytest.mark.parametrize(
    "layout", [words(16, u8), words(4, u32), words(4, u32, BIG), words(8, u16, BIG), words(2, u64, BIG)]
)
def test_the_key_as_in_memory(layout: Layout) -> None:
    cipher_ = toy(lambda block, K: [block[0] ^ K[0], *block[1:]], block=layout)
    after = keeps_program(keys.as_in_memory, traced(cipher_))
    assert after.key == Layout(4, 32, ByteOrder.LITTLE)


def test_keys_that_fill_no_words_stay() -> None:
    class Short(Cipher):
        block, key_words, key_bits = words(4, u32), words(5, u8), (40,)

        def expand_key(self, key):
            return key

        def encrypt(self, block, keys):
            return [block[0] ^ S[keys[4]].extend(32), *block[1:]]

    program = simplify.run(trace(Short, "encrypt", 40))
    assert keys.run(program, instructions()) is program


def test_sums_prefer_few_words() -> None:
    known = keys._Combinations([(6, 4), (56, 16), (62, 20)])
    assert next(known.near((62, 20))) == (2,)
    assert known.without((62, 20), (2,)) == (0, 0)
    assert np.all(np.diff([len(choice) for choice in known.choices]) >= 0)
