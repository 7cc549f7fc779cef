"""Values of a loop: who reads them, how long they live, how many there are at once."""

from __future__ import annotations

from dataclasses import replace

from finalist.isa.schedule.modulo.problem import Life, Read, lives, pressure
from tests.loops import GOOD, adds, loads, loop, slow_across, sum_loop


def test_uses() -> None:
    uses = sum_loop().uses
    assert uses[0, 0] == ((2, 0, 0),)
    assert uses[3, 0] == ((3, 1, 1), (4, 0, 0))
    assert (4, 0) not in uses


def test_lives_reach_the_last_read_of_any_iteration() -> None:
    found = {life.value: (life.first, life.last) for life in lives(sum_loop(), GOOD)}
    assert found == {(0, 0): (4, 5), (1, 0): (5, 5), (2, 0): (6, 6), (3, 0): (7, 8)}


def test_what_nothing_reads_lives_for_a_cycle() -> None:
    problem = loop(loads())
    assert list(lives(problem, replace(GOOD, times=(0,), choices=(1,)))) == [Life((0, 0), "b", 4, 4)]


def test_pressure() -> None:
    assert pressure(sum_loop(), GOOD) == {"a": [3, 3], "b": [0, 0]}


def test_the_digest_depends_on_everything() -> None:
    problem = sum_loop()
    others = [
        replace(problem, issue=7),
        replace(problem, registers={"a": 4, "b": 5}),
        replace(problem, last={0: 1}),
        replace(problem, early=frozenset({0})),
        replace(problem, pairs=(((0, 0), (1, 0)),)),
        replace(problem, operations=(loads(5), *problem.operations[1:])),
        replace(problem, units={**problem.units, "l1": 2}),
        slow_across(),
        slow_across(2),
    ]
    assert len({one.digest for one in (problem, *others)}) == 10
    assert sum_loop().digest == problem.digest


def test_an_invariant_is_no_value() -> None:
    problem = loop(loads(), adds(Read(0), Read(0, invariant=0)), invariants=(frozenset("a"),))
    assert problem.uses == {(0, 0): ((1, 0, 0),), (1, 0): ()}
