"""Slices and clock of a netlist on the Virtex by the part's model, and the check that it is right."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from finalist.errors import VectorError
from finalist.ir.execute import interpret
from finalist.machines.fpga import part
from finalist.machines.fpga.mapping import yosys
from finalist.machines.fpga.mapping.netlist import Netlist, Simulation
from finalist.machines.fpga.mapping.timing import CriticalPath, Timing, slices
from finalist.machines.fpga.part import Wires
from finalist.machines.fpga.simulation.run import Hardware

#: Blocks that a netlist must reproduce before a figure of it is shown.
BLOCKS = 64
#: Laws of wires, from short ones to long ones, whose longest paths are kept.
LAWS = tuple(Wires(per_span, part.virtex().most) for per_span in (0.4, 0.8, 1.2, 1.6, 2.4))
#: Figures of netlists that have done so, by `identity` of their designs: what comes with the package.
STORED = files("finalist.machines.fpga.mapping") / "netlists.json"


@dataclass(frozen=True, slots=True)
class Figures:
    """Of a mapped design: ``slices`` and ``mhz`` by the part's model, the rest counted; ``paths``: the
    longest by that model's law of wires, and by others, so that another law needs no other mapping. Of
    netlists whose paths were not kept the clock is not known."""

    luts: int
    flip_flops: int
    slices: int
    mhz: float | None
    paths: tuple[CriticalPath, ...] = ()


def figures(netlist: Netlist) -> Figures:
    """Slices and clock of a netlist, and its longest paths."""
    timing = Timing(netlist)
    paths = tuple(dict.fromkeys(timing.longest(law) for law in (part.wires(), *LAWS)))
    return Figures(netlist.luts, len(netlist.flip_flops), slices(netlist), clock(paths), paths)


def period(netlist: Netlist) -> float:
    """ns of the longest path from register to register."""
    return Timing(netlist).longest(part.wires()).ns(part.wires())


def clock(paths: Sequence[CriticalPath]) -> float | None:
    """MHz, by the part's law of wires; None without any."""
    return 1000 / max(path.ns(part.wires()) for path in paths) if paths else None


@cache
def stored() -> Mapping[str, Figures]:
    """Figures of netlists that were mapped and checked before; another text or part is another design."""
    rows: list[dict[str, Any]] = json.loads(STORED.read_text("utf-8"))
    return {row["design"]: read(row) for row in rows}


def read(row: Mapping[str, Any]) -> Figures:
    """Figures as `written` gives them; the clock is by the law of wires of today."""
    paths = tuple(CriticalPath(cells, tuple(places)) for cells, *places in row.get("paths", ()))
    return Figures(row["luts"], row["flip_flops"], row["slices"], clock(paths), paths)


def written(found: Figures) -> dict[str, Any]:
    """As JSON has it: of a path the ns of its cells, and the places of each wire."""
    counts = {name: getattr(found, name) for name in ("luts", "flip_flops", "slices")}
    return {**counts, "paths": [[path.cells, *path.places] for path in found.paths]}


def kept(hardware: Hardware, folder: Path) -> Figures | None:
    """The figures of this design's netlist: of one in ``folder`` that has been checked, else stored ones."""
    return _kept(hardware, folder) or stored().get(identity(hardware))


def _kept(hardware: Hardware, folder: Path) -> Figures | None:
    path = _path(hardware, folder)
    if path.exists():
        return read(json.loads(path.read_text("utf-8")))
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
    """The figures, kept under a hash of design, part and law of wires, which the longest path hangs on."""
    found, path = figures(netlist), _path(hardware, folder)
    half = path.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(written(found)), "utf-8")
    half.replace(path)
    return found


def identity(hardware: Hardware) -> str:
    """A design's name, and a digest of its text and of the part's model, but for the netlists' law of
    wires."""
    return f"{hardware.name}-{yosys.digest(hardware.text + repr(part.virtex()))}"


def _path(hardware: Hardware, folder: Path) -> Path:
    return folder / f"{identity(hardware)}-{part.wires().per_span}.figures.json"


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
