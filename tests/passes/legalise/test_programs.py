"""Whole programs on limbs: the layout of memory, the expanded key, every cipher there is."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.execute import interpret
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.language import BIG, LITTLE, Cipher, u16, u32, u64, words
from finalist.language.cipher import WordType
from finalist.language.definition import OPERATIONS, trace
from finalist.machines.interpreter.machine import InterpretedProgram
from finalist.machines.tracing import traced
from finalist.passes import legalise
from finalist.passes.legalise import walk
from finalist.passes.pipeline import lower
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.catalogue import USUAL
from tests.graphs import bytes_for, programs
from tests.language.toy import toy
from tests.passes.legalise.narrow import LIMBS, assert_narrow
from tests.passes.legalise.test_structures import MIXED
from tests.passes.meaning import whole
from tests.wide import wide_cipher

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.py"))


def keeps(program: Program, width: int, rows: int = 5, seed: int = 0) -> Program:
    """The legalised program, narrow and of the same meaning, byte for byte."""
    after = legalise.run(program, width)
    whole(after)
    for graph in (after.expand, after.kernel):
        assert_narrow(graph, width)
    assert (after.block.bytes, after.key.bytes) == (program.block.bytes, program.key.bytes)
    keys, data = bytes_for(program, rows, seed)
    assert np.array_equal(interpret(program, keys, data), interpret(after, keys, data))
    return after


# -- memory -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [LITTLE, BIG], ids=lambda order: order.value)
@pytest.mark.parametrize("type_", [u16, u32, u64], ids=str)
@pytest.mark.parametrize("width", [*LIMBS, 64])
def test_memory_stays(width: int, type_: WordType, order: ByteOrder) -> None:
    """Words of either order, and keys in the other one."""
    other = LITTLE if order is BIG else BIG
    definition = toy(
        lambda block, keys: [b + k for b, k in zip(block, keys, strict=True)], block=words(3, type_, order)
    )
    definition.key_words = words(3, type_, other)
    definition.key_bits = (3 * type_.width,)
    after = keeps(trace(definition, "encrypt", 3 * type_.width), width)
    limbs = max(1, type_.width // width)
    assert after.block == Layout(3 * limbs, min(width, type_.width), order)
    assert after.key == Layout(3 * limbs, min(width, type_.width), other)


def test_limbs_of_big_endian_words_come_highest_first() -> None:
    definition = toy(lambda block, keys: [block[0] + keys[0]], block=words(1, u64, BIG), key_bits=(64,))
    after = legalise.run(trace(definition, "encrypt", 64))
    assert [p.name for p in after.kernel.params] == ["p0_hi", "p0_lo", "key_64_lo", "key_64_hi"]
    assert [p.name for p in after.expand.params] == ["k0_hi", "k0_lo"]


def test_a_wrong_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "_laid", lambda words, order: walk._flat(words))
    definition = toy(lambda block, keys: [block[0] + keys[0]], block=words(1, u64, BIG), key_bits=(64,))
    with pytest.raises(AssertionError):
        keeps(trace(definition, "encrypt", 64), 32)


def test_what_is_narrow_is_let_be() -> None:
    program = traced(cipher("rc6"), "encrypt", 128)
    assert legalise.widest(program) == 32
    assert legalise.run(program) is program
    wide = traced(cipher(EXAMPLES[0]), "encrypt", 80)
    assert legalise.widest(wide) == 64
    assert legalise.run(wide, 64) is wide
    assert legalise.widest(legalise.run(wide)) == 32


# -- random programs ----------------------------------------------------------------------------------


@given(programs(MIXED), st.sampled_from(LIMBS), st.integers(0, 9))
@settings(deadline=None, max_examples=80)
def test_random_programs(program: Program, width: int, seed: int) -> None:
    keeps(program, width, seed=seed)


@given(programs(MIXED), st.sampled_from(["full", "partial", "minimal", "zero"]), st.sampled_from([0, 32, 64]))
@settings(deadline=None, max_examples=30)
def test_no_later_pass_makes_words_wide_again(program: Program, keying: str, fuse: int) -> None:
    after = lower(legalise.run(program), fuse, keying)
    keys, data = bytes_for(program, 5)
    assert np.array_equal(interpret(program, keys, data), interpret(after, keys, data))
    assert legalise.widest(after) <= 32


# -- ciphers ------------------------------------------------------------------------------------------


def lengths(definition: type[Cipher]) -> list[int]:
    """The shortest and the longest keys that there are vectors for."""
    found = {len(row.key) * 8 for row in vectors_of(definition)} & set(definition.key_bits)
    return sorted({min(found), max(found)})


def by_direction(definition: type[Cipher]) -> list[tuple[int, str]]:
    """The longest keys to encrypt, the shortest to decrypt."""
    found = lengths(definition)
    return [(found[-1], "encrypt"), (found[0], "decrypt")]


CASES = [
    (name, bits, operation)
    for name in [*USUAL, *map(str, EXAMPLES)]
    for bits, operation in by_direction(cipher(name))
]


def shown(value: object) -> str:
    return Path(value).stem if isinstance(value, str) else str(value)


@pytest.mark.parametrize(("name", "bits", "operation"), CASES, ids=shown)
@pytest.mark.every(15)
def test_ciphers_reproduce_their_vectors(name: str, bits: int, operation: str) -> None:
    before = traced(cipher(name), operation, bits)
    after = legalise.run(before)
    whole(after)
    for graph in (after.expand, after.kernel):
        assert_narrow(graph, 32)
    if after is before:
        return  # nothing was wide: what the definition says, the other tests hold to the vectors
    assert check_known_answers(InterpretedProgram(after), vectors_of(cipher(name))) > 0


#: A key schedule of so many iterations that the interpreter takes minutes for its vectors.
LONG = {"frog"}


@pytest.mark.parametrize(
    ("name", "width"),
    [(name, (16, 8)[k % 2]) for k, name in enumerate([*USUAL, *map(str, EXAMPLES)]) if name not in LONG],
    ids=shown,
)
@pytest.mark.every(11)
def test_ciphers_on_narrower_words(name: str, width: int) -> None:
    """Right, or refused since a table, array or loop is larger than such a word can count."""
    definition = cipher(name)
    try:
        after = keeps(trace(definition, "encrypt", lengths(definition)[0]), width, 3)
    except ScheduleError as error:
        refusal = str(error)
    else:
        assert legalise.widest(after) <= width
        return
    assert re.match(rf"word={width} is not legal for .* has \d+ bits \(.*py:\d+\)", refusal)


@pytest.mark.parametrize(
    ("order", "bits", "operation"), [(LITTLE, 128, "encrypt"), (BIG, 192, "encrypt"), (BIG, 128, "decrypt")]
)
@pytest.mark.parametrize("width", LIMBS)
@pytest.mark.every(4)
def test_a_cipher_of_wide_words(order: ByteOrder, bits: int, operation: str, width: int) -> None:
    program = trace(wide_cipher(order), operation, bits)
    after = keeps(program, width, 40)
    assert after.kernel.rounds == program.kernel.rounds
    assert {node.phase for node in after.kernel.body} == {node.phase for node in program.kernel.body}
    if width >= 16:  # a loop that fills 256 entries
        keeps(lower(program, 64), width, 10)


def test_it_is_a_cipher() -> None:
    program = {name: trace(wide_cipher(BIG), name, 128) for name in OPERATIONS}
    keys, data = bytes_for(program["encrypt"], 8)
    assert np.array_equal(
        interpret(program["decrypt"], keys, interpret(program["encrypt"], keys, data)), data
    )


@pytest.mark.parametrize("width", LIMBS)
@pytest.mark.every(3)
def test_work_grows_as_programs_do(width: int) -> None:
    """Twice the rounds are twice the calls of functions: a count, which no load of the machine changes."""

    def of(rounds: int) -> Program:
        def encrypt(block: list[object], keys: list[object]) -> list[object]:
            a, b = block
            for number in range(rounds):
                a, b = b, (a + b * 3) ^ keys[number % 2]  # type: ignore[operator]
            return [a, b]

        return trace(toy(encrypt, block=words(2, u64)), "encrypt", 128)

    legalise.run(of(10), width)  # so that what is computed once is not counted
    short, long = (calls(partial(legalise.run, of(rounds), width)) for rounds in (100, 200))
    assert long < 2.5 * short


def calls(work: Callable[[], object]) -> int:
    """How many functions of Python are called meanwhile."""
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted
