"""Running the emitted text: Icarus Verilog for Verilog, GHDL for VHDL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from finalist.errors import CompilerError, VectorError
from finalist.machines.fpga import tools
from finalist.machines.fpga.simulation import bench

#: Seconds that a simulator may take to read a design, and to run it.
LIMIT = 3600
_HINT = "install it (Debian: apt install {}); nothing else is needed"


def simulator(language: str) -> str:
    """The simulator's program. Raises CompilerError where it is missing."""
    if language == "verilog":
        tools.find("vvp", _HINT.format("iverilog"))
        return tools.find("iverilog", _HINT.format("iverilog"))
    return tools.find("ghdl", _HINT.format("ghdl"))


def simulate(
    text: str,
    language: str,
    name: str,
    block_bits: int,
    latency: int,
    stimuli: Sequence[str],
    *,
    both: bool = False,
) -> list[int]:
    """The blocks that leave a design, in order, under these lines (see `bench`); ``both``: it has both
    directions.

    Raises CompilerError where the simulator is missing or fails; VectorError where a block came at
    another clock than the latency says, or had never entered.
    """
    program = simulator(language)
    with tools.workplace() as folder:
        (folder / "stimuli").write_text("\n".join(stimuli) + "\n", "utf-8")
        run = _verilog if language == "verilog" else _vhdl
        make = bench.verilog if language == "verilog" else bench.vhdl
        printed = run(program, folder, text, make(name, block_bits, latency, both=both))
    wrong = [row for row in printed if row.startswith("error")]
    if wrong:
        raise VectorError(f"{name} in simulation: {wrong[0].removeprefix('error: ')} (latency {latency})")
    return [int(row, 16) for row in printed]


def lint(text: str, language: str, name: str) -> None:
    """Raise CompilerError with the first of what the simulator warns of in a design, if it does.

    Also where the simulator is missing.
    """
    program = simulator(language)
    with tools.workplace() as folder:
        if language == "verilog":
            (folder / "design.v").write_text(text, "utf-8")
            command = [program, "-g2005", "-Wall", "-t", "null", "-s", name, "design.v"]
        else:
            (folder / "design.vhd").write_text(text, "utf-8")
            command = [program, "-a", "--std=08", "--warn-error", "-Wunused", "-Wreserved", "design.vhd"]
        said = tools.said(command, seconds=LIMIT, folder=folder)
    if said:
        raise CompilerError(f"{name} is no clean {language}: {said.splitlines()[0]}")


def _verilog(program: str, folder: Path, text: str, around: str) -> list[str]:
    (folder / "design.v").write_text(text, "utf-8")
    (folder / "bench.v").write_text(around, "utf-8")
    compiled = str(folder / "bench.vvp")
    files = [str(folder / "design.v"), str(folder / "bench.v")]
    tools.run([program, "-g2005", "-s", "bench", "-o", compiled, *files], seconds=LIMIT)
    vvp = tools.find("vvp", _HINT.format("iverilog"))
    return tools.run([vvp, "-n", compiled, f"+stimuli={folder / 'stimuli'}"], seconds=LIMIT).split("\n")[:-1]


def _vhdl(program: str, folder: Path, text: str, around: str) -> list[str]:
    (folder / "design.vhd").write_text(text, "utf-8")
    (folder / "bench.vhd").write_text(around, "utf-8")
    for file in ("design.vhd", "bench.vhd"):
        tools.run([program, "-a", "--std=08", file], seconds=LIMIT, folder=folder)
    tools.run([program, "-e", "--std=08", "bench"], seconds=LIMIT, folder=folder)
    options = ["--ieee-asserts=disable-at-0", f"-gstimuli={folder / 'stimuli'}"]
    printed = tools.run([program, "-r", "--std=08", "bench", *options], seconds=LIMIT, folder=folder)
    return printed.split("\n")[:-1]
