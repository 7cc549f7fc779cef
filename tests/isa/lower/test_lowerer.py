"""Graphs as instructions: what no cipher of the catalogue has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import ArrayType, WordType
from tests.machines.plx.test_random import check

KINDS = ("", "word=64", "word=128")


def program(width: int, first: Callable[[Builder, list[Node]], Node]) -> Program:
    """A kernel on blocks of 64 bits whose first word is what ``first`` makes of all words."""
    words = Layout(64 // width, width, ByteOrder.BIG)
    make = Builder()
    k = [make.param("memory", WordType(8), f"k{n}") for n in range(8)]
    expand = Graph("g_expand_key", k, [make.array([0, 0], 32)])
    make = Builder()
    given = [make.param("memory", WordType(width), f"x{n}") for n in range(words.count)]
    keys = make.param("key", ArrayType(2, 32), "keys")
    kernel = Graph("g_encrypt", [*given, keys], [first(make, given), *given[1:]])
    return Program("g", "encrypt", 64, words, Layout(8, 8, ByteOrder.BIG), expand, kernel)


@pytest.mark.parametrize("kind", ["", "word=128"])
@pytest.mark.parametrize("width", [8, 32, 64])
@pytest.mark.every(3)
def test_a_chain_of_any_length(width: int, kind: str) -> None:
    """Longer than Python's recursion goes; each operation takes the one before and nothing else."""

    def chain(make: Builder, words: list[Node]) -> Node:
        word = words[0]
        for step in range(600):
            if step % 3 == 0:
                word = make.make(Op.ROL, (word, make.const(step % (width - 1) + 1, 8)))
            else:
                word = make.make((Op.ADD, Op.MUL)[step % 3 - 1], (word, make.const(2 * step + 1, width)))
        return word

    check(program(width, chain), kind)


@pytest.mark.parametrize("kind", KINDS)
def test_two_shifts_that_leave_nothing(kind: str) -> None:
    """Each is short of the machine's word, both together pass it."""

    def shifted(make: Builder, words: list[Node]) -> Node:
        half = make.extend(make.slice(words[0], 0, 16), 32)
        top = make.make(Op.SHR, (half, make.const(31, 8)))
        part = make.make(Op.ROL, (make.slice(top, 16, 16), make.const(3, 8)))
        return make.make(Op.XOR, (make.extend(part, 32), words[1]))

    check(program(32, shifted), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", [Op.ROL, Op.ROR])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.every(2)
def test_rotations_by_words(width: int, op: Op, kind: str) -> None:
    """Also of words that are shorter than the machine's."""

    def turned(make: Builder, words: list[Node]) -> Node:
        return make.make(op, (words[0], make.make(Op.ADD, (words[-1], make.const(5, width)))))

    check(program(width, turned), kind)
