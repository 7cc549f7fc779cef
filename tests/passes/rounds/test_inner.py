"""Rounds within rounds: found where a round does the same many times, left where it does not."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.ops import Op
from finalist.language import LITTLE, Table, join, rol, rounds, u32, words
from finalist.machines.tracing import traced as trace
from finalist.passes.rounds.inner import with_inner_rounds
from finalist.passes.rounds.roll import rolled
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program, operations

S = Table([(5 * x + 3) % 16 for x in range(16)], width=4, name="S")


def mixed(x):
    return rol(join(*(S[x[n : n + 4]] for n in range(0, 32, 4))), 5)


def nested(iterations: int):
    def encrypt(block, key):
        a, b = block
        for _ in rounds(3):
            for n in range(iterations):
                a, b = b, a ^ mixed(b ^ key[n % 2])
            a, b = b + 1, a
        return a, b

    return toy(encrypt, block=words(2, u32, LITTLE), key_bits=(64,))


@pytest.mark.parametrize("iterations", [6, 9])
def test_each_round_has_a_loop_of_its_own(iterations: int) -> None:
    program = traced(nested(iterations))
    within = keeps_program(lambda p: p.with_graphs(p.expand, with_inner_rounds(p.kernel)), program)
    assert len(within.kernel.rounds) == 3
    looped = keeps_program(lambda p: p.with_graphs(p.expand, rolled(p.kernel, 2)), within)
    assert len(operations(looped.kernel, Op.LOOP)) == 3


def test_few_iterations_are_left() -> None:
    kernel = traced(nested(2)).kernel
    assert with_inner_rounds(kernel) is kernel


@pytest.mark.parametrize("name", ["serpent", "rijndael", "des"])
def test_ciphers_whose_rounds_say_it_all(name: str) -> None:
    definition = cipher(name)
    kernel = trace(definition, "encrypt", definition.usual_key_bits()).kernel
    assert with_inner_rounds(kernel) is kernel
