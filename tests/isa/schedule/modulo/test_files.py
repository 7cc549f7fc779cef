"""Files of values, kept consistent with the choices that are left."""

from __future__ import annotations

from finalist.isa.schedule.modulo.files import Files
from finalist.isa.schedule.modulo.problem import Choice, Operation, Read
from tests.loops import adds, loads, loop, sum_loop


def test_a_decision_reaches_those_that_read_and_those_that_are_read() -> None:
    here = Operation("here", (Choice(("d1",), ("a",), ("a",)), Choice(("d2",), ("b",), ("b",))), (Read(0),))
    files = Files(loop(loads(), here, Operation("on", here.choices, (Read(1),))))
    assert files.decide(1, [0])
    assert files.of[0, 0] == files.of[2, 0] == {"a"}
    assert files.left[0] == files.left[2] == (0,)
    files.back()
    assert files.of[0, 0] == {"a", "b"}
    assert files.left[2] == (0, 1)


def test_a_decision_that_leaves_nothing_is_none() -> None:
    own = (Choice(("d1",), ("a",), ("a",)),)
    other = (Choice(("d2",), ("b",), ("b",)), *own)
    files = Files(loop(loads(), Operation("one", own, (Read(0),)), Operation("two", other, (Read(0),))))
    assert files.left[2] == (1,)
    assert not files.decide(0, [1])
    assert files.left[0] == (0,)


def test_impossible_from_the_beginning() -> None:
    one = Operation("one", (Choice(("d1",), ("a",), ("a",)),), (Read(-1, invariant=0),))
    assert Files(loop(one, invariants=(frozenset({"a"}),))).possible
    assert not Files(loop(one, invariants=(frozenset({"b"}),))).possible


def test_pairs_are_together() -> None:
    files = Files(loop(loads(), loads(), adds(Read(0)), pairs=(((0, 0), (1, 0)),)))
    assert files.decide(0, [1])
    assert files.of[1, 0] == {"b"}
    assert Files(sum_loop()).possible
