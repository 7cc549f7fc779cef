"""Words that are left as they are above their bits."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, postorder
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.lower.packed_words import any_extended_words
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed

WORD = WordType(32)
WIDE = processor(parsed("word=128"))


def product(make: Builder) -> Node:
    return make.make(Op.MUL, (make.param("memory", WORD, "a"), make.param("memory", WORD, "b")))


def loose(made: Node, word: str = "word=128") -> bool:
    params = [node for node in postorder([made]) if node.op is Op.PARAM]
    return made in any_extended_words(Graph("g", params, [made]), processor(parsed(word)))


def test_what_is_done_in_lanes() -> None:
    make = Builder()
    a = product(make)
    clean, five = make.param("memory", WORD, "c"), make.const(5, 8)
    for op in (Op.XOR, Op.OR, Op.ADD, Op.SUB):
        assert loose(make.make(op, (clean, a)))
    for op in (Op.ROL, Op.ROR, Op.SHL, Op.SHR):
        assert loose(make.make(op, (a, five)))
    assert loose(make.make(Op.ROL, (a, clean)))
    assert loose(make.make(Op.AND, (a, a)))


def test_what_is_clean() -> None:
    make = Builder()
    a, clean = product(make), make.param("memory", WORD, "c")
    assert not loose(make.make(Op.AND, (a, make.const(0xFF, 32))))  # a mask clears what stands above
    assert not loose(make.make(Op.XOR, (clean, clean)))
    assert not loose(make.make(Op.ROL, (clean, a)))
    assert not loose(make.make(Op.SHR, (a, clean)))
    assert not loose(a, "word=32")  # nothing stands above a whole word


def test_words_of_loops() -> None:
    """What a turn may leave loose is loose from the first turn on, and behind the loop."""
    make = Builder()
    factor, start = make.param("memory", WORD, "x"), make.param("memory", WORD, "y")
    carried, kept = make.param("carried", WORD, "c"), make.param("carried", WORD, "k")
    index = make.param("index", WORD, "i")
    turned = make.make(Op.XOR, (make.make(Op.MUL, (carried, factor)), factor))
    same = make.make(Op.XOR, (kept, factor))
    bounds = make.const(0, 32), make.const(4, 32)
    last = make.loop(*bounds, [start, start], Region([index, carried, kept], [turned, same]))
    found = any_extended_words(Graph("g", [factor, start], last), WIDE)
    assert {carried, last[0]} <= found
    assert not {kept, last[1]} & found
