"""The constraint model: schedules that keep all rules, and proofs that there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.schedule.modulo.greedy import Manner, greedy
from finalist.isa.schedule.modulo.problem import Order, Read, Schedule, pressure
from finalist.isa.schedule.modulo.verify import violations
from tests.loops import adds, loads, loop, random_loop, slow_across, stores, sum_loop
from tools.loops.exact import Effort, Model, solved
from tools.loops.neighbourhood import Windows, missing, search, squeezed, start

pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
BRIEF = Effort(20, workers=1)


def test_a_loop_solved_and_the_shorter_one_refuted() -> None:
    answer = solved(sum_loop(), 2, 5, BRIEF)
    assert answer.schedule is not None
    assert violations(sum_loop(), answer.schedule) == []
    assert solved(sum_loop(), 1, 9, BRIEF).status == "infeasible"


def test_recurrences_are_refuted() -> None:
    ring = loop(adds(Read(1, distance=1), latency=3), adds(Read(0), latency=2))
    assert solved(ring, 4, 4, BRIEF).status == "infeasible"
    assert solved(ring, 5, 2, BRIEF).schedule is not None


def test_registers_are_a_limit() -> None:
    assert solved(sum_loop(registers=1), 4, 4, BRIEF).status == "infeasible"
    problem = sum_loop(registers=2)
    found = solved(problem, 4, 4, BRIEF).schedule
    assert found is not None
    assert max(max(counts) for counts in pressure(problem, found).values()) <= 2


def test_the_branch_is_where_it_has_to_be() -> None:
    problem = loop(adds(), adds(), last={1: 3})
    answer = solved(problem, 4, 2, BRIEF)
    assert answer.schedule is not None
    assert answer.schedule.times[1] == 1
    assert solved(problem, 2, 2, BRIEF).status == "infeasible"


@pytest.mark.parametrize("seed", range(3))
def test_windows_make_a_schedule_fit(seed: int) -> None:
    roomy = random_loop(seed, 24, registers=30)
    schedule = next(one for k in range(5, 40) if (one := greedy(roomy, k, Manner(seed))) is not None)
    problem = random_loop(seed, 24, registers=3)
    before = missing(problem, schedule)
    for _ in range(4):
        windows = Windows(problem, schedule, width=4, reach=4, effort=Effort(2, workers=1))
        windows.step()
        assert violations(problem, windows.schedule) == []
        assert missing(problem, windows.schedule) <= missing(problem, schedule)
        schedule = windows.schedule
    assert missing(problem, schedule) < before or not before


def test_the_search_ends_when_it_is_enough() -> None:
    problem = random_loop(1, 16, registers=4)
    first = start(problem, 12)
    assert first is not None
    found = list(search(problem, first, lambda schedule: True, 10, Effort(1, workers=1)))
    assert missing(problem, found[-1]) == 0
    assert all(missing(problem, one) for one in found[:-1])
    assert list(search(problem, first, lambda schedule: True, 0)) == []


def test_what_is_not_free_stays() -> None:
    problem = random_loop(2, 20)
    schedule = next(one for k in range(5, 40) if (one := greedy(problem, k, Manner())) is not None)
    answer = Model(problem, schedule, range(4, 8), 5).solve(BRIEF)
    assert answer.schedule is not None
    still = [k for k in range(20) if k not in range(4, 8)]
    assert [answer.schedule.times[k] for k in still] == [schedule.times[k] for k in still]
    assert violations(problem, answer.schedule) == []


def test_words_that_take_longer_across() -> None:
    """The model keeps the wait, for operations that are free and for those that stay."""
    problem = slow_across()
    answer = solved(problem, 9, 3, BRIEF)
    assert answer.schedule is not None
    assert violations(problem, answer.schedule) == []
    for free in (range(4, 9), range(1, 5)):
        again = Model(problem, answer.schedule, free, 4).solve(BRIEF)
        assert again.schedule is not None
        assert violations(problem, again.schedule) == []


def test_a_cycle_taken_out() -> None:
    """Of a schedule with room; of one whose interval is the least, none."""
    chain = loop(loads(), adds(Read(0)), stores(1), orders=(Order(2, 0, 1, 1),))
    made = squeezed(chain, Schedule(14, (0, 10, 12), (0, 0, 0)), 6, 5, BRIEF)
    assert made is not None and made.interval == 13
    assert violations(chain, made) == []
    assert squeezed(chain, Schedule(6, (0, 4, 5), (0, 0, 0)), 3, 9, BRIEF) is None


def test_a_cycle_taken_out_of_all_stages() -> None:
    """What stands behind the cycle is issued earlier by one in the first stage, by two in the second."""
    chain = loop(loads(), adds(Read(0)), stores(1))
    made = squeezed(chain, Schedule(14, (0, 10, 22), (0, 0, 0)), 6, 2, BRIEF)
    assert made == Schedule(13, (0, 9, 20), (0, 0, 0))
    branch = replace(chain, last={2: 10})
    assert squeezed(branch, Schedule(14, (0, 3, 4), (0, 0, 0)), 6, 2, BRIEF) is None
