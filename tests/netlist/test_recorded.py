"""Courses as programs: what the course gives, on any data, and a course anew where what was equal is not."""

from __future__ import annotations

import random

import pytest

from finalist.netlist import recorded
from finalist.netlist.circuit import Cell, Circuit, Kind, circuit, table
from finalist.netlist.course import Control, Course
from finalist.netlist.lanes import Lanes
from finalist.netlist.recorded import Recorded

LANES, CYCLES = 8, 3


def at_random(seed: int) -> Circuit:
    """A circuit of x, 4 bits, and two registers; its output is y."""
    draw, wires = random.Random(seed), ["0", "1", "a", "b", *(f"x{k}" for k in range(4))]
    cells = []
    for k in range(20):
        inputs = draw.sample(wires, draw.randrange(1, 6))
        cells.append(table(f"t{k}", draw.getrandbits(1 << len(inputs)), inputs, f"t{k}"))
        choice = 0xCA, draw.sample(wires, 3)
        cells.append(table(f"m{k}", *choice, f"m{k}"))
        wires += [f"t{k}", f"m{k}"]
    words = tuple(wires[-4:-2]), tuple(wires[-2:]), ("0",)
    cells.append(Cell("sum", Kind.SUM, words, ("s0", "s1")))
    cells.append(table("out", 0x6, ("s0", wires[-1]), "out"))
    ports = {"x": tuple(f"x{k}" for k in range(4)), "y": ("s0", "s1", "out", wires[-3])}
    return circuit("toy", ports, frozenset({"x"}), cells, {"a": wires[-2], "b": "out"})


def data(seed: int) -> dict[tuple[str, int], list[int]]:
    draw = random.Random(seed)
    return {("x", cycle): [draw.getrandbits(LANES) for _ in range(4)] for cycle in range(CYCLES)}


@pytest.mark.parametrize("seed", range(10))
def test_a_program_gives_what_the_course_gives(seed: int) -> None:
    control = Control(at_random(seed), [{}] * CYCLES)
    program = Recorded(control, "y", CYCLES - 1, data(0))
    for number in range(4):
        course = Course(control, Lanes(LANES), data(number))
        assert program(Lanes(LANES), data(number)) == course.port("y", CYCLES - 1)


def test_what_was_equal_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two bits that are the same on what was drawn, one of which is taken where a third is 1."""
    pins = tuple(f"x{k}" for k in range(4))
    cells = [table("a", 1 << 15, pins, "a"), table("b", 1 << 7, pins, "b")]
    cells.append(table("mux", 0xCA, ("a", "b", "x0"), "y"))
    found = circuit("toy", {"x": pins, "y": ("y",)}, frozenset({"x"}), cells, {})
    monkeypatch.setattr(recorded, "DRAWN", 1)
    program = Recorded(Control(found, [{}]), "y", 0, {("x", 0): [0] * 4})
    for value in range(16):
        assert program(Lanes(1), {("x", 0): [value >> k & 1 for k in range(4)]}) == [int(value == 7)]
