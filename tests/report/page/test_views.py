"""The plots of the page are Vega-Lite, each of the programs that have its figures."""

from __future__ import annotations

import pytest

from finalist.report.page import papers, views
from tests.report.page.test_points import BULK, points
from tests.report.plots.plots import parts, valid


def test_a_ranking_a_machine() -> None:
    native, hardware = views.rankings(points())
    assert [one.cipher for one in native.points] == ["rc6", "frog"]
    assert native.spec["encoding"]["y"]["sort"]["order"] == "ascending"
    assert hardware.spec["encoding"]["y"]["sort"]["order"] == "descending"
    assert "less is better" in native.spec["encoding"]["x"]["title"]
    assert native.spec["encoding"]["stroke"]["legend"]["values"] == [BULK.timing]


def test_fronts_where_there_are_programs_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(views.fronts(points())) == []
    monkeypatch.setattr(views, "_FEWEST", 2)
    (found,) = views.fronts(points())
    assert found.title == "fpga: throughput against area" and len(found.points) == 2
    assert [one["filter"] for one in found.spec["layer"][1]["transform"] if "filter" in one] == [
        "datum.throughput >= datum.best"
    ]


def test_side_by_side_less_is_better() -> None:
    found = views.beside(points())
    assert [one["cost"] for one in found.values()] == pytest.approx([1.5, 0.5, 1 / 1400])


def test_spread_of_times_alone() -> None:
    (found,) = views.spreads(points())
    assert found.machine == "native, A Processor"


def test_all_are_vega_lite_and_say_what_they_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_FEWEST", 2)
    found = views.every(points())
    assert len({one.name for one in found}) == len(found) == 5
    for one in found:
        valid(one.drawn())
        assert one.spec["description"] and one.spec["width"] == "container"
        assert list(parts(one.spec, "tooltip"))


@pytest.mark.parametrize("name", papers.names())
def test_cells_of_a_study(name: str) -> None:
    spec = papers.plot(name)
    values = spec["data"]["values"]
    valid({**spec, "data": {"values": values[:2]}})
    assert len(values) > 40
    assert {one["verdict"] for one in values} & {"confirmed", "refuted", "fitted"}
