"""The machine `hc05`: programs for the simulator, of a card that parameters choose."""

from __future__ import annotations

from collections.abc import Mapping

from finalist.ir.program import Program
from finalist.isa.pipeline import Writing, compiled
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.simulate.simulator import translator
from finalist.language.cipher import Cipher
from finalist.machines.hc05.model import processor
from finalist.machines.hc05.parameters import Parameters, parsed
from finalist.machines.hc05.words import WORDS
from finalist.machines.tracing import traced
from finalist.machines.words import names_of
from finalist.passes.driver import run_once
from finalist.passes.pipeline import SUBKEYS
from finalist.schedule import Schedule, refuse_others


class Hc05:
    """A 6805 smart card, simulated; `Parameters` say which."""

    summary = "the 6805 smart card: an 8-bit processor with little memory, simulated"
    suffix = ".asm"
    #: The words of a schedule that it has.
    words = WORDS

    def __init__(self, parameters: Parameters | None = None) -> None:
        self.parameters = parameters or Parameters()
        self.processor = processor(self.parameters)
        told = str(self.parameters)
        self.name = "hc05" + (f":{told}" if told else "")

    def configured(self, parameters: str) -> Hc05:
        """The machine with these parameters. Raises UnknownNameError."""
        return Hc05(parsed(parameters))

    def describe(self) -> Mapping[str, str]:
        """The processor's parameters, and the compiler that the simulator needs. Raises CompilerError."""
        told = str(self.parameters) or "no budgets"
        return {"processor": f"68HC05, simulated, {told}", "compiler": translator()}

    def compile(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> SimulatedProgram:
        """The program under the schedule; what that leaves open is chosen here."""
        return self.program(traced(cipher, operation, key_bits), schedule)

    def program(self, traced: Program, schedule: Schedule) -> SimulatedProgram:
        """As `compile`, of a program that is traced already."""
        refuse_others(schedule, names_of(self.words), self.name)
        if schedule.subkeys == "computed":
            traced = run_once(traced, (SUBKEYS,))
        return compiled(
            self.name, self.processor, traced, schedule, Writing(asked=schedule.rounds is not None)
        )


MACHINE = Hc05()
