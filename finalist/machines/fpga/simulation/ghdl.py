"""GHDL."""

from __future__ import annotations

from pathlib import Path

from finalist.machines.fpga import tools

NAME, LANGUAGE = "GHDL", "vhdl"
INSTALL = "apt install ghdl-mcode"
_STANDARD = "--std=08"


def find() -> str:
    """Its program. Raises CompilerError."""
    return tools.find("ghdl", INSTALL)


def version() -> str:
    """Its own first line about itself. Raises CompilerError."""
    return tools.run([find(), "--version"], seconds=60).splitlines()[0]


def run(text: str, bench: str, stimuli: Path, folder: Path, seconds: float) -> list[str]:
    """What the bench prints. Raises CompilerError."""
    program = find()
    (folder / "design.vhd").write_text(text, "utf-8")
    (folder / "bench.vhd").write_text(bench, "utf-8")
    for step in (["-a", _STANDARD, "design.vhd"], ["-a", _STANDARD, "bench.vhd"], ["-e", _STANDARD, "bench"]):
        tools.run([program, *step], seconds=seconds, folder=folder)
    command = [program, "-r", _STANDARD, "bench", "--ieee-asserts=disable-at-0", f"-gstimuli={stimuli}"]
    return tools.run(command, seconds=seconds, folder=folder).split("\n")[:-1]


def warnings(text: str, name: str, folder: Path, seconds: float) -> str:
    """What it warns of. Raises CompilerError."""
    (folder / "design.vhd").write_text(text, "utf-8")
    command = [find(), "-a", _STANDARD, "--warn-error", "-Wunused", "-Wreserved", "design.vhd"]
    return tools.run(command, seconds=seconds, folder=folder, warnings=True)
