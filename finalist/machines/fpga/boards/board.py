"""Boards: which pins a design behind eight wires takes, as a file for nextpnr."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from finalist.errors import ScheduleError, UnknownNameError
from finalist.machines.fpga.boards import shell
from finalist.machines.fpga.simulation.run import Hardware

#: Boards that there are files for.
BOARDS = ("icebreaker", "ulx3s")


@dataclass(frozen=True, slots=True)
class Board:
    """``pins``: by port, those of eight wires from the lowest; ``part``: as `place` knows it; ``commands``:
    what makes a bitstream of the files, and loads it."""

    title: str
    part: str
    mhz: float
    pins: dict[str, list[str]]
    commands: tuple[str, ...]


@cache
def board(name: str) -> Board:
    """A board by name. Raises UnknownNameError."""
    if name not in BOARDS:
        raise UnknownNameError(f"board {name!r}; accepted: {', '.join(BOARDS)}")
    text = (files("finalist.machines.fpga") / "parts" / f"{name}.json").read_text("utf-8")
    found = json.loads(text)
    pins = {port: [own] if isinstance(own, str) else own for port, own in found["pins"].items()}
    return Board(found["board"], found["part"], found["mhz"], pins, tuple(found["commands"]))


def texts(hardware: Hardware, name: str) -> dict[str, str]:
    """The files for a board, by name: Verilog, constraints, and how to make a bitstream.

    Raises UnknownNameError; ScheduleError for VHDL. Whether the clock is fast enough for the board, `place`
    says.
    """
    if hardware.language != "verilog":
        raise ScheduleError(f"language={hardware.language}: a board's top level is Verilog")
    goal, module = board(name), shell.top_name(hardware.name)
    write = {"pcf": _pcf, "lpf": _lpf}[_constraints(goal)]
    lines = [line.format(name=hardware.name, top=module) for line in goal.commands]
    both, unused = hardware.design.both, () if hardware.design.both else ("decrypt",)
    around = shell.verilog(hardware.name, hardware.block_bytes * 8, both=both)
    return {
        f"{hardware.name}.v": hardware.text + around,
        f"{hardware.name}.{_constraints(goal)}": "\n".join([f"# {goal.title}", *write(goal, unused), ""]),
        "make.sh": "\n".join(["#!/bin/sh", "set -e", *lines, ""]),
    }


def _constraints(goal: Board) -> str:
    return "pcf" if goal.part.startswith("ice40") else "lpf"


def _sites(goal: Board, unused: Sequence[str]) -> Iterator[tuple[str, str]]:
    for port, pins in goal.pins.items():
        for bit, pin in enumerate(pins if port not in unused else ()):
            yield (port if len(pins) == 1 else f"{port}[{bit}]"), pin


def _pcf(goal: Board, unused: Sequence[str]) -> Iterator[str]:
    for port, pin in _sites(goal, unused):
        yield f"set_io {port} {pin}"
    yield f"set_frequency clk {goal.mhz:g}"


def _lpf(goal: Board, unused: Sequence[str]) -> Iterator[str]:
    for port, pin in _sites(goal, unused):
        yield f'LOCATE COMP "{port}" SITE "{pin}";'
        pull = "DOWN" if port in (*shell.INPUTS, "decrypt") and port != "clk" else "NONE"
        yield f'IOBUF PORT "{port}" PULLMODE={pull} IO_TYPE=LVCMOS33;'
    yield f'FREQUENCY PORT "clk" {goal.mhz:g} MHZ;'
