"""The machine `plx`: programs for the simulator, of a processor that parameters choose."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import product

from finalist.ir.program import Program
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.pipeline import Writing, compiled
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.simulate.simulator import translator
from finalist.language.cipher import Cipher
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import Parameters, parsed
from finalist.machines.plx.ptlu.layouts import Layouts
from finalist.machines.plx.resolve import blocks_fill, check_words, resolved, words_fill
from finalist.machines.plx.words import WORDS
from finalist.machines.tracing import Compiling
from finalist.machines.words import names_of
from finalist.passes.driver import run_once
from finalist.passes.pipeline import SUBKEYS
from finalist.schedule import Schedule, refuse_others


class Plx(Compiling[SimulatedProgram]):
    """A RISC with in-order issue, simulated; `Parameters` say which."""

    summary = "a RISC with in-order issue and parallel table lookup, simulated; parameters after a colon"
    suffix = ".s"
    #: The words of a schedule that it has.
    words = WORDS
    #: What is verified beside the default.
    variants = (
        Schedule(rounds="unroll"),
        Schedule(optimise="on"),
        Schedule(blocks=3),
        Schedule(blocks=4),
        Schedule(key_schedule="loop"),
    )

    def __init__(self, parameters: Parameters | None = None) -> None:
        self.parameters = parameters or Parameters()
        self.processor = processor(self.parameters)
        told = str(self.parameters)
        self.name = "plx" + (f":{told}" if told else "")

    def configured(self, parameters: str) -> Plx:
        """The machine with these parameters. Raises UnknownNameError."""
        return Plx(parsed(parameters))

    def describe(self) -> Mapping[str, str]:
        """The processor's parameters, and the compiler that the simulator needs. Raises CompilerError."""
        told = str(self.parameters) or "one instruction a cycle, 32 bits"
        return {"processor": f"simulated, {told}", "compiler": translator()}

    def check(self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule) -> None:
        """Raise ScheduleError where `compile` would; the best program is not sought for it."""
        plain = schedule if schedule.optimise is None else replace(schedule, optimise="off")
        self.compile(cipher, operation=operation, key_bits=key_bits, schedule=plain)

    def program(self, traced: Program, schedule: Schedule) -> SimulatedProgram:
        """As `compile`, of a program that is traced already."""
        check_words(schedule)
        refuse_others(schedule, names_of(self.words), self.name)
        if schedule.subkeys == "computed":
            traced = run_once(traced, (SUBKEYS,))
        full = resolved(traced, schedule, self.processor)
        if full.optimise == "on":
            return self._best(traced, full, schedule)
        return self._compiled(traced, full, Writing(asked=schedule.rounds is not None))

    def tried(self, traced: Program, given: Schedule, full: Schedule) -> Collection[str]:
        """The width, where words or blocks fill registers; with `optimise=on` whether rounds are a loop."""
        side_by_side = blocks_fill(traced, full.blocks or 1, self.processor) or (
            words_fill(traced, self.processor) and full.lookup == "ptlu"
        )
        tried = {"width"} if side_by_side and given.width is None else set[str]()
        return tried | ({"rounds"} if full.optimise == "on" and given.rounds is None else set())

    # -- programs -------------------------------------------------------------------------------

    def _best(self, traced: Program, full: Schedule, asked: Schedule) -> SimulatedProgram:
        """The program of fewest cycles among those that the schedule leaves open, each simulated."""
        rounds = [full.rounds] if asked.rounds is not None or not traced.kernel.rounds else ["unroll", "loop"]
        found = []
        for choice in rounds:
            chosen = full.over(Schedule(rounds=choice))
            for how, fast in product(("levels", "critical"), (False, True)):
                conventions = Conventions(short=True, prompt=fast)
                found.append(self._compiled(traced, chosen, Writing(how, conventions, fast=fast)))
        return min(found, key=lambda program: program.cycles_a_block)

    def _compiled(self, traced: Program, schedule: Schedule, writing: Writing) -> SimulatedProgram:
        layouts = Layouts(self.processor, traced, schedule, writing)
        return compiled(self.name, self.processor, traced, schedule, writing, layouts.all(), layouts.reason)


MACHINE = Plx()
