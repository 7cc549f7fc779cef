"""Placing and routing designs on parts that one can buy, with nextpnr; the clock is what it reports.

What is placed is a netlist that has reproduced 64 blocks. A seed's result is kept once it is made.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from finalist.errors import CompilerError, ScheduleError, UnknownNameError, VectorError
from finalist.machines.base import Placed
from finalist.machines.fpga import tools
from finalist.machines.fpga.boards import board
from finalist.machines.fpga.mapping import mapped, yosys
from finalist.machines.fpga.mapping.netlist import Netlist, Simulation
from finalist.machines.fpga.model.estimate import luts
from finalist.machines.fpga.simulation.run import Hardware

#: Seconds that placing and routing with one seed may take.
LIMIT = 3 * 3600
#: The estimate of tables is of a Virtex; these parts' tools make from 0.8 times as many of it to 2.6.
_FAR = 1.5
_HINT = "install the extra `finalist[fpga]` (pip install yowasp-{0}), or {0} itself"


@dataclass(frozen=True, slots=True)
class Target:
    """``synthesis``: Yosys's command; ``place``: nextpnr's program, with ``options``; ``narrow``: whether the
    part lacks pins for a block, so that the design stands behind a `shell`; ``luts``: what nextpnr counts;
    ``room``: how many of those there are, each with a flip-flop."""

    part: str
    synthesis: str
    place: str
    options: tuple[str, ...]
    narrow: bool
    luts: str
    room: int


#: Parts that there are files for.
PARTS = ("ecp5-85", "ice40-hx8k", "ice40-up5k")


@cache
def target(name: str) -> Target:
    """A part by name. Raises UnknownNameError."""
    if name not in PARTS:
        raise UnknownNameError(f"part {name!r}; accepted: {', '.join(PARTS)}")
    text = (files("finalist.machines.fpga") / "parts" / f"{name}.json").read_text("utf-8")
    found = json.loads(text)
    return Target(
        found["part"],
        found["synthesis"],
        found["place"],
        tuple(found["options"]),
        found["narrow"],
        found["luts"],
        found["room"],
    )


def check_tools(part: str) -> None:
    """Raise CompilerError where a tool for a part is missing; UnknownNameError for a part."""
    goal = target(part)
    yosys.program()
    _placer(goal)


def _placer(goal: Target) -> str:
    return tools.find_any((f"yowasp-{goal.place}", goal.place), _HINT.format(goal.place))


def refuse_large(hardware: Hardware, goal: Target) -> None:
    """Raise ScheduleError for a design that the part has no room for by far, which tools find in hours."""
    design = hardware.design
    bits, tables = design.register_bits + design.keys, luts(design)
    if bits > goal.room or tables > _FAR * goal.room:
        raise ScheduleError(
            f"{hardware.name} does not fit {goal.part}: it has {goal.room} tables of logic with a flip-flop"
            f" each; the design has {bits} bits in registers, and by estimate takes {tables:.0f} tables"
        )


def place(hardware: Hardware, part: str, seed: int, folder: Path, *, seconds: float = LIMIT) -> Placed:
    """One seed's result; kept in ``folder``.

    Raises ScheduleError where the design does not fit, also for VHDL; CompilerError where a tool is missing,
    fails or runs past the limit; VectorError where the netlist is wrong.
    """
    goal = target(part)
    yosys.only_verilog(hardware)
    refuse_large(hardware, goal)
    text, name = _module(hardware, goal)
    path = folder / f"{name}-{part}-{seed}-{yosys.digest(text + repr(goal))}.placed.json"
    if not path.exists():
        kept = yosys.kept(text, name, yosys.synthesis(goal.synthesis, hardware), folder)
        netlist = Netlist(yosys.module(kept, name))
        mapped.check_once(hardware, netlist, kept, through_bytes if goal.narrow else mapped.crypt)
        found = _run(goal, kept, name, seed, seconds, len(netlist.flip_flops))
        half = path.with_suffix(f".{os.getpid()}")
        half.write_text(json.dumps(asdict(found)), "utf-8")
        half.replace(path)
    return Placed(**json.loads(path.read_text("utf-8")))


def _module(hardware: Hardware, goal: Target) -> tuple[str, str]:
    """The text that is placed, and its top module."""
    if not goal.narrow:
        return hardware.text, hardware.name
    around = board.verilog(hardware.name, hardware.block_bytes * 8, both=hardware.design.both)
    return hardware.text + around, board.top_name(hardware.name)


def through_bytes(hardware: Hardware, netlist: Netlist, key: bytes, blocks: list[bytes]) -> list[int]:
    """Blocks through the netlist of a design in its `shell`, one a lane, all at the same clock."""
    simulation = Simulation(netlist, len(blocks))
    for port in (*board.INPUTS, "data_in"):
        if port != "clk":
            simulation.set(port, [0])
    if hardware.design.both:
        simulation.set("decrypt", mapped.directions(blocks))
    _write(simulation, "write_key", [[byte] for byte in board.key_bytes(hardware.key_stream(key))])
    _write(simulation, "write_block", [list(column) for column in zip(*blocks, strict=True)])
    for _ in range(hardware.design.key_cycles + hardware.design.latency + 4):
        simulation.clock()
    if simulation.get("available", 1) != [1]:
        raise VectorError(f"{hardware.name}: the netlist behind eight wires has no result")
    simulation.set("read", [1])
    found = [0] * len(blocks)
    for _ in range(hardware.block_bytes):
        found = [a << 8 | b for a, b in zip(found, simulation.get("data_out", len(blocks)), strict=True)]
        simulation.clock()
    return found


def _write(simulation: Simulation, port: str, columns: list[list[int]]) -> None:
    simulation.set(port, [1])
    for column in columns:
        simulation.set("data_in", column)
        simulation.clock()
    simulation.set(port, [0])
    simulation.clock()


def _run(goal: Target, netlist: Path, name: str, seed: int, seconds: float, flip_flops: int) -> Placed:
    program = _placer(goal)
    with tools.workplace() as folder:
        (folder / "design.json").write_bytes(netlist.read_bytes())
        command = [program, "-q", *goal.options, "--json", "design.json", "--top", name]
        command += ["--report", "report.json", "--seed", str(seed), "--timing-allow-fail"]
        try:
            tools.run(command, seconds=seconds, folder=folder)
        except CompilerError as error:
            raise _refused(goal, name, error) from error
        try:
            report = json.loads((folder / "report.json").read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise CompilerError(f"{goal.place} left no report that can be read: {error}") from error
        clocks = [clock["achieved"] for clock in report["fmax"].values()]
        if not clocks:
            raise CompilerError(f"{goal.place} reports no clock")
        return Placed(seed, min(clocks), report["utilization"][goal.luts]["used"], flip_flops)


_NO_ROOM = (
    "no bels remaining",
    "unable to place cell",
    "unable to find legal placement",
    "no more available",
    "failed to expand region",
)


def _refused(goal: Target, name: str, error: CompilerError) -> Exception:
    """What nextpnr's own words mean, where they are that there is no room."""
    for line in str(error).splitlines():
        if any(words in line.lower() for words in _NO_ROOM):
            return ScheduleError(f"{name} does not fit {goal.part}: {line}")
    return error
