"""Control flow, the same for whatever carries out a graph: what is known is followed, the rest refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Region
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.prove.definition import Evaluator
from finalist.prove.recorded import Recorder
from finalist.prove.walk import ITERATIONS, Walk
from finalist.prove.words import NotCoveredError, Words

WALKS = pytest.mark.parametrize(
    "make_walk", [lambda: Evaluator(Words()), Recorder], ids=["words", "recorded"]
)


def counted(stop: int | None) -> Graph:
    """A sum of the numbers of iterations, as many as there are; None: as many as a parameter says."""
    make = Builder()
    start = make.param("memory", WordType(32), "x")
    index, carried = make.param("index", WordType(32), "i"), make.param("carried", WordType(32), "v")
    body = Region([index, carried], [make.make(Op.ADD, (carried, index))])
    end = start if stop is None else make.const(stop, 32)
    return Graph("g", [start], make.loop(make.const(0, 32), end, [start], body))


@WALKS
def test_iterations_are_carried_out_one_after_the_other(make_walk: Callable[[], Walk]) -> None:
    walk = make_walk()
    assert walk.inside(counted(5), [100]) == [110]
    assert walk.iterations == 5


@WALKS
def test_a_condition_that_is_known_takes_one_arm(make_walk: Callable[[], Walk]) -> None:
    make = Builder()
    x, condition = make.param("memory", WordType(8), "x"), make.param("memory", WordType(1), "c")
    given = make.param("carried", WordType(8), "v")
    body = Region([given], [make.make(Op.NOT, (given,))])
    (made,) = make.results(make.make(Op.WHEN, (condition, x), body))
    graph = Graph("g", [x, condition], [made])
    assert [make_walk().inside(graph, [1, taken]) for taken in (0, 1)] == [[1], [254]]


@WALKS
def test_too_many_iterations_are_refused(make_walk: Callable[[], Walk]) -> None:
    with pytest.raises(NotCoveredError, match=f"more than {ITERATIONS} iterations of loops"):
        make_walk().inside(counted(ITERATIONS + 1), [0])
