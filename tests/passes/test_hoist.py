"""What depends on the key alone moves into the key schedule; what the kernel does not read goes."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language import Array, loop, rol
from finalist.machines.native.whole_blocks.matched import instructions
from finalist.passes import hoist
from finalist.passes.analysis import KeyOnly
from finalist.passes.simplify import simplify
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program, operations


def hoisted(encrypt, expand=lambda key: key) -> Program:
    return keeps_program(hoist.run, traced(toy(encrypt, expand)))


def key_work(program: Program) -> list[Node]:
    """Operations of the kernel on nothing but the key, reads left out."""
    key_only = KeyOnly()
    return [node for node in program.kernel.body if key_only(node) and node.op is not Op.LOAD]


def test_work_on_the_key_moves() -> None:
    program = hoisted(lambda block, K: [x + rol(k ^ 5, 3) for x, k in zip(block, K, strict=True)])
    assert key_work(program) == []
    assert len(operations(program.expand, Op.ROL)) == 4
    assert [node.name for node in program.kernel.params[4:]] == ["derived32"]


def test_words_of_each_width_have_an_array() -> None:
    program = hoisted(
        lambda block, K: [(x[0:8] + (k[0:8] ^ 5)).extend(32) ^ (k + 1) for x, k in zip(block, K, strict=True)]
    )
    assert key_work(program) == []
    assert {node.width for node in program.kernel.params[4:]} == {8, 32}


def test_results_of_the_key_alone_move() -> None:
    program = hoisted(lambda block, K: [K[0] + K[1], *block[1:]])
    assert key_work(program) == []


def test_what_the_kernel_does_not_read_is_not_computed() -> None:
    program = hoisted(
        lambda block, K: [x ^ K["used"] for x in block], lambda k: {"used": k[0], "not": k[1] * k[2]}
    )
    assert program.key_names == ("used",)
    assert not operations(program.expand, Op.MUL)


def test_what_only_a_loop_reads_stays() -> None:
    def expand(key):
        K = Array(4, 32)
        for i, word in enumerate(key):
            K[i] = word
        return {"read": K}

    def encrypt(block, keys):
        A = Array(1, 32)
        for i in loop(0, 4):
            A[0] = A[0] + keys["read"][i]
        return [A[0], *block[1:]]

    program = hoisted(encrypt, expand)
    assert len(program.key_names) == 1


def test_hoisting_twice_makes_names_of_its_own() -> None:
    program = hoisted(lambda block, K: [x + rol(k ^ 5, 3) for x, k in zip(block, K, strict=True)])
    again = keeps_program(hoist.run, program)
    assert len(set(again.key_names)) == len(again.key_names)


def test_a_key_called_like_a_derived_one() -> None:
    hoisted(
        lambda block, K: [x + rol(k, 3) ^ k for x, k in zip(block, K["derived32"], strict=True)],
        lambda k: {"derived32": k},
    )


def register_work(*, twice: bool) -> Program:
    """A kernel that adds an instruction's map of the round key to its block, once or twice."""
    program = traced(toy(lambda block, K: [x ^ k for x, k in zip(block, K, strict=True)]))
    make, known = Builder(simplify), instructions()
    params = program.kernel.params
    words = [make.make(Op.LOAD, (params[4], make.const(k, 32))) for k in range(4)]
    key = make.make(Op.INSTRUCTION, [make.make(Op.TUPLE, words)], known.maps[0].instruction)
    state = make.make(Op.TUPLE, params[:4])
    for _ in range(1 + twice):
        state = make.make(Op.INSTRUCTION, (state, key), known.rounds[0].instruction)
    return program.with_graphs(program.expand, Graph("kernel", params, make.results(state)))


@pytest.mark.parametrize("twice", [False, True])
def test_instructions_on_the_key_move(twice: bool) -> None:
    program = keeps_program(hoist.run, register_work(twice=twice))
    assert [str(node.attr) for node in operations(program.expand, Op.INSTRUCTION)] == ["aesimc"]
    assert len(operations(program.kernel, Op.INSTRUCTION)) == 1 + twice
    assert [node.length for node in program.kernel.params[4:]] == [4]
