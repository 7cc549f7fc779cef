"""What passes made of a graph is made once, and its steps are reported each time."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from finalist.errors import GraphError
from finalist.ir import memoized as module
from finalist.ir.memoized import MOST, memoized, uncollected, widen
from finalist.ir.program import Program
from finalist.ir.steps import Step, ran, watching
from tests.graphs import random_program


@pytest.fixture(autouse=True)
def room(monkeypatch: pytest.MonkeyPatch) -> None:
    """As outside of tests."""
    monkeypatch.setattr(module, "_resize", [])
    monkeypatch.setattr(module, "_times", 1)


def test_the_last_results_are_memoized() -> None:
    calls: list[int] = []

    @memoized
    def square(number: int) -> int:
        calls.append(number)
        return number * number

    assert [square(n) for n in (*range(MOST), *range(MOST))] == [n * n for n in range(MOST)] * 2
    assert calls == list(range(MOST))
    square(MOST)  # in place of the oldest
    square(0)
    assert calls[MOST:] == [MOST, 0]


def test_more_room() -> None:
    calls: list[int] = []

    @memoized
    def square(number: int) -> int:
        calls.append(number)
        return number * number

    square(1)
    widen(2)
    assert [square(n) for n in (*range(2 * MOST), *range(2 * MOST))] == [n * n for n in range(2 * MOST)] * 2
    assert calls == [1, *range(2 * MOST)]  # 1 was forgotten


def test_errors_are_not_memoized() -> None:
    calls: list[int] = []

    @memoized
    def refuse(number: int) -> None:
        calls.append(number)
        raise GraphError("no")

    for _ in range(2):
        with pytest.raises(GraphError):
            refuse(1)
    assert calls == [1, 1]


def test_steps_are_reported_each_time() -> None:
    """Those of a result that was made while nobody watched, too; the function runs for them once more."""
    calls: list[int] = []
    programs = [random_program(f"kept {number}") for number in range(2)]

    @memoized
    def change(program: Program) -> Program:
        calls.append(1)
        ran(Step("change", "", "", program, programs[1]))
        return programs[1]

    @memoized
    def around(program: Program) -> Program:
        return change(program)

    assert around(programs[0]) is programs[1]
    for _ in range(3):
        with watching() as steps:
            assert around(programs[0]) is programs[1]
        assert [(step.name, step.before, step.after) for step in steps] == [("change", *programs)]
    assert len(calls) == 2


@pytest.fixture(params=[True, False])
def enabled(request: pytest.FixtureRequest) -> Iterator[bool]:
    (gc.enable if request.param else gc.disable)()
    yield request.param
    gc.enable()


def test_it_is_as_it_was(enabled: bool) -> None:
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() is enabled


def test_it_is_as_it_was_after_an_error(enabled: bool) -> None:
    with pytest.raises(ValueError, match="x"), uncollected():
        raise ValueError("x")
    assert gc.isenabled() is enabled


class Knot:
    """What only the collector frees."""

    def __init__(self) -> None:
        self.own = self


def test_cycles_that_are_made_meanwhile_are_found_afterwards() -> None:
    """Without a walk over all memory: a process that compiles for hours does not grow."""
    with uncollected():
        knot = weakref.ref(Knot())
    for _ in range(100):
        with uncollected():
            others = [Knot() for _ in range(1000)]
    assert others and knot() is None
