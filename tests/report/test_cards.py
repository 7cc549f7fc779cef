"""The front of bytes and clocks: who beats whom, as a table and as a plot."""

from __future__ import annotations

import pytest

from finalist.measure.taken import Taken
from finalist.report import cards
from finalist.report.plots.style import PlotError
from tests.report.plots.plots import valid


def one(schedule: str, key: int, rom: int, clocks: float, refused: str = "") -> Taken:
    return Taken("a", 128, "card", schedule, key, 30, rom, clocks, refused)


SMALL, QUICK = one("small", 100, 500, 900.0), one("quick", 200, 600, 400.0)
BEATEN, EQUAL = one("beaten", 100, 500, 901.0), one("equal", 100, 500, 900.0)
REFUSED = one("none", 0, 0, 0.0, "it is not legal")


def test_the_front_has_what_nothing_beats_in_all_three() -> None:
    assert cards.front([QUICK, BEATEN, SMALL, REFUSED]) == [SMALL, QUICK]


def test_equals_are_one_point_of_the_front() -> None:
    assert len(cards.front([SMALL, EQUAL])) == 1


def test_the_table_marks_the_front_and_says_why_something_is_refused() -> None:
    sheet = cards.front_sheet("a", [QUICK, BEATEN, SMALL, REFUSED])
    assert [row[:2] for row in sheet.rows] == [
        ("small", "*"),
        ("beaten", ""),
        ("quick", "*"),
        ("none", "refused"),
    ]
    assert sheet.rows[0][2:] == ("100", "30", "500", "900")
    assert "it is not legal." in sheet.note


def test_the_plot_has_a_point_a_program() -> None:
    spec = cards.front_plot("a", [QUICK, BEATEN, SMALL, REFUSED])
    values = spec["layer"][0]["data"]["values"] if "layer" in spec else spec["vconcat"][0]
    assert {v["schedule"]: v["front"] for v in values} == {"quick": "yes", "beaten": "no", "small": "yes"}
    assert len(values) == 3
    with pytest.raises(PlotError, match="no programs"):
        cards.front_plot("a", [REFUSED])


def program(schedule: str, key: int, rom: int = 1000, clocks: float = 2000.0) -> Taken:
    return Taken("toy", 128, "card", schedule, key=key, ram=40, rom=rom, clocks=clocks)


FOUND = [program("a", 168), program("b", 1184, 900), program("c", 24, 1500, 30000.0), program("d", 168, 1100)]


def test_data() -> None:
    (layer,) = valid(cards.plot("Bytes and clocks", [], FOUND, {"a", "c"}))["layer"]
    told = {one["schedule"]: (one["bytes of key memory"], one["front"]) for one in layer["data"]["values"]}
    assert told == {"a": ("168", "yes"), "b": ("1184", "no"), "c": ("24", "yes"), "d": ("168", "no")}


def test_sizes_of_key_memory_are_in_order() -> None:
    """By number: the order in which programs were found, or letters, would have 24 after 1184."""
    (layer,) = valid(cards.plot("Bytes and clocks", [], FOUND, set()))["layer"]
    assert layer["encoding"]["shape"]["scale"]["domain"] == ["24", "168", "1184"]
