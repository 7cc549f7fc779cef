"""Words kept as they are and rotated: one key word a round, no rotation in any, and the same function."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import xor
from random import Random
from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language import Table, rol
from finalist.machines.native.passes.rounds import doubled_words
from finalist.machines.native.passes.rounds.rotations import with_rotated_words
from finalist.machines.tracing import traced as trace
from finalist.passes.pipeline import lower
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program, operations

_RANDOM = Random(8)
ENTRIES = [[_RANDOM.getrandbits(32) for _ in range(64)] for _ in range(8)]
TABLES = [Table(entries, width=32) for entries in ENTRIES]
ROUNDS = 12


def looked_up(x: Any, amount: int = 28, key: Callable[[int], Any] = lambda n: n, spare: int = 0) -> Any:
    """Eight lookups of a word read as it is and rotated, each with a round key; a ``spare`` bit unread."""
    forms = (x ^ key(0), rol(x, amount) ^ key(1))
    return reduce(
        xor, (table[forms[n % 2][8 * (n // 2) : 8 * (n // 2) + 6] >> spare] for n, table in enumerate(TABLES))
    )


def feistel(more: Callable[..., Any] = lambda n, x, keys: None, rounds: int = ROUNDS, **how: int) -> Program:
    """Two words of a block; ``more(n, x, keys)`` is added in round n, if it is something."""

    def encrypt(block: Any, keys: Any) -> Any:
        left, right = block[0], block[1]
        for n in range(rounds):
            added = looked_up(right, key=lambda place, n=n: keys[(2 * n + place) % 4] + n, **how)
            other = more(n, right, keys)
            left, right = right, left ^ added if other is None else left ^ added ^ other
        return [right, left, block[2], block[3]]

    return traced(toy(encrypt))


def doubled(program: Program) -> Program:
    return keeps_program(doubled_words.run, program)


def test_rotations_and_the_second_key_go() -> None:
    before = feistel()
    after = doubled(before)
    assert len(operations(before.kernel, Op.ROL)) == ROUNDS
    # The first round's and the two words' at the beginning, and theirs at the end.
    assert len(operations(after.kernel, Op.ROL)) + len(operations(after.kernel, Op.ROR)) <= 6
    assert {node.width for node in operations(after.kernel, Op.LOOKUP)} == {64}
    assert len(operations(after.kernel, Op.LOAD)) <= ROUNDS + 4


def test_no_sum_is_between_a_word_and_what_is_looked_up_of_it() -> None:
    for node in operations(doubled(feistel()).kernel, Op.LOOKUP)[16:]:
        index = node.inputs[0]
        # The word is a sum with entries of tables, not with a key word.
        assert index.op is Op.SLICE and not any(one.op is Op.LOAD for one in index.inputs[0].inputs)


def test_bits_that_are_not_read_are_zero() -> None:
    table = operations(doubled(feistel()).kernel, Op.LOOKUP)[0].attr
    assert all(value & 0xC0C0C0C0C0C0C0C0 == 0 for value in table.values) and any(table.values)


@pytest.mark.parametrize("amount", [1, 5, 31])
def test_bits_that_neither_form_shows_are_kept(amount: int) -> None:
    table = operations(doubled(feistel(amount=amount)).kernel, Op.LOOKUP)[0].attr
    unread = [value & 0xC0C0C0C0C0C0C0C0 for value in table.values]
    assert any(unread) == (amount != 5)


@pytest.mark.parametrize(
    "more",
    [
        lambda n, x, keys: x + 1 if n == 5 else None,
        lambda n, x, keys: x ^ keys[3] if n == 5 else None,
        lambda n, x, keys: keys[2] if n % 3 == 0 else None,
        lambda n, x, keys: rol(x, 28) & 0xFF if n == 7 else None,
        lambda n, x, keys: looked_up(x, key=lambda place: keys[place]) if n == 4 else None,
        lambda n, x, keys: looked_up(x, amount=9, key=lambda place: keys[place]) if n == 4 else None,
    ],
    ids=["added", "keyed", "key in the sum", "rotated", "read twice", "read otherwise"],
)
def test_what_else_is_made_of_a_word_is_right(more: Callable[..., Any]) -> None:
    assert {node.width for node in operations(doubled(feistel(more)).kernel, Op.LOOKUP)} == {64}


def test_what_is_a_result_too_is_right() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        left, right = block[0], block[1]
        for n in range(ROUNDS):
            keyed = right ^ (keys[0] + n)
            left, right = right, left ^ looked_up(right, key=lambda place, n=n: keys[place] + n)
        return [right, left, keyed, block[3]]

    doubled(traced(toy(encrypt)))


@pytest.mark.parametrize(
    "program",
    [
        feistel(rounds=2),
        feistel(lambda n, x, keys: x * 3),
        feistel(lambda n, x, keys: TABLES[3][x[10:16]] + x),
    ],
    ids=["few rounds", "words taken whole", "a table that others read"],
)
def test_what_gains_nothing_stays(program: Program) -> None:
    assert doubled_words.run(program) is program


@pytest.mark.parametrize(
    ("name", "key_bits", "operation"),
    [
        ("des", 64, "encrypt"),
        ("des", 64, "decrypt"),
        ("triple-des", 192, "decrypt"),
        ("deal", 128, "encrypt"),
    ],
)
@pytest.mark.every(2)
def test_ciphers_with_an_expansion_keep_their_meaning(name: str, key_bits: int, operation: str) -> None:
    program = lower(trace(cipher(name), operation, key_bits), 64, "full")
    after = doubled(program.with_graphs(program.expand, with_rotated_words(program.kernel)))
    assert {node.width for node in operations(after.kernel, Op.LOOKUP)} == {64}


@pytest.mark.parametrize("name", ["rijndael", "blowfish"])
def test_others_stay(name: str) -> None:
    definition = cipher(name)
    program = lower(trace(definition, "encrypt", definition.usual_key_bits()), 64, "full")
    assert doubled_words.run(program) is program
