"""Mapped netlists as circuits: what each kind of cell does is what the netlist's own execution does."""

from __future__ import annotations

import random
from typing import Any

import pytest

from finalist.machines.fpga.mapping.circuits import of_cells
from finalist.machines.fpga.mapping.netlist import Netlist, Simulation
from finalist.netlist.course import Control, Course
from finalist.netlist.lanes import Lanes, bits_of_lanes, lanes_of

LANES = 64


def cell(kind: str, init: str = "", **pins: int | str) -> dict[str, Any]:
    connections = {pin: [bit] for pin, bit in pins.items()}
    return {"type": kind, "parameters": {"INIT": init} if init else {}, "connections": connections}


def module(draw: random.Random) -> dict[str, Any]:
    """A chain of three bits, a carry of which is read beside it, tables, choices, and registers."""
    x = list(range(3, 13))
    luts = {
        f"l{k}": cell("LUT4", f"{draw.getrandbits(16):016b}", O=20 + k, **_four(draw, x)) for k in range(4)
    }
    chain = {
        f"c{k}": cell("MUXCY", S=20 + k, DI=x[k], CI="1" if k == 0 else 29 + k, O=30 + k) for k in range(3)
    }
    sums = {f"s{k}": cell("XORCY", LI=20 + k, CI="1" if k == 0 else 29 + k, O=40 + k) for k in range(4)}
    rest = {
        "read": cell("LUT2", "0110", I0=31, I1=x[9], O=50),
        "five": cell("MUXF5", I0=40, I1=41, S=x[8], O=51),
        "six": cell("MUXF6", I0=51, I1=50, S=x[7], O=52),
        "not": cell("INV", I=42, O=53),
        "plain": cell("FDRE", C=2, CE=x[0], D=52, R=x[1], Q=60),
        "set": cell("FDSE", C=2, CE=x[2], D=53, S=x[3], Q=61),
    }
    ports = {
        "clk": {"direction": "input", "bits": [2]},
        "x": {"direction": "input", "bits": x},
        "y": {"direction": "output", "bits": [40, 41, 42, 43, 32, 50, 51, 52, 53, 60, 61]},
    }
    return {"ports": ports, "cells": luts | chain | sums | rest}


def _four(draw: random.Random, bits: list[int]) -> dict[str, int]:
    return {f"I{k}": bit for k, bit in enumerate(draw.sample(bits, 4))}


@pytest.mark.parametrize("seed", range(8))
def test_cells(seed: int) -> None:
    """Over four cycles; registers begin with 0 in both."""
    draw = random.Random(seed)
    netlist = Netlist(module(draw))
    found = of_cells("it", netlist)
    inputs = [[draw.getrandbits(10) for _ in range(LANES)] for _ in range(4)]
    given = {("x", cycle): bits_of_lanes(row, 10) for cycle, row in enumerate(inputs)}
    course = Course(Control(found, [{}] * 4), Lanes(LANES), given)
    simulation = Simulation(netlist, LANES)
    for cycle, row in enumerate(inputs):
        simulation.set("x", row)
        assert lanes_of(course.port("y", cycle), LANES) == simulation.get("y", LANES)
        simulation.clock()


def test_a_chain_is_one_sum() -> None:
    """And one more for the carry that is read in its middle."""
    found = of_cells("it", Netlist(module(random.Random(0))))
    assert sorted(len(one.outputs) for one in found.cells if one.kind.name == "SUM") == [3, 4]
