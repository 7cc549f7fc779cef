"""A program of the card, with what it takes: key memory, working memory with the stack, code and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finalist.errors import ScheduleError
from finalist.ir.program import Program
from finalist.isa.allocate.memory import WORTH
from finalist.isa.assembly.decoder import Decoder
from finalist.isa.build import Builder
from finalist.isa.settle import ADDRESS
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.target.processor import Processor
from finalist.machines.base import Run
from finalist.machines.hc05.model import Parameters
from finalist.passes.timing import Timing
from finalist.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes: ``key`` memory; ``ram`` that the work on a block takes, with the block and the stack; ``code``
    of all operations that the text has, without the key schedule, and ``tables`` that they read."""

    key: int
    ram: int
    code: int
    tables: int

    @property
    def rom(self) -> int:
        """Code and tables."""
        return self.code + self.tables

    @property
    def worth(self) -> int:
        """Bytes of code that it is worth as much as."""
        return self.rom + WORTH * self.ram

    def check(self, p: Parameters, cipher: str) -> None:
        """Raise ScheduleError where a budget of the card is exceeded."""
        for name in ("ram", "key", "rom"):
            given, taken = getattr(p, name), getattr(self, name)
            if given and taken > given:
                raise ScheduleError(
                    f"{cipher} takes {taken} bytes under this schedule; {name}={given} has less"
                )


class CardProgram(SimulatedProgram):
    """One operation as assembly text; the text may have the other one, too.

    ``memory``: what it takes, which `memory_of` measures.
    """

    memory: Memory

    def __init__(
        self,
        program: Program,
        schedule: Schedule,
        processor: Processor,
        text: str,
        parts: Timing,
        others: Sequence[Program] = (),
    ) -> None:
        super().__init__(program, schedule, processor, text, 1, parts)
        self._others = others

    def of_operation(self, operation: str) -> CardProgram:
        """That operation of the same text."""
        if operation == self.operation:
            return self
        other = next(one for one in self._others if one.operation == operation)
        made = CardProgram(other, self.schedule, self.processor, self.text, self.parts)
        made.memory, made.image = self.memory, self.image
        return made

    def run(self, key: bytes, data: bytes, limit: int | None = None) -> Run:
        """As `SimulatedProgram.run`, with the bytes that the program takes among its figures."""
        made = super().run(key, data, limit)
        m = self.memory
        bytes_ = {"bytes of key memory": m.key, "bytes of RAM": m.ram, "bytes of code and tables": m.rom}
        return Run(made.output, made.cycles, {**made.figures, **bytes_})


def memory_of(builder: Builder, program: SimulatedProgram) -> Memory:
    """What a program takes whose text the builder has made."""
    kernel = builder.settled.taken[-1]
    image = program.image
    start = min(image.labels[p.operation] for p in builder.programs)
    read = {value for one in _kernel(program, start) for value in one}
    tables = [
        place
        for place in builder.memory.contents
        if any(place.address <= v < place.address + place.size for v in read)
    ]
    keys = sum(place.size for place in builder.arrays)
    return Memory(
        key=keys,
        ram=len(kernel.short) + kernel.beyond + ADDRESS * builder.settled.depth,
        code=len(image.words) - start,
        tables=sum(place.size for place in tables),
    )


def _kernel(program: SimulatedProgram, start: int) -> list[list[int]]:
    """The numbers in the instructions from a place on."""
    code = Decoder(program.processor).all(program.image.words[start:])
    return [[v for name, v in one.values.items() if name == "m"] for one in code.values()]
