"""Indices that follow one on another, in registers."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.isa.lower import stores
from finalist.isa.lower.chain import chained
from finalist.language.definition import trace
from finalist.machines.plx.ptlu.index_runs import with_index_runs
from finalist.passes.pipeline import lower
from tests.graphs import random_program
from tests.passes.meaning import keeps_graph, keeps_program


def stream(blocks: int) -> Program:
    """So many bytes of RC4."""
    return stores.run(lower(chained(trace(cipher("rc4"), "encrypt", 128), blocks), 32))


@pytest.mark.parametrize(("lanes", "apart"), [(4, 2), (4, 1), (2, 1)])
def test_a_stream_of_bytes(lanes: int, apart: int) -> None:
    program = stream(16)
    made = keeps_program(
        lambda p: p.with_graphs(p.expand, with_index_runs(p.kernel, lanes, apart, 256)), program
    )
    registers = [node for node in every_node(made.kernel) if node.op is Op.TUPLE]
    assert len(registers) == 16 * apart // lanes


FEW = [(12, 4, 256), (18, 4, 256), (16, 4, 255), (16, 2, 256)]


@pytest.mark.parametrize(("blocks", "lanes", "longest"), FEW)
def test_where_nothing_is_gained(blocks: int, lanes: int, longest: int) -> None:
    """A run of few registers or that ends within one, a longer array, one index a register."""
    kernel = stream(blocks).kernel
    assert with_index_runs(kernel, lanes, 2 if blocks == 16 else 1, longest) is kernel


def test_random_programs() -> None:
    for seed in range(8):
        kernel = random_program(f"runs {seed}", stateful=True).kernel
        keeps_graph(lambda graph: with_index_runs(graph, 4, 1, 256), kernel, seed)
