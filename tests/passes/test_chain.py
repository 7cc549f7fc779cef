"""Several blocks in one kernel."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.execute import interpret
from finalist.ir.ops import Op
from finalist.machines.tracing import traced
from finalist.passes.chain import chained
from tests.graphs import bytes_for, random_program
from tests.passes.meaning import whole


@pytest.mark.parametrize("blocks", [1, 2, 3, 4])
@pytest.mark.parametrize("stateful", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_random_programs(seed: int, stateful: bool, blocks: int) -> None:
    before = random_program(f"chain {seed}", stateful=stateful)
    after = chained(before, blocks)
    whole(after)
    keys, data = bytes_for(before, 3, seed)
    data = np.tile(data, blocks)[:, : before.block.bytes * blocks]
    if stateful:
        expected = interpret(before, keys, data)
    else:
        parts = np.split(data, blocks, axis=1)
        expected = np.hstack([interpret(before, keys, np.ascontiguousarray(part)) for part in parts])
    assert np.array_equal(interpret(after, keys, data), expected)


def test_bytes_that_fill_words_are_read_by_the_word() -> None:
    program = traced(cipher("rc4"), "encrypt", 128)
    assert [chained(program, n).block.width for n in (1, 2, 3, 4, 8)] == [8, 8, 8, 32, 32]
    assert [chained(program, n, 64).block.width for n in (2, 4, 8, 12, 16)] == [8, 32, 64, 32, 64]


def test_blocks_that_wait_for_one_another_are_in_phases() -> None:
    """As many as fill a word of memory belong together."""
    kernel = chained(traced(cipher("rc4"), "encrypt", 128), 8).kernel
    reads = [node.phase for node in kernel.body if node.op is Op.STORE and node.inputs[1].op is not Op.CONST]
    assert reads == [0] * 8 + [1] * 8
