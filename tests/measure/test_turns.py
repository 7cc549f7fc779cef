"""Candidates measured in turns."""

from __future__ import annotations

import functools

import pytest

from finalist.measure.arguments import MeasurementError
from finalist.measure.clock import Measurement, measure_bulk
from finalist.measure.turns import in_turns, measure_in_turns, measure_python, times_of_first
from tests.marks import needs_compiler
from tests.measure.test_clock import KERNEL, KEY, SECONDS, Spy, assert_plausible, figure_of


class TestInTurns:
    def test_candidates_alternate_and_share_the_time(self) -> None:
        order: list[tuple[str, float]] = []

        def candidate(name: str, *, seconds: float) -> Measurement:
            order.append((name, seconds))
            return figure_of(1, 1, 1)

        a, b = functools.partial(candidate, "a"), functools.partial(candidate, "b")
        measure_in_turns([a, b], seconds=1, rounds=4)
        assert [name for name, _ in order] == list("abbaabba")
        assert {seconds for _, seconds in order} == {0.25}

    def test_each_gets_the_minimum_and_the_median_of_its_turns(self) -> None:
        first = iter([figure_of(9, 2, 30), figure_of(6, 3, 10), figure_of(8, 2.5, 20)])
        second = iter([figure_of(1, 1, 1)] * 3)
        one, other = measure_in_turns(
            [lambda *, seconds: next(first), lambda *, seconds: next(second)], rounds=3
        )
        assert one == Measurement(6, "per byte", "rdtsc", 2, runs=9, median_ticks=20)
        assert other.ticks == 1

    def test_differences_of_minima_get_the_median_of_their_turns(self) -> None:
        turns = iter([Measurement(ticks, "per call", "rdtsc", 1, 1, ticks) for ticks in (9, 0, 5)])
        (figure,) = measure_in_turns([lambda *, seconds: next(turns)], rounds=3)
        assert figure.ticks == 5

    def test_real_measurements_take_turns(self) -> None:
        kernel = Spy(KERNEL)
        bulk = functools.partial(measure_bulk, kernel.address, KEY, 64, 16)
        for figure in measure_in_turns([bulk, bulk], seconds=SECONDS, rounds=2):
            assert_plausible(figure)

    def test_after_the_limit_no_round_begins_but_the_second(self) -> None:
        taken = in_turns([lambda *, seconds: figure_of(1, 1, 1)], seconds=1, rounds=9, limit=0)
        assert len(taken[0]) == 2

    def test_no_candidates(self) -> None:
        with pytest.raises(MeasurementError, match="candidates"):
            measure_in_turns([])

    def test_no_rounds(self) -> None:
        with pytest.raises(MeasurementError, match="rounds"):
            measure_in_turns([lambda *, seconds: figure_of(1, 1, 1)], rounds=0)


class TestTimesOfFirst:
    @staticmethod
    def turns(*ticks: float) -> list[Measurement]:
        return [figure_of(one, 1, one) for one in ticks]

    def test_rounds_are_compared_one_by_one(self) -> None:
        """In the second the core was at half its frequency, in the third a neighbour came between."""
        first, other = self.turns(10, 20, 10), self.turns(15, 30, 90)
        assert times_of_first([first, other]) == [1.0, 1.5]

    def test_rounds_that_the_clock_can_not_tell_do_not_count(self) -> None:
        assert times_of_first([self.turns(0, 10, 10), self.turns(5, 20, 20)]) == [1.0, 2.0]
        assert times_of_first([self.turns(0, 0), self.turns(5, 5)]) == [None, None]


pytestmark = needs_compiler


def test_a_figure_is_per_byte() -> None:
    calls = []
    figure = measure_python(lambda: calls.append(0), 64, seconds=0.01)
    assert figure.unit == "per byte" and figure.ticks > 0
    assert len(calls) > figure.runs


def test_longer_work_takes_longer() -> None:
    short = measure_python(lambda: sum(range(10)), 1, seconds=0.02)
    assert measure_python(lambda: sum(range(10_000)), 1, seconds=0.02).ticks > 5 * short.ticks


@pytest.mark.parametrize(("size", "seconds", "name"), [(0, 1.0, "data_bytes"), (1, 0.0, "seconds")])
def test_bad_arguments_are_refused(size: int, seconds: float, name: str) -> None:
    with pytest.raises(MeasurementError, match=name):
        measure_python(lambda: None, size, seconds=seconds)
