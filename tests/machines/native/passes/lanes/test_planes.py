"""Bit planes: blocks side by side in one word, the key's words as arrays of planes made in a loop."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.execute import interpret
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language import LITTLE, Cipher, rol, u32, words
from finalist.language.definition import OPERATIONS
from finalist.machines.native.passes.lanes import planes
from finalist.machines.tracing import traced as trace
from finalist.passes.pipeline import lower
from tests.passes.meaning import keeps_program, operations, whole


class Boolean(Cipher):
    """Key words as they are, and one put together; moves by amounts that are no multiple of the planes."""

    block = words(2, u32, LITTLE)
    key_bits = (64,)

    def expand_key(self, key):
        return [key[0], key[1], key[0] & ~key[1]]

    def encrypt(self, block, keys):
        a, b = block
        a = rol(a ^ keys[0], 5) ^ (b & keys[1])
        b = (b >> 3) ^ (a << 9) ^ keys[2] ^ keys[0]
        return a, b

    decrypt = encrypt


def together(program: Program, count: int, seed: int = 1, *, ternary: bool = False) -> None:
    """The program on planes gives for each of ``count`` blocks what the program itself gives."""
    sliced = planes.run(program, count, ternary=ternary)
    whole(sliced)
    source = np.random.default_rng(seed)
    key = source.integers(0, 256, (1, program.key.bytes), np.uint8)
    blocks = source.integers(0, 256, (3 * count, program.block.bytes), np.uint8)
    expected = interpret(program, key, blocks)
    found = interpret(sliced, key, blocks.reshape(3, -1))
    assert np.array_equal(found.reshape(expected.shape), expected)


@pytest.mark.parametrize("count", [2, 4, 8, 16, 32])
def test_each_number_of_planes(count: int) -> None:
    together(lower(trace(Boolean, "encrypt", 64)), count)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_serpent(operation: str) -> None:
    together(lower(trace(cipher("serpent"), operation, 128)), 8)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.every(2)
def test_with_gates_of_three_inputs(operation: str) -> None:
    program = trace(cipher("serpent"), operation, 128)
    three = lower(program, ternary=True)
    assert operations(three.kernel, Op.BOOL)
    keeps_program(lambda traced: lower(traced, ternary=True), program)
    together(three, 8, ternary=True)


def test_the_planes_of_key_words_are_made_in_one_loop() -> None:
    program = lower(trace(cipher("serpent"), "encrypt", 128))
    sliced = planes.run(program, 8)
    assert len(operations(sliced.expand, Op.LOOP)) == 1
    (name,) = set(sliced.key_names) - set(program.key_names)
    assert name.endswith("_planes")
    lengths = dict(zip(sliced.key_names, (type_.length for type_ in sliced.key_types), strict=True))
    assert lengths[name] == 8 * 132


@pytest.mark.parametrize("count", [1, 3, 33, 64])
def test_numbers_that_no_word_has(count: int) -> None:
    with pytest.raises(ScheduleError, match=f"planes={count} is not legal for boolean"):
        planes.run(lower(trace(Boolean, "encrypt", 64)), count)


def test_sums_have_no_planes() -> None:
    with pytest.raises(ScheduleError, match="has no form on planes"):
        planes.run(lower(trace(cipher("rc6"), "encrypt", 128)), 8)
