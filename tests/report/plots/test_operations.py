"""The plot of what ciphers compute."""

from __future__ import annotations

import pytest

from finalist.report.kinds import GROUPS
from finalist.report.plots.operations import Bar, plot
from finalist.report.plots.style import PlotError
from tests.report.plots.plots import parts, valid

FIRST, *_, LAST = GROUPS


def test_data_and_encodings() -> None:
    bars = [Bar("b", {FIRST: 3, LAST: 1}, 1234.5), Bar("a", {FIRST: 0, LAST: 7}, 0.4)]
    shares, numbers = valid(plot(bars))["layer"]
    found = [(one["cipher"], one["kind"], one["operations"]) for one in shares["data"]["values"]]
    assert found == [("b", FIRST, 3), ("b", LAST, 1), ("a", LAST, 7)]  # nothing is no part
    assert shares["encoding"]["x"]["stack"] == "normalize"
    assert shares["encoding"]["color"]["scale"]["domain"] == list(GROUPS)
    assert [one["operations a byte"] for one in numbers["data"]["values"]] == ["1,234.5", "0.4"]
    assert all(place["scale"]["domain"] == ["b", "a"] for place in parts([shares, numbers], "y"))


def test_every_group_has_a_colour_of_its_own() -> None:
    colours = plot([Bar("a", {FIRST: 1}, 1)])["layer"][0]["encoding"]["color"]["scale"]["range"]
    assert len(set(colours)) == len(GROUPS)


def test_nothing_to_plot() -> None:
    with pytest.raises(PlotError, match="no ciphers"):
        plot([])
