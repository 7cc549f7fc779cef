"""The plot of bytes and clocks of programs on a machine with little memory."""

from __future__ import annotations

from finalist.measure.taken import Taken
from finalist.report.plots import taken
from tests.report.plots.plots import valid


def program(schedule: str, key: int, rom: int = 1000, clocks: float = 2000.0) -> Taken:
    return Taken("toy", 128, "card", schedule, key=key, ram=40, rom=rom, clocks=clocks)


FOUND = [program("a", 168), program("b", 1184, 900), program("c", 24, 1500, 30000.0), program("d", 168, 1100)]


def test_data() -> None:
    (layer,) = valid(taken.plot("Bytes and clocks", [], FOUND, {"a", "c"}))["layer"]
    told = {one["schedule"]: (one["bytes of key memory"], one["front"]) for one in layer["data"]["values"]}
    assert told == {"a": ("168", "yes"), "b": ("1184", "no"), "c": ("24", "yes"), "d": ("168", "no")}


def test_sizes_of_key_memory_are_in_order() -> None:
    """By number: the order in which programs were found, or letters, would have 24 after 1184."""
    (layer,) = valid(taken.plot("Bytes and clocks", [], FOUND, set()))["layer"]
    assert layer["encoding"]["shape"]["scale"]["domain"] == ["24", "168", "1184"]
