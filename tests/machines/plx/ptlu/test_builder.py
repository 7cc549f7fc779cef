"""Registers of words: operations on each lane, words moved between lanes, registers taken as they are."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.plx.ptlu.builder import WideBuilder

WORD = WordType(32)
VALUES = np.array([1, 20, 300, 4000], np.uint32)


def made(lanes: int = 4) -> tuple[WideBuilder, list[Node], Node]:
    """A builder, its parameters and the register that they are in."""
    wide = WideBuilder(lanes)
    words = [wide.make.param("memory", WORD, f"p{k}") for k in range(lanes)]
    return wide, words, wide.register(words)


def values(wide: WideBuilder, words: list[Node], register: Node) -> list[int]:
    """What the register's words are, lowest first."""
    graph = Graph("wide", words, list(wide.words(register)))
    found = interpreter.run(graph, [row[None] for row in VALUES[: len(words)]])
    return [int(np.asarray(one).ravel()[0]) for one in found]


@pytest.mark.parametrize(
    ("operand", "expected"),
    [(5, [6, 25, 305, 4005]), ([1, 2, 3, 4], [2, 22, 303, 4004])],
)
def test_constants_for_all_lanes_or_one_for_each(operand: int | list[int], expected: list[int]) -> None:
    wide, words, register = made()
    assert values(wide, words, wide.alike(Op.ADD, register, operand)) == expected


def test_two_registers() -> None:
    wide, words, register = made()
    assert values(wide, words, wide.alike(Op.ADD, register, register)) == [2, 40, 600, 8000]


@pytest.mark.parametrize(
    ("up", "rotated", "moved"),
    [
        (0, [1, 20, 300, 4000], [1, 20, 300, 4000]),
        (1, [4000, 1, 20, 300], [0, 1, 20, 300]),
        (-1, [20, 300, 4000, 1], [20, 300, 4000, 0]),
        (4, [1, 20, 300, 4000], [0, 0, 0, 0]),
    ],
)
def test_words_to_other_lanes(up: int, rotated: list[int], moved: list[int]) -> None:
    wide, words, register = made()
    assert values(wide, words, wide.rotated(register, up)) == rotated
    assert values(wide, words, wide.moved(register, up)) == moved


def test_a_register_in_its_own_order_is_taken_as_it_is() -> None:
    wide, words, register = made()
    assert wide.register(wide.words(register)) is register
    assert wide.register(wide.words(register)[::-1]) is not register
    narrow = WideBuilder(2)
    assert narrow.register(wide.words(register)[:2]) is not register
    assert values(wide, words, wide.register(wide.words(register)[::-1])) == [4000, 300, 20, 1]


def test_words_that_come_from_memory_together() -> None:
    """However they are asked for, they are those of one register."""
    wide = WideBuilder(2)
    words = [wide.make.param("memory", WORD, f"p{k}") for k in range(2)]
    wide.in_memory(tuple(words))
    assert wide.register(words) is wide.register(words)
    back = wide.register(words[::-1])
    assert back.inputs[0].inputs[0] is wide.register(words)
    assert values(wide, words, back) == [20, 1]
