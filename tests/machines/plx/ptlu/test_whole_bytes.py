"""Bytes of a word that is there turned."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.machines.plx.ptlu.whole_bytes import with_whole_bytes
from tests.machines.plx.ptlu.test_folded_sums import WORD, same


def test_whole_bytes() -> None:
    """Bytes of a word turned by one bit are taken from there; without it, and past its end, they stay."""
    make = Builder()
    a, b = (make.param("memory", WORD, name) for name in "ab")
    turned = make.make(Op.ROR, (a, make.const(1, 8)))
    left = make.make(Op.ROL, (b, make.const(29, 8)))  # three to the right
    parts = [make.slice(a, 9, 8), make.slice(b, 3, 8), make.slice(a, 3, 8), make.slice(a, 8, 8)]
    graph = Graph("bytes", [a, b], [turned, left, *parts])
    made = with_whole_bytes(graph)
    assert same(graph, made)
    sources = [part.inputs[0].op for part in made.results[2:]]
    assert sources == [Op.ROR, Op.ROL, Op.PARAM, Op.PARAM]
