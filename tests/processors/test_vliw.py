"""Programs on the small VLIW processor: through generator, assembler, checker and simulator."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.execute import interpret
from finalist.ir.program import Program
from finalist.isa import check
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import disassemble
from finalist.isa.code import Code
from finalist.isa.pipeline import Writing, compiled
from finalist.isa.schedule import packets
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.target.processor import Processor
from finalist.machines.tracing import traced
from finalist.schedule import Schedule
from tests.graphs import bytes_for, random_program
from tests.processors.vliw import processor

P, PACK = processor(), packets.pack


def made(program: Program) -> SimulatedProgram:
    """The program on the processor; each basic block is checked before and after it was scheduled."""

    def checked(code: Code, p: Processor) -> None:
        before = [[replace(ins) for ins in block.body] for block in code.blocks]
        PACK(code, p)
        for body, block in zip(before, code.blocks, strict=True):
            assert all(check.same(body, block.body, P, seed) for seed in range(3)), block.label

    with patch("finalist.isa.build.packets.pack", checked):
        result = compiled("vliw", P, program, Schedule(rounds="loop"), Writing("critical"))
    simulator = result.simulator
    assert check.rules(simulator.code, list(simulator.entries.values()), P) == []
    return result


def agrees(program: Program) -> None:
    keys, data = bytes_for(program, 3)
    result, expected = made(program), interpret(program, keys, data)
    for key, row, wanted in zip(keys, data, expected, strict=True):
        assert result.run(key.tobytes(), row.tobytes()).output == wanted.tobytes()


@pytest.mark.parametrize("name", ["rijndael", "rc6"])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.every(4)
def test_ciphers(name: str, operation: str) -> None:
    agrees(traced(cipher(name), operation, 128))


@pytest.mark.parametrize("number", range(12))
def test_random_programs(number: int) -> None:
    agrees(random_program(f"vliw {number}"))


def test_text_goes_there_and_back() -> None:
    text = made(random_program("vliw 1")).text
    words = assemble(text, P).words
    assert assemble(disassemble(words, P), P).words == words
