"""In which cycles operations of rounds can be: nothing is refuted by it that some number of stages allows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.schedule.modulo.problem import Operation, Order, Problem, Read
from finalist.isa.schedule.modulo.verify import violations
from tests.loops import adds, loads, loop, slow_across
from tools.loops.exact import Effort, decided, solved
from tools.loops.windows import windows

BRIEF = Effort(20, workers=1)


def ring(*lengths: int, registers: int = 8) -> Problem:
    """A sum of its value an iteration before, in operations of these latencies; each adds a word loaded."""
    operations = [adds(Read(len(lengths) - 1, distance=1), Read(len(lengths)), latency=lengths[0])]
    for k in range(1, len(lengths)):
        operations.append(adds(Read(k - 1), Read(len(lengths) + k), latency=lengths[k]))
    return loop(*operations, *(loads() for _ in lengths), registers=registers)


def test_what_depends_on_itself_has_the_slack_of_the_interval() -> None:
    found = windows(ring(2, 3, 1), 8)
    assert found is not None
    assert [high - low for low, high in found.values()] == [0, 2, 2, 7, 9, 9]
    first = found[0][0]
    assert [found[k][0] - first for k in range(3)] == [0, 2, 5]


def test_what_would_come_after_itself_is_refuted() -> None:
    assert windows(ring(2, 3, 1), 5) is None
    assert windows(ring(2, 3, 1), 6) is not None


def test_other_loops_are_refused() -> None:
    for problem in (
        loop(loads(), adds(Read(0))),  # no ring
        loop(adds(Read(1, distance=1)), adds(Read(0)), adds(Read(1))),  # something behind it
        replace(ring(2, 3), early=frozenset({0})),
        replace(ring(2, 3), orders=(Order(2, 3, 1),)),  # a leaf that waits for another
    ):
        with pytest.raises(ValueError, match="accepted: rounds"):
            windows(problem, 9)


def test_what_is_decided_is_what_many_stages_allow() -> None:
    """Found where some number of stages has a schedule, refuted where none of up to four has."""
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    tangled = replace(ring(1, 2, 1), orders=(Order(0, 2, 2),))
    for problem, intervals in ((ring(1, 1), (1, 2)), (ring(1, 2, 1), (3, 4)), (tangled, (2, 4))):
        for interval in intervals:
            answer = decided(problem, interval, BRIEF)
            many = solved(problem, interval, 4, BRIEF, renamed=True)
            assert (answer.status == "infeasible") == (many.status == "infeasible")
            if answer.schedule is not None:
                assert violations(problem, answer.schedule, renamed=True) == []


def test_without_registers_more_is_found() -> None:
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    problem = ring(2, 3, registers=0)
    assert decided(problem, 8, BRIEF).status == "infeasible"
    free = decided(problem, 8, BRIEF, registers=False)
    assert free.schedule is not None and violations(problem, free.schedule, renamed=True) == []


def test_a_leaf_that_takes_longer_across_can_come_earlier() -> None:
    """By the longest wait of all: of the C64x words that are read across."""
    problem = ring(2, 3)
    across = slow_across().operations
    assert any(wait for one in across for choice in one.choices for wait in choice.waits)
    slow = replace(problem, operations=(*problem.operations[:1], _waiting(problem), *problem.operations[2:]))
    before, after = windows(problem, 8), windows(slow, 8)
    assert before is not None and after is not None
    assert after[2][1] - after[2][0] == before[2][1] - before[2][0] + 1


def _waiting(problem: Problem) -> Operation:
    one = problem.operations[1]
    return replace(one, choices=tuple(replace(choice, waits=(0, 1)) for choice in one.choices))
