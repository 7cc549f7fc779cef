"""Slices and clock of a netlist on the Virtex, by the part's model; and the check that the netlist is right.

The model: a slice holds two tables of logic, two flip-flops, and two bits of a carry chain; a flip-flop that
follows a table sits beside it, one that does not takes half a slice. A path is the sum of the cells' arcs,
and of a wire wherever it leaves a slice.
"""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from finalist.errors import VectorError
from finalist.ir.execute import interpret
from finalist.machines.fpga import part
from finalist.machines.fpga.mapping import yosys
from finalist.machines.fpga.mapping.cells import Bit, Gate
from finalist.machines.fpga.mapping.netlist import Netlist, Simulation
from finalist.machines.fpga.simulation.run import Hardware

#: Blocks that a netlist must reproduce before a figure of it is shown.
BLOCKS = 64
#: Figures of netlists that have done so, by `identity` of their designs: what comes with the package.
STORED = files("finalist.machines.fpga.mapping") / "netlists.json"


@dataclass(frozen=True, slots=True)
class Figures:
    """Of a mapped design: ``slices`` and ``mhz`` by the part's model, the rest counted."""

    luts: int
    flip_flops: int
    slices: int
    mhz: float


def figures(netlist: Netlist) -> Figures:
    """Slices and clock of a netlist."""
    return Figures(netlist.luts, len(netlist.flip_flops), slices(netlist), 1000 / period(netlist))


def slices(netlist: Netlist) -> int:
    """ceil((tables + carry bits without one) / 2) + half of the flip-flops that stand alone."""
    driver = {gate.output: gate for gate in netlist.gates}
    bare = sum(
        1 for gate in netlist.gates if gate.kind == "MUXCY" and not _is_table(driver.get(gate.pins["S"]))
    )
    loose = sum(1 for gate in netlist.flip_flops if not _packs(driver.get(gate.pins["D"])))
    return ceil((netlist.luts + bare) / 2) + loose // 2


def _is_table(gate: Gate | None) -> bool:
    return gate is not None and gate.kind.startswith("LUT")


def _packs(gate: Gate | None) -> bool:
    return gate is not None and (_is_table(gate) or gate.kind in ("MUXF5", "MUXF6", "XORCY"))


_LOCAL = {
    "MUXF5": ("LUT", ("I0", "I1")),
    "MUXF6": ("MUXF5", ("I0", "I1")),
    "XORCY": ("LUT", ("LI",)),
}


