"""The search in kernels with their lowerers: arrays at one place are one array, wishes are those of all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.code import Code as Lowered
from finalist.isa.lower.in_memory import InMemoryLowerer
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.lower.search import arranged, finder_of, wishes_of
from finalist.isa.lower.subroutines import Finder
from finalist.isa.target.memory import Memory, Place
from tests.isa.lower.test_subroutines import Code
from tests.processors.accumulator import PROCESSOR

PLACE = Place("key", 300, 1, 16)


def kernel(first: int) -> Graph:
    """The same on two words, with other entries of the key for each."""
    code, results = Code(2, arrays=1), list[Node]()
    for number, word in enumerate(code.words):
        x = code.chain(word, 12)
        for k in range(3):
            entry = code.load(0, first + 2 * k + number)
            x = code.chain(code.make.make(Op.XOR, (x, entry)), 3, amount=k + 2)
        results.append(x)
    return code.graph(*results)


def searched(anywhere: bool) -> Finder:
    made = [kernel(0), kernel(6)]
    lowerers = []
    for graph in made:
        to = InMemoryLowerer(PROCESSOR, Memory(256), Lowered(), Conventions())
        to.arrays.of[graph.params[-1]] = PLACE
        lowerers.append(to)
    return finder_of(made, lowerers, 8, 1000, 2, True, anywhere)


def test_what_two_kernels_do_is_one_subroutine() -> None:
    finder = searched(anywhere=False)
    (one,) = finder.found()
    assert len({id(call) for call in finder.calls.values() if call.subroutine is one}) == 4


def test_orders_hold_for_as_long_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph is others' too: it is as it was afterwards, also where the program does not fit."""
    graph = kernel(0)
    before = tuple(graph.body)
    to = InMemoryLowerer(PROCESSOR, Memory(256), Lowered(), Conventions())

    def backwards(regions: Sequence[Region], *rest: object) -> None:
        for region in regions:
            region.body = region.body[::-1]

    monkeypatch.setattr("finalist.isa.lower.search._arrange", backwards)
    with arranged([graph], [], to):
        assert graph.body == before[::-1]
    assert graph.body == before
    with pytest.raises(NoRoomError), arranged([graph], [], to):
        raise NoRoomError("too small")
    assert graph.body == before


def test_wishes() -> None:
    (wish,) = wishes_of(searched(anywhere=True))
    assert [[place for _, place in row] for row in wish] == [[0, 2, 4], [1, 3, 5], [6, 8, 10], [7, 9, 11]]
