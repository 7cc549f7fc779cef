"""Calls from Python are timed whole, many in a row."""

from __future__ import annotations

import pytest

from finalist.measure.calls import measure_python
from finalist.measure.clock import MeasurementError
from finalist.toolchain import compiler

pytestmark = pytest.mark.skipif(not compiler.available(), reason="needs a C compiler")


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
