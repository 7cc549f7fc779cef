"""The plot of what the tuner found."""

from __future__ import annotations

import pytest

from finalist.report.plots import tune
from finalist.report.plots.style import PlotError
from finalist.tuning.trials import LENGTHS
from tests.report.plots.plots import NAMES, explanation, valid


def test_data_and_encodings() -> None:
    spec = valid(tune.plot([explanation()]))
    (panel,) = spec["concat"]
    thick, lines, dots = panel["layer"]
    assert panel["title"]["text"] == "toy, encrypt, 128 bits"
    kinds = {(one["lookup"], one["width"]) for one in dots["data"]["values"]}
    assert kinds == {("no table", "scalar"), ("gather", "512 bits")}
    assert len(lines["data"]["values"]) == 2 * len(LENGTHS)
    assert dots["encoding"]["color"]["scale"]["domain"] == ["gather", "no table"]
    assert dots["encoding"]["shape"]["scale"]["domain"] == ["scalar", "512 bits"]
    assert [one["width"] for one in thick["data"]["values"]] == ["scalar"] * 3 + ["512 bits"] * (
        len(LENGTHS) - 3
    )
    x, y = dots["encoding"]["x"], dots["encoding"]["y"]
    assert (x["title"], x["scale"]["domain"]) == ("bytes of a message", [LENGTHS[0], LENGTHS[-1]])
    assert (y["field"], y["title"]) == ("ticks", "ticks a byte")


@pytest.mark.check
def test_many_are_panels_whose_titles_are_no_wider() -> None:
    spec = valid(tune.plot([explanation(name) for name in NAMES]))
    assert len(spec["concat"]) == len(NAMES)
    assert all(panel["title"]["limit"] == panel["width"] for panel in spec["concat"])
    domains = {str(panel["layer"][2]["encoding"]["color"]["scale"]) for panel in spec["concat"]}
    assert len(domains) == 1  # a colour means the same in all panels


def test_nothing_to_plot() -> None:
    with pytest.raises(PlotError, match="no trials"):
        tune.plot([])
