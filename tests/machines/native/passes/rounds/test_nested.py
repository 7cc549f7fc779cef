"""Loops within a loop: rounds that are alike and have rounds within become one of each, and mean the same."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.ops import Op
from finalist.language import LITTLE, Table, join, rol, rounds, u32, words
from finalist.machines.native.passes.rounds.nested import nested, with_inner_rounds
from finalist.machines.tracing import traced as trace
from finalist.passes.rounds.roll import rolled
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program, operations


def of_rounds(iterations: int, outer: int):
    """So many rounds, each of so many equal iterations that read keys of their own."""

    def encrypt(block, key):
        a, b = block
        for r in rounds(outer):
            for n in range(iterations):
                a, b = b, a ^ mixed(b ^ key[(iterations * r + n) % 8])
            a, b = b + 1, a
        return a, b

    return toy(encrypt, block=words(2, u32, LITTLE), key_bits=(256,))


@pytest.mark.parametrize(
    ("iterations", "outer", "period"), [(8, 4, 1), (8, 4, 2), (4, 2, 1)]
)  # with the same keys in each round, and with others
def test_a_loop_of_rounds_has_a_loop_of_those_within(iterations: int, outer: int, period: int) -> None:
    program = traced(of_rounds(iterations, outer))
    program = program.with_graphs(program.expand, with_inner_rounds(program.kernel))
    after = keeps_program(lambda p: p.with_graphs(p.expand, nested(p.kernel, period)), program).kernel
    (loop,) = (node for node in after.body if node.op is Op.LOOP)
    assert [node.op for node in loop.region.body].count(Op.LOOP) == 1
    assert len(operations(after, Op.LOOP)) == 2
    lookups = [node for node in operations(after, Op.LOOKUP) if node.attr == S]
    assert len(lookups) <= 8 * 2 * period


def test_rounds_without_rounds_within_are_left() -> None:
    kernel = traced(of_rounds(2, 4)).kernel
    assert nested(kernel, 1) is kernel


S = Table([(5 * x + 3) % 16 for x in range(16)], width=4, name="S")


def mixed(x):
    return rol(join(*(S[x[n : n + 4]] for n in range(0, 32, 4))), 5)


def with_steps(iterations: int):
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
    program = traced(with_steps(iterations))
    within = keeps_program(lambda p: p.with_graphs(p.expand, with_inner_rounds(p.kernel)), program)
    assert len(within.kernel.rounds) == 3
    looped = keeps_program(lambda p: p.with_graphs(p.expand, rolled(p.kernel, 2)), within)
    assert len(operations(looped.kernel, Op.LOOP)) == 3


def test_few_iterations_are_left() -> None:
    kernel = traced(with_steps(2)).kernel
    assert with_inner_rounds(kernel) is kernel


@pytest.mark.parametrize("name", ["serpent", "rijndael", "des"])
def test_ciphers_whose_rounds_say_it_all(name: str) -> None:
    definition = cipher(name)
    kernel = trace(definition, "encrypt", definition.usual_key_bits()).kernel
    assert with_inner_rounds(kernel) is kernel
