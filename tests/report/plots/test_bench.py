"""The plot of figures of this computer."""

from __future__ import annotations

import pytest

from finalist.report.plots import bench
from finalist.report.plots.style import PlotError
from tests.report.plots.plots import NAMES, parts, row, valid

ROWS = [
    row("slow", quantity="bulk", cycles=20),
    row("slow", "decrypt", "bulk", 21),
    row("slow", quantity="ctr", cycles=22),
    row("slow", quantity="latency", cycles=900),
    row("slow", quantity="single call", cycles=950),
    row("slow", quantity="key set-up", cycles=5000),
    row("quick", quantity="bulk", cycles=0.5),
    row("quick", quantity="key set-up", cycles=40),
]


def test_a_panel_for_each_unit() -> None:
    spec = valid(bench.plot(ROWS))
    many, latency, setup = spec["hconcat"]
    titles = [panel["encoding"]["x"]["title"] for panel in spec["hconcat"]]
    assert titles == ["core cycles a byte", "core cycles a block", "core cycles a key"]
    assert [(one["cipher"], one["mode"], one["core_cycles"]) for one in many["data"]["values"]] == [
        ("slow, 128", "ecb", 20),
        ("slow, 128", "ecb", 21),
        ("slow, 128", "ctr", 22),
        ("quick, 128", "ecb", 0.5),
    ]
    assert [one["core_cycles"] for one in latency["data"]["values"]] == [900]
    assert [one["core_cycles"] for one in setup["data"]["values"]] == [5000, 40]


def test_the_quickest_is_above_and_rows_are_the_same_in_all_panels() -> None:
    places = [panel["encoding"]["y"] for panel in bench.plot(ROWS)["hconcat"]]
    assert all(place["scale"]["domain"] == ["quick, 128", "slow, 128"] for place in places)
    assert ["labelExpr" in place["axis"] for place in places] == [False, True, True]


def test_what_the_figures_depend_on_is_said() -> None:
    assert "A Processor; cc 12; rdtsc" in bench.plot(ROWS)["title"]["subtitle"][0]


def test_one_mode_is_named_in_the_title() -> None:
    (panel,) = valid(bench.plot([row(quantity="cbc")]))["hconcat"]
    assert panel["title"]["text"] == "many blocks, cbc"
    assert "yOffset" not in panel["encoding"]


def test_without_many_blocks() -> None:
    (panel,) = valid(bench.plot([row(quantity="latency")]))["hconcat"]
    assert panel["title"]["text"] == "latency"


def test_many_ciphers_with_long_names() -> None:
    spec = valid(bench.plot([row(name, cycles=k + 1) for k, name in enumerate(NAMES)]))
    (panel,) = spec["hconcat"]
    assert panel["height"] >= 20 * len(NAMES)
    assert all(limit >= 300 for limit in parts(spec["config"]["axis"], "labelLimit"))


def test_too_short_for_the_clock() -> None:
    with pytest.raises(PlotError, match="no figures"):
        bench.plot([row(cycles=0)])
