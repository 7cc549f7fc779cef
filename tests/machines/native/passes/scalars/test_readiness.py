"""What is ready last is added last; nothing is added that was not there."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.types import WordType
from finalist.machines.native.passes.scalars import readiness
from finalist.machines.native.passes.scalars.readiness import by_readiness
from finalist.machines.tracing import traced as trace
from finalist.passes.pipeline import lower
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_graph, keeps_program, operations


def words(make: Builder, count: int) -> list[Node]:
    return [make.param("memory", WordType(32), f"x{k}") for k in range(count)]


@pytest.mark.parametrize("op", [Op.ADD, Op.XOR])
def test_the_late_term_is_added_last(op: Op) -> None:
    make = Builder()
    a, b, c = words(make, 3)
    late = make.make(Op.MUL, [c, c])
    early = make.make(op, [make.make(op, [a, late]), b])
    graph = keeps_graph(by_readiness, Graph("g", [a, b, c], [early]))
    (product,) = operations(graph, Op.MUL)
    assert product in graph.results[0].inputs
    assert len(operations(graph, op)) == 2


def test_a_chain_becomes_a_tree() -> None:
    make = Builder()
    terms = words(make, 8)
    total = terms[0]
    for term in terms[1:]:
        total = make.make(Op.ADD, [total, term])
    graph = keeps_graph(by_readiness, Graph("g", terms, [total]))
    assert len(graph.body) == 7 and _depth(graph.results[0]) == 3


def test_a_sum_with_other_users_stays_whole() -> None:
    make = Builder()
    a, b, c = words(make, 3)
    shared = make.make(Op.ADD, [a, make.make(Op.MUL, [c, c])])
    graph = Graph("g", [a, b, c], [make.make(Op.ADD, [shared, b]), make.make(Op.NOT, [shared])])
    assert len(keeps_graph(by_readiness, graph).body) == len(graph.body)


def test_sums_of_different_kinds_do_not_mix() -> None:
    make = Builder()
    a, b, c = words(make, 3)
    graph = Graph("g", [a, b, c], [make.make(Op.XOR, [make.make(Op.ADD, [a, b]), c])])
    assert keeps_graph(by_readiness, graph) is not None
    assert by_readiness(graph) is graph


def _depth(node: Node) -> int:
    return 1 + max(map(_depth, node.inputs)) if node.inputs else 0


def taken_apart(encrypt: Any) -> Program:
    return keeps_program(readiness.run, traced(toy(encrypt)))


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
    assert readiness.run(program) is program


def test_the_multiplications_of_rc6() -> None:
    before = lower(trace(cipher("rc6"), "encrypt", 128))
    after = keeps_program(readiness.run, before)
    assert not any(map(waits_for_sum, operations(after.kernel, Op.SHL)))
    assert len(after.kernel.body) - len(operations(after.kernel, Op.LOAD)) == len(before.kernel.body) - len(
        operations(before.kernel, Op.LOAD)
    )
