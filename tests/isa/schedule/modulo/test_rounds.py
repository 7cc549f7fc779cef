"""Rounds folded into a loop of their own, and written out again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.schedule.modulo.bounds import recurrence_bound
from finalist.isa.schedule.modulo.problem import Problem, Read, Schedule
from finalist.isa.schedule.modulo.rounds import folded, written_out
from finalist.isa.schedule.modulo.verify import violations
from tests.loops import adds, loads, loop, stores
from tools.loops.exact import Effort, solved

COUNT = 5


def rounds_of(count: int = COUNT) -> Problem:
    """A word, and rounds that add to it a word of the key and its value two rounds before."""
    operations = [loads(), loads(), adds(Read(0), Read(1))]
    state = [0, 2]
    for _ in range(count):
        here = len(operations)
        operations += [loads(), adds(Read(state[-1]), Read(here)), adds(Read(here + 1), Read(state[-2]))]
        state.append(here + 2)
    return loop(*operations, stores(len(operations) - 1), registers=8)


def test_rounds_are_found() -> None:
    found = folded(rounds_of())
    assert found is not None
    assert (found.period, found.count) == (3, COUNT - 1)
    assert recurrence_bound(found.problem) == 2
    distances = [r.distance for o in found.problem.operations for r in o.reads]
    assert sorted(distances) == [0, 0, 1, 2]


def test_a_round_that_differs_ends_them() -> None:
    problem = rounds_of()
    operations = list(problem.operations)
    operations[12] = replace(operations[12], latencies=(9,))
    assert folded(replace(problem, operations=tuple(operations))) is None


def test_nothing_repeats_itself() -> None:
    assert folded(loop(loads(), loads(), adds(Read(0), Read(1)), stores(2))) is None


def test_rounds_written_out() -> None:
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    problem = rounds_of()
    rounds = folded(problem)
    assert rounds is not None
    answer = solved(rounds.problem, 2, 4, Effort(20, 1), renamed=True)
    assert answer.schedule is not None
    assert solved(rounds.problem, 1, 9, Effort(20, 1), renamed=True).status == "infeasible"
    assert violations(rounds.problem, answer.schedule, renamed=True) == []
    made = next(written_out(problem, rounds, answer.schedule, 24))
    assert violations(problem, made) == []
    sums = (
        [made.times[k] for k in rounds.operations(1)][1:],
        [made.times[k] for k in rounds.operations(2)][1:],
    )
    assert [b - a for a, b in zip(*sums, strict=True)] == [2, 2]


def test_values_of_rounds_can_live_longer() -> None:
    """Violations name a value that lives beyond the interval, unless iterations are written out."""
    problem = loop(loads(), adds(Read(0), Read(0, distance=2)))
    schedule = Schedule(4, (0, 4), (0, 0))
    assert "lives" in violations(problem, schedule)[0]
    assert violations(problem, schedule, renamed=True) == []
