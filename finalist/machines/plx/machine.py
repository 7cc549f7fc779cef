"""The machine `plx`: which schedules are legal on it, its defaults, and programs that run in the simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from finalist.errors import ScheduleError
from finalist.ir.graph import every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.isa import prepare
from finalist.isa.build import Plan, build
from finalist.isa.lower import Conventions
from finalist.isa.residence import residents
from finalist.isa.run import SimulatedProgram
from finalist.language.cipher import Cipher
from finalist.language.definition import trace
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import Parameters, parsed
from finalist.passes import legalise, stores
from finalist.passes.chain import chained
from finalist.passes.late import with_late_parts
from finalist.passes.pipeline import default_fuse, lower
from finalist.passes.placed import with_placed_tables
from finalist.passes.roll import rolled
from finalist.passes.sums import with_shared_sums
from finalist.schedule import Schedule


class Plx:
    """A RISC with in-order issue, simulated; `Parameters` say which."""

    summary = "a RISC with in-order issue and parallel table lookup, simulated"
    suffix = ".s"
    variants: tuple[Schedule, ...] = ()

    def __init__(self, parameters: Parameters | None = None) -> None:
        self.parameters = parameters or Parameters()
        self.processor = processor(self.parameters)
        told = str(self.parameters)
        self.name = "plx" + (f":{told}" if told else "")

    def configured(self, parameters: str) -> Plx:
        """The machine with these parameters. Raises UnknownNameError."""
        return Plx(parsed(parameters))

    def compile(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> SimulatedProgram:
        """The program under the schedule; what that leaves open is chosen here."""
        traced = trace(cipher, operation, key_bits)
        width = 64 if self.parameters.word == 64 else 32
        fuse = schedule.fuse if schedule.fuse is not None else default_fuse(traced)
        program = legalise.run(traced, width)
        program = lower(program, 32 if fuse is None else fuse, schedule.keying or "full")
        blocks = schedule.blocks or (4 if program.stateful else 1)
        program = stores.run(chained(program, blocks))
        program = prepare.run(program, width)
        kernel = with_shared_sums(with_late_parts(program.kernel))
        if self.processor.tables:
            kernel = with_placed_tables(kernel, self.processor.tables, self.processor.width)
        if schedule.rounds != "unroll":
            kernel = rolled(kernel, schedule.rounds if isinstance(schedule.rounds, int) else None)
        program = program.with_graphs(program.expand, kernel)
        plan = Plan(on_chip=residents(program, self.processor) if self.processor.tables else {})
        text = build(program, self.processor, plan)
        return SimulatedProgram(program, schedule, self.processor, text, blocks)

    def describe(self) -> Mapping[str, str]:
        """The processor's parameters."""
        return {"processor": str(self.parameters) or "1/1, 32 bits"}


MACHINE = Plx()
