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
from finalist.isa.build import Plan, build
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.prepare import operations, stores
from finalist.isa.schedule import packets
from finalist.isa.simulate.run import SimulatedProgram
from finalist.language.definition import trace
from finalist.passes import legalise
from finalist.passes.pipeline import lower
from finalist.passes.rounds.roll import rolled
from finalist.schedule import Schedule
from tests.graphs import bytes_for, random_program
from tests.processors.vliw import processor

P, PACK = processor(), packets.pack


def made(program: Program) -> SimulatedProgram:
    """The program on the processor; each basic block is checked before and after it was scheduled."""
    ready = operations.run(stores.run(lower(legalise.run(program, 32), 32, "full")), 32, P.rotated)
    ready = ready.with_graphs(ready.expand, rolled(ready.kernel))

    def checked(code: object, p: object) -> None:
        before = [[replace(ins) for ins in block.body] for block in code.blocks]  # type: ignore[attr-defined]
        PACK(code, p)  # type: ignore[arg-type]
        for body, block in zip(before, code.blocks, strict=True):  # type: ignore[attr-defined]
            assert all(check.same(body, block.body, P, seed) for seed in range(3)), block.label

    with patch("finalist.isa.build.packets.pack", checked):
        text = build(ready, P, Plan("critical", Conventions(reach=1 << 11)))
    result = SimulatedProgram(ready, Schedule(), P, text)
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
def test_ciphers(name: str, operation: str) -> None:
    agrees(trace(cipher(name), operation, 128))


@pytest.mark.parametrize("number", range(12))
def test_random_programs(number: int) -> None:
    agrees(random_program(f"vliw {number}"))


def test_text_goes_there_and_back() -> None:
    text = made(random_program("vliw 1")).text
    words = assemble(text, P).words
    assert assemble(disassemble(words, P), P).words == words
