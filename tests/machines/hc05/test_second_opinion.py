"""Programs of the card through SDCC's assembler and uCsim's simulator: bytes, cycles, results."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist import api
from finalist.isa.simulate.run import SimulatedProgram
from finalist.machines.hc05.model import CODE
from tests.machines.hc05.second_opinion import assembled, needed, simulated, source

#: A program is built for a minute or two where the computer is busy.
pytestmark = pytest.mark.timeout(900)

#: Small and written out, with subroutines and idioms, with a product.
SOME = [
    ("rijndael", {"rounds": 1}),
    ("rijndael", {"optimise": "size", "map_tables": 0, "subkeys": "computed"}),
    pytest.param("twofish", {"rounds": 1, "map_tables": 0}, marks=pytest.mark.check),
    pytest.param("rc6", {"rounds": 1}, marks=pytest.mark.check),
]


def compiled(name: str, choices: dict[str, str | int]) -> SimulatedProgram:
    program = api.compile(name, "hc05", "encrypt", **choices)  # type: ignore[arg-type]
    assert isinstance(program, SimulatedProgram)
    return program


@pytest.mark.parametrize(("name", "choices"), SOME)
def test_bytes_and_cycles(name: str, choices: dict[str, str | int], tmp_path: Path) -> None:
    """Of a product, the assembler says no cycles."""
    needed()
    program = compiled(name, choices)
    theirs = assembled(source(program), tmp_path)
    ours = {
        CODE + at: (bytes(program.image.words[at : at + one.length]), one.instruction.cycles)
        for at, one in program.simulator.code.items()
    }
    assert {at: bytes_ for at, (bytes_, _) in theirs.items()} == {
        at: bytes_ for at, (bytes_, _) in ours.items()
    }
    assert all(cycles is None or cycles == ours[at][1] for at, (_, cycles) in theirs.items())
    silent = {
        program.simulator.code[at - CODE].instruction.name for at, (_, c) in theirs.items() if c is None
    }
    assert silent <= {"mul"}


@pytest.mark.parametrize(("name", "choices"), SOME)
@pytest.mark.parametrize("seed", [1, 2])
def test_whole_encryptions(name: str, choices: dict[str, str | int], seed: int, tmp_path: Path) -> None:
    needed()
    program = compiled(name, choices)
    key = bytes(seed * k * k % 256 for k in range(program.key_bits // 8))
    block = bytes((seed + 37 * k) % 256 for k in range(program.block_bytes))
    assert simulated(program, key, block, tmp_path) == program.run(key, block).output
