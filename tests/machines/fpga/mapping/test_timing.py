"""Wires of a netlist: as long as the place that the slices of a net take."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.machines.fpga.mapping import mapped
from finalist.machines.fpga.mapping.netlist import Netlist
from finalist.machines.fpga.mapping.timing import CriticalPath, Timing
from finalist.machines.fpga.part import Wires
from tests.machines.fpga.mapping.test_netlist import adder, cell, port


def chosen(*, joined: bool) -> Netlist:
    """A register's bit, wire 10, that two tables take, each with another; a multiplexer of a slice makes one
    function of them, or each has a register."""
    cells: dict[str, Any] = {
        "source": cell("FDRE", {"C": 6, "CE": "1", "D": 2, "R": "0", "Q": 10}),
        "low": cell("LUT2", {"I0": 10, "I1": 3, "O": 11}, "0110"),
        "high": cell("LUT2", {"I0": 10, "I1": 4, "O": 12}, "1000"),
        "f0": cell("FDRE", {"C": 6, "CE": "1", "D": 11, "R": "0", "Q": 20}),
        "f1": cell("FDRE", {"C": 6, "CE": "1", "D": 12, "R": "0", "Q": 21}),
    }
    if joined:
        cells["mux"] = cell("MUXF5", {"I0": 11, "I1": 12, "S": 5, "O": 13})
        cells["f0"]["connections"]["D"] = [13]
        del cells["f1"]
    ports = {"a": port("input", 2, 3, 4, 5), "q": port("output", 20, 21)}
    return Netlist({"ports": ports, "cells": cells})


def test_tables_that_a_multiplexer_joins_are_at_one_place() -> None:
    """Two of its pins, and one way: the net spans no more than that slice."""
    assert Timing(chosen(joined=True)).places[10] == 1
    assert Timing(chosen(joined=False)).places[10] == 2


def test_a_bit_of_a_sum_is_at_one_place() -> None:
    """Its operand goes to the table and to the carry beside it."""
    assert Timing(Netlist(adder())).places[2] == 1


def test_the_longest_path_is_cells_and_wires() -> None:
    """From the register through a wire to two tables, its own register behind each."""
    assert Timing(chosen(joined=False)).longest(Wires(2.0, 100)) == CriticalPath(2.9, (2,))
    assert CriticalPath(2.9, (2, 4)).ns(Wires(2.0, 100)) == pytest.approx(2.9 + 2.0 * 2**0.5 + 4.0)
    assert CriticalPath(2.9, (400,)).ns(Wires(2.0, 100)) == pytest.approx(2.9 + 20.0)


def test_another_law_of_wires_is_another_clock_of_the_same_netlist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures that come with the package hold the paths, not the clock."""
    row = mapped.written(mapped.figures(chosen(joined=False)))
    before = mapped.read(row)
    assert before == mapped.figures(chosen(joined=False))
    monkeypatch.setattr(mapped.part, "wires", lambda: Wires(9.0, 100))
    assert mapped.read(row).mhz == pytest.approx(1000 / (2.9 + 9.0 * 2**0.5))
    assert mapped.read(row).slices == before.slices
