"""The picture of units by cycles."""

from __future__ import annotations

import pytest

from finalist.report.plots.style import PlotError
from finalist.report.plots.units import plot
from finalist.report.units import KINDS, ReservationTable, Slot
from tests.report.plots.plots import parts, valid

SLOTS = (Slot(0, "l1", "ADD", KINDS[0]), Slot(130, "m1", "MPY", KINDS[3], 2))


def test_a_line_for_so_many_cycles() -> None:
    """Two lines, coloured by what is done, and again by block."""
    spec = valid(plot("here", ReservationTable(140, ("l1", "m1"), SLOTS, 2)))
    first, second = spec["vconcat"]
    assert [panel["data"]["values"] for panel in first["vconcat"]] == [
        [{"cycle": 0, "unit": "l1", "instruction": "ADD", "kind": "sums", "block": "1"}],
        [{"cycle": 130, "unit": "m1", "instruction": "MPY", "kind": "products", "block": "2"}],
    ]
    assert [one["field"] for one in parts(second, "color") if "field" in one] == ["block", "block"]
    assert spec["title"]["subtitle"] == ["2 instructions in 140 cycles: 1 % of all units."]


def test_one_block_has_one_colour() -> None:
    assert len(valid(plot("here", ReservationTable(10, ("l1",), SLOTS[:1])))["vconcat"]) == 1


def test_nothing_issued() -> None:
    with pytest.raises(PlotError, match="nothing issued"):
        plot("here", ReservationTable(10, ("l1",), ()))
