"""Programs that tests of proofs share."""

from __future__ import annotations

from functools import cache

from finalist.ciphers.catalogue import cipher
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram
from finalist.machines.registry import machine
from finalist.machines.tracing import traced
from finalist.schedule import Schedule


@cache
def made(kind: str, name: str, operation: str = "encrypt") -> tuple[Program, SimulatedProgram]:
    program = traced(cipher(name), operation, cipher(name).usual_key_bits())
    found = machine(kind).program(program, Schedule())
    assert isinstance(found, SimulatedProgram)
    return program, found
