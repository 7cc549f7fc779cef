"""Sums with key words, scaled and added to again: the key's part moves into the key schedule."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.native.passes.scalars import sums
from finalist.machines.tracing import traced as trace
from finalist.passes.pipeline import lower
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program, operations


def taken_apart(encrypt: Any) -> Program:
    return keeps_program(sums.run, traced(toy(encrypt)))


def waits_for_sum(node: Node) -> bool:
    """Whether a multiple is of a sum."""
    return node.inputs[0].op is Op.ADD


@pytest.mark.parametrize(
    "scaled", [lambda x: 2 * x, lambda x: x << 5, lambda x: x * 3, lambda x: 0x9E3779B9 * x]
)
@pytest.mark.parametrize("added", [lambda K: 1, lambda K: K[1], lambda K: K[2] * 5 + K[3]])
def test_the_multiple_waits_no_longer(scaled: Any, added: Any) -> None:
    def encrypt(block: Any, K: Any) -> Any:
        keyed = block[0] + K[0]
        return [keyed, scaled(keyed) + added(K), added(K) + scaled(K[0] + block[1]), block[3]]

    program = taken_apart(encrypt)
    multiples = [*operations(program.kernel, Op.SHL), *operations(program.kernel, Op.MUL)]
    assert len(multiples) == 2 and not any(map(waits_for_sum, multiples))
    # As many sums as there were, but for those of the key alone.
    assert len(operations(program.kernel, Op.ADD)) == 3


@pytest.mark.parametrize(
    "encrypt",
    [
        lambda block, K: [2 * (block[0] + block[1]) + K[0], *block[1:]],
        lambda block, K: [2 * (block[0] + K[0]) + block[1], *block[1:]],
        lambda block, K: [2 * (block[0] + K[0]), *block[1:]],
        lambda block, K: [((block[0] + K[0]) >> 2) + K[1], *block[1:]],
        lambda block, K: [((block[0] + K[0]) << (block[2] & 31)) + K[1], *block[1:]],
        lambda block, K: [2 * (block[0] ^ K[0]) + K[1], *block[1:]],
        lambda block, K: [2 * (block[0] + K[0]) - K[1], *block[1:]],
    ],
)
def test_others_stay(encrypt: Any) -> None:
    program = traced(toy(encrypt))
    assert sums.run(program) is program


def test_the_multiplications_of_rc6() -> None:
    before = lower(trace(cipher("rc6"), "encrypt", 128))
    after = keeps_program(sums.run, before)
    assert not any(map(waits_for_sum, operations(after.kernel, Op.SHL)))
    assert len(after.kernel.body) - len(operations(after.kernel, Op.LOAD)) == len(before.kernel.body) - len(
        operations(before.kernel, Op.LOAD)
    )
