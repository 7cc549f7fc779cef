"""The plot of cycles on simulated machines."""

from __future__ import annotations

import pytest

from finalist.report.plots import cycles
from finalist.report.plots.style import PlotError
from tests.report.plots.plots import valid

MACHINES = ["base", "base:with=more"]
FIGURES = {"a": [400.0, 200.0], "b": [100.0, 100.0]}


def test_data_and_encodings() -> None:
    spec = valid(cycles.plot("Cycles a block", MACHINES, FIGURES))
    assert [tuple(one.values()) for one in spec["data"]["values"]] == [
        ("b", "base", 100, 1.0),
        ("b", "base:with=more", 100, 1.0),
        ("a", "base", 400, 1.0),
        ("a", "base:with=more", 200, 2.0),
    ]
    encoding = spec["encoding"]
    assert encoding["y"]["scale"]["domain"] == ["b", "a"]
    assert encoding["x"]["title"] == "cycles a block"
    assert encoding["shape"]["scale"]["domain"] == encoding["stroke"]["scale"]["domain"] == MACHINES
    assert encoding["yOffset"]["sort"] == MACHINES  # equal counts stand below one another


def test_rows_are_as_high_as_their_marks() -> None:
    many = [f"base:issue={k}" for k in range(9)]
    spec = valid(cycles.plot("Cycles", many, {"a": [float(k + 1) for k in range(9)]}))
    assert spec["height"]["step"] >= 9 * 9
    one = valid(cycles.plot("Cycles", ["base"], {"a": [1.0]}))
    assert one["height"]["step"] == 20 and "yOffset" not in one["encoding"]


@pytest.mark.parametrize(("machines", "figures"), [(MACHINES, {}), ([], FIGURES)])
def test_nothing_to_plot(machines: list[str], figures: dict[str, list[float]]) -> None:
    with pytest.raises(PlotError, match="no cycles"):
        cycles.plot("Cycles", machines, figures)