class _Timing:
    def __init__(self, netlist: Netlist) -> None:
        self.netlist, self.part = netlist, part.virtex().filled(slices(netlist))
        self.driver: dict[Bit, Gate] = {gate.output: gate for gate in netlist.gates}
        self.fanout: Counter[Bit] = Counter()
        self.beside: dict[Bit, str] = {}
        for gate in netlist.flip_flops:
            if _packs(self.driver.get(gate.pins["D"])):
                self.beside.setdefault(gate.pins["D"], gate.name)
        for gate in (*netlist.gates, *netlist.flip_flops):
            for pin, bit in gate.inputs:
                self.fanout[bit] += not self.is_local(gate, pin, bit)
        self.fanout.update(bit for port in netlist.rams for bit in port.inputs)
        start = self.part.arcs["RAM.C->Q"]
        self.arrival: dict[Bit, float] = {bit: start for port in netlist.rams for bit in port.outputs}

    def is_local(self, gate: Gate, pin: str, bit: Bit) -> bool:
        """Whether a connection stays in a slice (or, to the wider multiplexer, beside it)."""
        source = self.driver.get(bit)
        if source is None:
            return False
        if gate.kind == "FDRE":
            return pin == "D" and self.beside.get(bit) == gate.name
        if source.kind == "MUXCY":
            return pin == "CI"
        if gate.kind == "MUXCY":
            return pin == "S" and _is_table(source)
        kind, pins = _LOCAL.get(gate.kind, ("", ()))
        return pin in pins and source.kind.startswith(kind)

    def way(self, gate: Gate, pin: str, bit: Bit) -> float:
        """When a pin has its value."""
        start = self.arrival.get(bit, self.part.arcs["FF.C->Q"])
        return start if self.is_local(gate, pin, bit) else start + self.part.wire(self.fanout[bit])

    def arc(self, gate: Gate, pin: str) -> float:
        """ns from a pin to the output."""
        if gate.kind == "INV":
            return self.part.arcs["INV"]
        kind = "LUT" if _is_table(gate) else gate.kind
        name = "I" if kind == "LUT" or (kind.startswith("MUXF") and pin != "S") else pin
        return self.part.arcs[f"{kind}.{name}->O"]

    def at_rams(self) -> list[float]:
        """When the addresses of block RAMs are there, and they ready for the clock."""
        arcs, wires = self.part.arcs, {bit for port in self.netlist.rams for bit in port.inputs}
        start = arcs["FF.C->Q"]
        return [
            self.arrival.get(bit, start) + self.part.wire(self.fanout[bit]) + arcs["setup_RAM"]
            for bit in wires
            if _is_wire(bit)
        ]

    def setup(self, gate: Gate, pin: str, bit: Bit) -> float:
        """ns that a flip-flop needs its pin before the clock."""
        if pin in ("CE", "R"):
            return self.part.arcs[f"setup_{pin}"]
        if not self.is_local(gate, pin, bit):
            return self.part.arcs["setup_through_BX_BY"]
        kind = self.driver[bit].kind
        after = "LUT" if kind.startswith("LUT") else "XORCY" if kind == "XORCY" else "F5_F6"
        return self.part.arcs[f"setup_after_local_{after}"]


def period(netlist: Netlist) -> float:
    """ns of the longest path from register to register; ports count as registers, constants as ready.

    A block RAM is a register that takes the address.
    """
    timing = _Timing(netlist)
    for gate in netlist.gates:
        ways = [
            timing.way(gate, pin, bit) + timing.arc(gate, pin) for pin, bit in gate.inputs if _is_wire(bit)
        ]
        timing.arrival[gate.output] = max(ways, default=0.0)
    ends = [
        timing.way(gate, pin, bit) + timing.setup(gate, pin, bit)
        for gate in netlist.flip_flops
        for pin, bit in gate.inputs
        if _is_wire(bit)
    ]
    return max([*ends, *timing.at_rams()])


def _is_wire(bit: Bit) -> bool:
    return isinstance(bit, int)


@cache
def stored() -> Mapping[str, Figures]:
    """Figures of netlists that were mapped and checked before; another text or part is another design."""
    rows: list[dict[str, Any]] = json.loads(STORED.read_text("utf-8"))
    names = ("luts", "flip_flops", "slices", "mhz")
    return {row["design"]: Figures(**{name: row[name] for name in names}) for row in rows}


def kept(hardware: Hardware, folder: Path) -> Figures | None:
    """The figures of this design's netlist: of one in ``folder`` that has been checked, else stored ones."""
    return _kept(hardware, folder) or stored().get(identity(hardware))


def _kept(hardware: Hardware, folder: Path) -> Figures | None:
    path = _path(hardware, folder)
    if path.exists():
        return Figures(**json.loads(path.read_text("utf-8")))
    netlist = yosys.path_of(hardware.text, hardware.name, yosys.synthesis(yosys.VIRTEX, hardware), folder)
    if not (netlist.exists() and _mark(netlist).exists()):
        return None
    return _measured(hardware, Netlist(yosys.module(netlist, hardware.name)), folder)


def of(hardware: Hardware, folder: Path) -> Figures:
    """Map a design, check the netlist, measure it; netlist and figures are kept in ``folder``.

    Stored figures are not asked: what they say can be seen again.
    """
    yosys.only_verilog(hardware)
    found = _kept(hardware, folder)
    if found is None:
        path = yosys.kept(hardware.text, hardware.name, yosys.synthesis(yosys.VIRTEX, hardware), folder)
        netlist = Netlist(yosys.module(path, hardware.name))
        check_once(hardware, netlist, path)
        found = _measured(hardware, netlist, folder)
    return found


