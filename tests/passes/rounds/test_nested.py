"""Loops within a loop: rounds that are alike and have rounds within become one of each, and mean the same."""

from __future__ import annotations

import pytest

from finalist.ir.ops import Op
from finalist.language import LITTLE, rounds, u32, words
from finalist.passes.rounds.inner import with_inner_rounds
from finalist.passes.rounds.nested import nested
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program, operations
from tests.passes.rounds.test_inner import S, mixed


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
