"""Parts of words are taken in the round that uses them."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import WordType
from finalist.ir.ops import Op
from finalist.isa.prepare.late import with_late_parts
from finalist.language.definition import trace
from finalist.passes.pipeline import lower
from finalist.passes.rounds.roll import rolled
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs(seed: int) -> None:
    keeps_graph(with_late_parts, random_graph(f"late {seed}"), seed)


def test_a_loop_of_rounds_carries_words_not_bytes() -> None:
    kernel = lower(trace(cipher("rijndael"), "encrypt", 128)).kernel

    def carried(graph: object) -> list[int]:
        loops = [node for node in rolled(graph).body if node.op is Op.LOOP]  # type: ignore[arg-type]
        return [p.width for loop in loops for p in loop.region.params[1:] if isinstance(p.type, WordType)]

    assert carried(with_late_parts(kernel)) == [32] * 4
    assert 8 in carried(kernel)
