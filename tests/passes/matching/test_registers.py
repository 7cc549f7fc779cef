"""Registers from words of the key, and from bytes of other registers."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.ir.verify import verify
from finalist.machines.native.whole_blocks.matched import instructions
from finalist.passes.matching.affine import ONE, Forms
from finalist.passes.matching.normal import applied
from finalist.passes.matching.registers import Registers, Sum, summed
from finalist.passes.simplify import simplify
from tests.graphs import inputs_for

KEY = ArrayType(16, 8)


def bytes_of(graph: Graph, seed: int = 1) -> tuple[list[np.ndarray], list[list[int]]]:
    """Random inputs, and for each of some blocks the bytes of the words that come out."""
    verify(graph)
    inputs = inputs_for(graph, 3, seed)
    found = [np.broadcast_to(word, 3).astype("<u4") for word in interpreter.run(graph, inputs)]
    return inputs, np.stack(found, axis=1).view(np.uint8).tolist()


def key_bytes(make: Builder) -> tuple[Node, list[Node]]:
    array = make.param("key", KEY, "k")
    return array, [make.make(Op.LOAD, (array, make.const(k, 32))) for k in range(16)]


@pytest.mark.parametrize("how", ["plain", "constant", "mixed", "other"])
def test_registers_of_the_key(how: str) -> None:
    make = Builder(simplify)
    array, loads = key_bytes(make)
    forms = Forms(())
    in_order = [row for load in loads for row in forms(load)]
    rows = [row for start in range(120, -1, -8) for row in in_order[start : start + 8]]
    (mix,) = instructions().maps
    if how == "constant":
        rows[5] ^= ONE
    if how == "mixed":
        rows = list(applied(mix.rows, rows))
    if how == "other":
        rows[7] ^= rows[90]
    register = Registers(forms, instructions()).register(make, tuple(rows))
    graph = Graph("register", [array], make.results(register))
    made = [node for node in graph.body if node.op is Op.INSTRUCTION]
    assert [node.attr for node in made] == ([mix.instruction] if how == "mixed" else [])
    inputs, found = bytes_of(graph)
    for block, got in enumerate(found):
        bits = [int(byte) >> k & 1 for byte in inputs[0][block] for k in range(8)]
        want = [
            sum(bits[p - 1] for p in range(1, row.bit_length()) if row >> p & 1) % 2 ^ row & 1 for row in rows
        ]
        assert got == [sum(want[8 * n + k] << k for k in range(8)) for n in range(16)]


def test_sums_of_bytes() -> None:
    source = random.Random(3)
    for _ in range(10):
        terms = tuple(
            tuple({(source.randrange(2), source.randrange(16)) for _ in range(source.randrange(4))})
            for _ in range(16)
        )
        constants = tuple(source.randrange(256) if source.random() < 0.5 else 0 for _ in range(16))
        make = Builder(simplify)
        params = [make.param("memory", WordType(32), f"x{k}") for k in range(8)]
        sources = [make.make(Op.TUPLE, params[k : k + 4]) for k in (0, 4)]
        register = summed(make, instructions(), Sum(terms, constants), sources)
        inputs, found = bytes_of(Graph("sum", params, make.results(register)))
        memory = np.stack([v.astype("<u4") for v in inputs], axis=1).view(np.uint8)
        for block, got in enumerate(found):
            want = list(constants)
            for place, chosen in enumerate(terms):
                for register_, byte in chosen:
                    want[place] ^= int(memory[block][16 * register_ + byte])
            assert got == want


def test_a_sum_is_divided() -> None:
    total = Sum((((0, 1), (1, 2)), ()), (3, 4))
    assert total.newest == 1
    assert total.divided() == (Sum(((), ()), (3, 4)), Sum(total.terms, (0, 0)))
    assert Sum(((), ()), (0, 0)).newest == -1
