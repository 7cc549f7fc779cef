"""Steps: noted where someone watches, checked where someone checks, and the path through them."""

from __future__ import annotations

import pytest

from finalist.errors import GraphError
from finalist.ir.program import Program
from finalist.ir.steps import Step, checking, note, path, ran, watched, watching
from tests.graphs import random_program

PROGRAMS = [random_program(f"steps {number}") for number in range(4)]


def step(name: str, before: Program, after: Program) -> Step:
    return Step(name, "", "", before, after)


def test_nothing_is_noted_where_nobody_watches() -> None:
    assert not watched()
    note([step("a", *PROGRAMS[:2])])
    with watching() as steps:
        assert watched()
    assert not watched()
    assert steps == []


def test_the_innermost_watcher_is_told() -> None:
    first, second = step("first", *PROGRAMS[:2]), step("second", *PROGRAMS[1:3])
    with watching() as outer:
        ran(first)
        with watching() as inner:
            ran(second)
    assert (outer, inner) == ([first], [second])


def test_a_check_is_called_for_what_runs_and_not_for_what_is_noted_again() -> None:
    called: list[Step] = []
    one = step("one", *PROGRAMS[:2])
    with checking(called.append), watching() as steps:
        ran(one)
        note([one])
    assert called == [one]
    assert steps == [one, one]
    ran(one)
    assert called == [one]


def test_the_path_leaves_alternatives_out() -> None:
    a, b, c, d = PROGRAMS
    first, unchanged, other, last = step("1", a, b), step("2", b, b), step("other", b, c), step("3", b, d)
    assert path([first, unchanged, other, last], a, d) == [first, unchanged, last]
    assert path([], a, a) == []


def test_steps_that_are_noted_twice_are_one() -> None:
    a, b, c, _ = PROGRAMS
    first, second = step("1", a, b), step("2", b, c)
    assert path([first, second, first, second], a, c) == [first, second]


def test_a_gap() -> None:
    a, b, c, d = PROGRAMS
    with pytest.raises(GraphError, match="no steps lead to this program"):
        path([step("1", a, b), step("2", c, d)], a, d)
