"""Bytes of the key as words of their bits."""

from __future__ import annotations

import numpy as np

from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.types import WordType
from finalist.machines.native.passes.byteslice import keys
from finalist.passes.simplify import simplify


def test_bits_of_each_byte() -> None:
    make = Builder(simplify)
    given = [make.param("key", WordType(8), f"k{n}") for n in range(16)]
    graph = Graph("g", given, keys.planes(make, given))
    values = np.random.default_rng(1).integers(0, 256, (16, 50), dtype=np.uint8)
    found = interpreter.run(graph, list(values))
    for j, word in enumerate(found):
        assert np.array_equal(word, sum((v >> j & 1).astype(np.uint16) << n for n, v in enumerate(values)))


def test_constants_stay_constants() -> None:
    make = Builder(simplify)
    words = keys.planes(make, [make.const(n * 16 + 3, 8) for n in range(16)])
    assert [word.attr for word in words[:5]] == [0xFFFF, 0xFFFF, 0, 0, 0xAAAA]
