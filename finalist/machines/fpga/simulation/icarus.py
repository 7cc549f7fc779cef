"""Icarus Verilog."""

from __future__ import annotations

from pathlib import Path

from finalist.machines.fpga import tools

NAME, LANGUAGE = "Icarus Verilog", "verilog"
INSTALL = "apt install iverilog"


def find() -> tuple[str, str]:
    """Its compiler and what runs its code. Raises CompilerError."""
    return tools.find("iverilog", INSTALL), tools.find("vvp", INSTALL)


def version() -> str:
    """Its own first line about itself. Raises CompilerError."""
    return tools.run([find()[0], "-V"], seconds=60).splitlines()[0]


def run(text: str, bench: str, stimuli: Path, folder: Path, seconds: float) -> list[str]:
    """What the bench prints. Raises CompilerError."""
    compiler, runner = find()
    (folder / "design.v").write_text(text, "utf-8")
    (folder / "bench.v").write_text(bench, "utf-8")
    command = [compiler, "-g2005", "-s", "bench", "-o", "bench.vvp", "design.v", "bench.v"]
    tools.run(command, seconds=seconds, folder=folder)
    told = tools.run([runner, "-n", "bench.vvp", f"+stimuli={stimuli}"], seconds=seconds, folder=folder)
    return told.split("\n")[:-1]


def warnings(text: str, name: str, folder: Path, seconds: float) -> str:
    """What it warns of. Raises CompilerError."""
    (folder / "design.v").write_text(text, "utf-8")
    command = [find()[0], "-g2005", "-Wall", "-t", "null", "-s", name, "design.v"]
    return tools.run(command, seconds=seconds, folder=folder, warnings=True)
