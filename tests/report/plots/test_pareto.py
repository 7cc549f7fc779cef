"""The plot of area and throughput."""

from __future__ import annotations

import pytest

from finalist.report import fronts
from finalist.report.plots import pareto
from finalist.report.plots.style import PlotError
from tests.report.plots.plots import valid


def made(name: str, area: int, mbit_s: float, fits: bool = True) -> pareto.Point:
    return pareto.Point(name, area, 50.0, 6, mbit_s, mbit_s, fits)


POINTS = [
    made("LU-1", 100, 50),
    made("LU-2", 300, 40),
    made("PP-2", 110, 51),
    made("SP-2-1", 900, 800, False),
]
FRONT = ["LU-1", "PP-2"]


def test_data_and_encodings() -> None:
    spec = valid(pareto.plot("toy", ["Estimates."], POINTS, FRONT))
    line, dots, names = spec["layer"]
    assert [one["design"] for one in line["data"]["values"]] == FRONT
    assert {one["design"]: (one["slices"], one["mbit_s"]) for one in dots["data"]["values"]} == {
        one.name: (one.area, one.mbit_s) for one in POINTS
    }
    assert [one["architecture"] for one in dots["data"]["values"]] == ["LU", "LU", "PP", "SP"]
    x, y = dots["encoding"]["x"], dots["encoding"]["y"]
    assert (x["field"], x["title"], x["scale"]["type"]) == ("slices", "area, slices", "log")
    assert (y["field"], y["title"], y["scale"]["type"]) == ("mbit_s", "throughput, Mbit/s", "log")
    assert names["encoding"]["text"]["field"] == "design"
    assert not any("name at" in one for one in dots["data"]["values"])


def test_area_in_the_units_of_a_part() -> None:
    spec = valid(pareto.plot("toy", [], POINTS, FRONT, unit="LUT"))
    x = spec["layer"][1]["encoding"]["x"]
    assert (x["field"], x["title"]) == ("LUTs", "area, LUTs")
    assert spec["layer"][1]["data"]["values"][0]["LUTs"] == 100


def test_names_do_not_cover_one_another() -> None:
    """LU-1 and PP-2 are a pixel or two apart; each line of names takes 14."""
    spec = pareto.plot("toy", [], POINTS, FRONT)
    first, second = (one["name at"] for one in spec["layer"][2]["data"]["values"])
    low, high = spec["layer"][1]["encoding"]["y"]["scale"]["domain"]
    assert second / first >= (high / low) ** (13 / 400)
    assert first == pytest.approx(50)


def test_what_does_not_fit_is_said() -> None:
    assert "Hollow" in pareto.plot("toy", [], POINTS, FRONT)["title"]["subtitle"][0]
    assert "subtitle" not in pareto.plot("toy", [], POINTS[:1], ["LU-1"])["title"]


def test_one_design_and_none() -> None:
    valid(pareto.plot("toy", [], POINTS[:1], ["LU-1"]))
    valid(pareto.plot("toy", [], POINTS[3:], []))
    with pytest.raises(PlotError, match="no designs"):
        pareto.plot("toy", [], [], [])


def test_the_front_is_that_of_the_table() -> None:
    spec = fronts.front_plot("toy", POINTS)
    assert [one["design"] for one in spec["layer"][0]["data"]["values"]] == FRONT
