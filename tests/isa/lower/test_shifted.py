"""Words that are shifted by one bit together: which belong to a chain, in which order, and which do not."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.lower.shifted import Shifts, shifts

WIDTH = 8


class Words:
    """A graph that is being written, of words w0, w1, ..."""

    def __init__(self, count: int, width: int = WIDTH) -> None:
        self.make = Builder()
        self.words = [self.make.param("memory", WordType(width), f"w{k}") for k in range(count)]

    def shift(self, op: Op, node: Node, amount: int) -> Node:
        return self.make.make(op, (node, self.make.const(amount, node.width)))

    def left(self, word: int, before: int, join: Op = Op.OR) -> Node:
        """A word shifted left, with the high bit of another one."""
        high = self.shift(Op.SHR, self.words[before], WIDTH - 1)
        return self.make.make(join, (self.shift(Op.SHL, self.words[word], 1), high))

    def right(self, word: int, before: int) -> Node:
        low = self.shift(Op.SHL, self.words[before], WIDTH - 1)
        return self.make.make(Op.OR, (low, self.shift(Op.SHR, self.words[word], 1)))

    def found(self, *results: Node) -> list[Shifts]:
        return list(shifts(Graph("shifts", self.words, results), WIDTH))

    def order(self, one: Shifts) -> list[int]:
        return [self.words.index(word) for word in one.words]


@pytest.mark.parametrize("join", [Op.OR, Op.XOR, Op.ADD])
def test_two_words_to_the_left(join: Op) -> None:
    """However the bits are put together, and whichever result comes first."""
    w = Words(3)
    second, first = w.left(2, 1, join), w.left(1, 0, join)
    (one,) = w.found(second, first)
    assert one.left
    assert w.order(one) == [1, 2]
    assert one.before is w.words[0]
    assert one.results == [first, second]
    assert len(one.inner) == 4
    assert set(one.members) == {first, second, *first.inputs, *second.inputs}
    assert one.inputs == w.words


def test_to_the_right() -> None:
    w = Words(3)
    first, second = w.right(1, 2), w.right(0, 1)
    (one,) = w.found(second, first)
    assert not one.left
    assert w.order(one) == [1, 0]
    assert one.before is w.words[2]
    assert one.results == [first, second]


def test_one_word_alone_is_none() -> None:
    w = Words(2)
    assert w.found(w.left(1, 0)) == []


def test_a_rotation_is_a_ring_that_begins_anywhere() -> None:
    w = Words(4)
    (one,) = w.found(*(w.left(k, (k - 1) % 4) for k in range(4)))
    start = w.order(one)[0]
    assert w.order(one) == [(start + k) % 4 for k in range(4)]
    assert one.before is w.words[start - 1]


def test_two_chains() -> None:
    w = Words(6)
    found = w.found(w.left(1, 0), w.left(2, 1), w.left(4, 3), w.left(5, 4))
    assert sorted(map(w.order, found)) == [[1, 2], [4, 5]]


def test_left_and_right_are_different_chains() -> None:
    w = Words(3)
    found = w.found(w.left(1, 0), w.left(2, 1), w.right(1, 2), w.right(0, 1))
    assert [one.left for one in found] == [True, False]


@pytest.mark.parametrize(
    "spoilt",
    ["amount", "other-amount", "join", "used-twice", "a-result", "by-a-word"],
)
def test_what_is_no_shift_by_one(spoilt: str) -> None:
    w = Words(3)
    good, more = w.left(1, 0), list[Node]()
    match spoilt:
        case "amount":
            high = w.shift(Op.SHR, w.words[1], WIDTH - 1)
            bad = w.make.make(Op.OR, (w.shift(Op.SHL, w.words[2], 2), high))
        case "other-amount":
            high = w.shift(Op.SHR, w.words[1], WIDTH - 2)
            bad = w.make.make(Op.OR, (w.shift(Op.SHL, w.words[2], 1), high))
        case "join":
            bad = w.left(2, 1, Op.AND)
        case "used-twice":
            bad = w.left(2, 1)
            more = [w.make.make(Op.NOT, (bad.inputs[1],))]
        case "a-result":
            bad = w.left(2, 1)
            more = [bad.inputs[0]]
        case _:
            high = w.shift(Op.SHR, w.words[1], WIDTH - 1)
            bad = w.make.make(Op.OR, (w.make.make(Op.SHL, (w.words[2], w.words[0])), high))
    assert w.found(good, bad, *more) == []


def test_words_of_another_width_are_none() -> None:
    w = Words(3, width=16)
    high = [w.shift(Op.SHR, word, WIDTH - 1) for word in w.words]
    low = [w.shift(Op.SHL, word, 1) for word in w.words]
    assert w.found(*(w.make.make(Op.OR, (low[k], high[k - 1])) for k in (1, 2))) == []
