"""Parts of words are taken in the round that uses them."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.prepare.late import with_late_parts
from finalist.machines.tracing import traced
from finalist.passes.pipeline import lower
from finalist.passes.rounds.roll import rolled
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs(seed: int) -> None:
    keeps_graph(with_late_parts, random_graph(f"late {seed}"), seed)


def test_a_loop_of_rounds_carries_words_not_bytes() -> None:
    kernel = lower(traced(cipher("rijndael"), "encrypt", 128)).kernel

    def carried(graph: object) -> list[int]:
        loops = [node for node in rolled(graph).body if node.op is Op.LOOP]  # type: ignore[arg-type]
        return [p.width for loop in loops for p in loop.region.params[1:] if isinstance(p.type, WordType)]

    assert carried(with_late_parts(kernel)) == [32] * 4
    assert 8 in carried(kernel)


def test_a_part_of_a_part_goes_as_far_and_what_is_computed_stays() -> None:
    """A byte of round 1 that round 3 uses, widened; another that a sum uses, in round 2."""
    make = Builder()
    x, y = make.param("memory", WordType(32), "x"), make.param("memory", WordType(32), "y")
    make.phase = 1
    wide = make.extend(make.slice(x, 8, 8), 32)
    byte = make.extend(make.slice(y, 8, 8), 32)
    make.phase = 2
    total = make.make(Op.ADD, (byte, y))
    make.phase = 3
    graph = Graph("g", [x, y], [make.make(Op.XOR, (wide, total))], ((1, 3),))
    after = keeps_graph(with_late_parts, graph)
    phases = {(node.op, node.inputs[0]): node.phase for node in after.body}
    (last,) = after.results
    widened, added = last.inputs
    assert (widened.phase, widened.inputs[0].phase, added.phase, last.phase) == (3, 3, 2, 3)
    assert phases[Op.SLICE, y] == 2
