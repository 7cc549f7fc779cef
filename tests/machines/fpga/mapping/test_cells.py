"""Cells of other parts in terms of the Virtex's: the same functions of their pins."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from finalist.errors import CompilerError
from finalist.machines.fpga.mapping.cells import gates
from finalist.machines.fpga.mapping.netlist import Netlist, Simulation


def outputs(kind: str, parameters: dict[str, Any], inputs: list[str], results: list[str]) -> list[list[int]]:
    """For each combination of the inputs, the first one fastest, the results' values."""
    names = [*inputs, *results]
    pins = {name: [number + 2] for number, name in enumerate(names)}
    module = {
        "ports": {name: {"direction": "input", "bits": bits} for name, bits in pins.items()},
        "cells": {"cell": {"type": kind, "parameters": parameters, "connections": pins}},
    }
    points = [point[::-1] for point in itertools.product((0, 1), repeat=len(inputs))]
    simulation = Simulation(Netlist(module), lanes=len(points))
    for place, name in enumerate(inputs):
        simulation.set(name, [point[place] for point in points])
    simulation.clock()
    values = [simulation.get(name, len(points)) for name in results]
    return [[*row] for row in zip(*values, strict=True)]


def test_multiplexers_and_majority() -> None:
    points = [point[::-1] for point in itertools.product((0, 1), repeat=3)]
    assert outputs("PFUMX", {}, ["ALUT", "BLUT", "C0"], ["Z"]) == [[a if c else b] for a, b, c in points]
    assert outputs("L6MUX21", {}, ["D0", "D1", "SD"], ["Z"]) == [[b if s else a] for a, b, s in points]
    assert outputs("SB_CARRY", {}, ["I0", "I1", "CI"], ["CO"]) == [[int(sum(p) > 1)] for p in points]


@pytest.mark.parametrize("injected", ["NO", "YES"])
def test_two_bits_of_a_carry_chain(injected: str) -> None:
    """By the meaning that Yosys gives of the cell: a table, and a carry that its low quarter generates."""
    init = {"INIT0": f"{0x96AA:016b}", "INIT1": f"{0x3CE1:016b}"}
    parameters = {**init, "INJECT1_0": injected, "INJECT1_1": injected}
    inputs = ["A0", "B0", "A1", "B1", "CIN"]
    found = outputs("CCU2C", {**parameters}, inputs, ["S0", "S1", "COUT"])
    for number, (a0, b0, a1, b1, carry) in enumerate(p[::-1] for p in itertools.product((0, 1), repeat=5)):
        wanted = []
        for a, b, name in ((a0, b0, "INIT0"), (a1, b1, "INIT1")):
            table = int(init[name], 2)
            chosen = table >> (a + 2 * b) & 1  # C and D are open, so that both are 0
            generated = 0 if injected == "YES" else chosen
            wanted.append(chosen ^ (0 if injected == "YES" else carry))
            carry = carry if chosen else generated
        assert found[number] == [*wanted, carry]


@pytest.mark.parametrize(
    ("kind", "pins", "wanted"),
    [
        ("SB_DFFESR", ["E", "R", "D"], lambda e, r, d: e & d & ~r),
        ("SB_DFFESS", ["E", "S", "D"], lambda e, s, d: e & (d | s)),
        ("SB_DFFSR", ["R", "D"], lambda r, d: d & ~r),
        ("SB_DFFSS", ["S", "D"], lambda s, d: d | s),
        ("SB_DFFE", ["E", "D"], lambda e, d: e & d),
        ("FDSE", ["CE", "S", "D"], lambda e, s, d: e & d | s),
    ],
)
def test_flip_flops(kind: str, pins: list[str], wanted: Any) -> None:
    """From 0, after one clock."""
    points = [point[::-1] for point in itertools.product((0, 1), repeat=len(pins))]
    assert outputs(kind, {}, [*pins, "C"], ["Q"])[: len(points)] == [[wanted(*p)] for p in points]


SETTING = {"CEMUX": "CE", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET", "SRMODE": "LSR_OVER_CE"}


def test_the_flip_flop_of_the_ecp5() -> None:
    """Reset, or set, goes before its enable; without CEMUX=CE it always follows."""
    points = [point[::-1] for point in itertools.product((0, 1), repeat=3)]
    found = outputs("TRELLIS_FF", SETTING, ["CE", "LSR", "DI", "CLK"], ["Q"])[:8]
    assert found == [[d & e & ~r] for e, r, d in points]
    found = outputs("TRELLIS_FF", {**SETTING, "REGSET": "SET"}, ["CE", "LSR", "DI", "CLK"], ["Q"])[:8]
    assert found == [[d & e | s] for e, s, d in points]
    found = outputs("TRELLIS_FF", {**SETTING, "CEMUX": "1 "}, ["LSR", "DI", "CLK"], ["Q"])[:4]
    assert found == [[d & ~r] for r, d in itertools.product((0, 1), repeat=2) for r, d in [(d, r)]]


@pytest.mark.parametrize("change", [{"SRMODE": "ASYNC"}, {"CLKMUX": "INV"}])
def test_settings_that_are_not_known_are_refused(change: dict[str, str]) -> None:
    pins = {"CLK": [2], "DI": [3], "LSR": [4], "CE": [5], "Q": [6]}
    with pytest.raises(CompilerError, match="in a setting that is not known here"):
        gates("f", {"type": "TRELLIS_FF", "parameters": {**SETTING, **change}, "connections": pins})
