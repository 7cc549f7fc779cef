"""Graphs as instructions: what no cipher of the catalogue has."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ir.builder import Builder
from finalist.ir.execute import interpret
from finalist.ir.graph import ArrayType, Graph, WordType
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.machines.plx.machine import Plx
from finalist.machines.plx.parameters import parsed
from finalist.schedule import Schedule


def chained(width: int, steps: int) -> Program:
    """A kernel whose operations each take the one before and nothing else."""
    words = Layout(64 // width, width, ByteOrder.BIG)
    make = Builder()
    k = [make.param("memory", WordType(8), f"k{n}") for n in range(8)]
    expand = Graph("g_expand_key", k, [make.array([0, 0], 32)])
    make = Builder()
    given = [make.param("memory", WordType(width), f"x{n}") for n in range(words.count)]
    keys = make.param("key", ArrayType(2, 32), "keys")
    word = given[0]
    for step in range(steps):
        if step % 3 == 0:
            word = make.make(Op.ROL, (word, make.const(step % (width - 1) + 1, 8)))
        else:
            word = make.make((Op.ADD, Op.MUL)[step % 3 - 1], (word, make.const(2 * step + 1, width)))
    kernel = Graph("g_encrypt", [*given, keys], [word, *given[1:]])
    return Program("g", "encrypt", 64, words, Layout(8, 8, ByteOrder.BIG), expand, kernel)


@pytest.mark.parametrize("kind", ["", "word=128"])
@pytest.mark.parametrize("width", [8, 32, 64])
def test_a_chain_of_any_length(width: int, kind: str) -> None:
    """Longer than Python's recursion goes."""
    program = chained(width, 600)
    data = np.arange(24, dtype=np.uint8).reshape(3, 8)
    expected = interpret(program, np.zeros((1, 8), np.uint8), data)
    made = Plx(parsed(kind)).program(program, Schedule())
    assert made.run(bytes(8), data.tobytes()).output == expected.tobytes()
