"""Running the emitted text in the simulator that there is for its language."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.errors import CompilerError, VectorError
from finalist.machines.fpga import tools
from finalist.machines.fpga.simulation import bench
from finalist.machines.fpga.simulation.simulator import LIMIT, simulator


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

    Raises CompilerError where a simulator is missing or fails; VectorError where a block came at
    another clock than the latency says, or had never entered.
    """
    found = simulator(language)
    make = bench.verilog if language == "verilog" else bench.vhdl
    with tools.workplace() as folder:
        file = folder / "stimuli"
        file.write_text("\n".join(stimuli) + "\n", "utf-8")
        around = make(name, block_bits, latency, both=both)
        printed = found.run(text, around, file, folder, LIMIT)
    wrong = [row for row in printed if row.startswith("error")]
    if wrong:
        raise VectorError(f"{name} in simulation: {wrong[0].removeprefix('error: ')} (latency {latency})")
    return [int(row, 16) for row in printed]


def lint(text: str, language: str, name: str) -> None:
    """Raise CompilerError with the first of what the simulator warns of in a design, if it does.

    Also where there is no simulator.
    """
    found = simulator(language)
    with tools.workplace() as folder:
        said = found.warnings(text, name, folder, LIMIT)
    if said:
        raise CompilerError(f"{name} is no clean {language}: {said.splitlines()[0]}")