def _measured(hardware: Hardware, netlist: Netlist, folder: Path) -> Figures:
    """The figures, kept under a hash of design and part: another law of wires is another figure."""
    found, path = figures(netlist), _path(hardware, folder)
    half = path.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(asdict(found)), "utf-8")
    half.replace(path)
    return found


def identity(hardware: Hardware) -> str:
    """A design's name, and a digest of its text and of the part's model."""
    return f"{hardware.name}-{yosys.digest(hardware.text + repr(part.virtex()))}"


def _path(hardware: Hardware, folder: Path) -> Path:
    return folder / f"{identity(hardware)}.figures.json"


def _mark(netlist: Path) -> Path:
    """The file that says that a netlist has been checked."""
    return netlist.with_suffix(".checked")


#: Runs blocks through a netlist under a key.
Crypt = Callable[[Hardware, Netlist, bytes, list[bytes]], list[int]]


def check(hardware: Hardware, netlist: Netlist, through: Crypt | None = None) -> int:
    """Run 64 random blocks under a random key through the netlist; returns how many. Of a design for both
    directions every other block is decrypted.

    ``through``: how, where not by the design's own ports. They are held to the interpreter. Raises
    VectorError where one differs, or comes late.
    """
    key = secrets.token_bytes(hardware.key_bits // 8)
    blocks = [secrets.token_bytes(hardware.block_bytes) for _ in range(BLOCKS)]
    data = np.frombuffer(b"".join(blocks), np.uint8).reshape(BLOCKS, -1)
    rows = [interpret(p, np.frombuffer(key, np.uint8).reshape(1, -1), data) for p in hardware.programs]
    found = (through or crypt)(hardware, netlist, key, blocks)
    wanted = (int.from_bytes(rows[k % len(rows)][k].tobytes(), "big") for k in range(BLOCKS))
    right = sum(word == got for word, got in zip(wanted, found, strict=True))
    if right < BLOCKS:
        raise VectorError(f"{hardware.name}: the mapped netlist gives {right} of {BLOCKS} blocks right")
    return right


def check_once(hardware: Hardware, netlist: Netlist, path: Path, through: Crypt | None = None) -> None:
    """`check`, unless the netlist in this file has passed before."""
    if not _mark(path).exists():
        check(hardware, netlist, through)
        _mark(path).touch()


def directions(blocks: list[bytes]) -> list[int]:
    """For each lane whether a design for both directions decrypts there: in every other one."""
    return [lane & 1 for lane in range(len(blocks))]


def crypt(hardware: Hardware, netlist: Netlist, key: bytes, blocks: list[bytes]) -> list[int]:
    """Blocks through the netlist, one a lane, all at the same clock; see `directions`."""
    simulation = Simulation(netlist, len(blocks))
    if hardware.design.both:
        simulation.set("decrypt", directions(blocks))
    for port in ("reset", "start", "key_load"):
        simulation.set(port, [0])
    simulation.set("key_load", [1])
    for word in hardware.key_stream(key):
        simulation.set("key_word", [word])
        simulation.clock()
    simulation.set("key_load", [0])
    for _ in range(hardware.design.key_cycles):
        simulation.clock()
    simulation.set("start", [1])
    simulation.set("block_in", [int.from_bytes(block, "big") for block in blocks])
    simulation.clock()
    simulation.set("start", [0])
    simulation.set("block_in", [0])
    for _ in range(hardware.design.latency):
        simulation.clock()
    if simulation.get("valid", 1) != [1]:
        raise VectorError(
            f"{hardware.name}: the mapped netlist has no result after {hardware.design.latency} cycles"
        )
    return simulation.get("block_out", len(blocks))
