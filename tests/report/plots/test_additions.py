"""The plot of what additions give for their area."""

from __future__ import annotations

import pytest

from finalist.report.plots.additions import Point, plot
from finalist.report.plots.style import PlotError
from finalist.report.ptlu import additions_plot, which
from tests.report.plots.plots import valid

POINTS = [
    Point("small", 0.01, {"a": 1.0, "b": 1.21}),
    Point("<large>", 8, {"a": 4.0, "b": 1.0}),
    Point("useless", 0.001, {"a": 1.01, "b": 0.9}),
]


def test_the_mean_is_geometric() -> None:
    assert POINTS[0].middle == pytest.approx(1.1)
    assert POINTS[1].middle == pytest.approx(2)


def test_data_and_encodings() -> None:
    areas, gains = valid(plot("Additions", POINTS, "gates & wires"))["hconcat"]
    assert [one["area"] for one in areas["data"]["values"]] == [0.001, 0.01, 8]
    assert areas["encoding"]["x"]["title"] == "area, gates & wires"
    dots, means = gains["layer"]
    assert len(dots["data"]["values"]) == 3 * 2
    assert {one["addition"]: one["mean"] for one in means["data"]["values"]} == {
        "small": 1.1,
        "<large>": 2,
        "useless": pytest.approx(0.953),
    }
    # Names stand in rows of their own, the same on both sides: none covers another.
    smallest_above = ["useless", "small", "<large>"]
    for one in (areas, dots, means):
        assert one["encoding"]["y"]["scale"]["domain"] == smallest_above


@pytest.mark.parametrize("points", [[], [Point("small", 1, {})]])
def test_nothing_to_plot(points: list[Point]) -> None:
    with pytest.raises(PlotError, match="no additions"):
        additions_plot(points)


def test_the_best_for_its_area_must_gain_something() -> None:
    rows = which(POINTS).rows
    assert rows[0][-2:] == ("<large>", "<large>")
    assert rows[1][-2:] == ("small", "small")
    assert rows[2][0] == "mean"
