"""Programs whose blocks stand alone: the output of one call, after the key schedule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from finalist.isa.simulate.run import SimulatedProgram
from finalist.prove.bits import Word
from finalist.prove.execute import Execution
from finalist.prove.proof import Proof

#: What is proved of such a program.
CLAIM = "the output of one call, after the key schedule"


@dataclass(frozen=True, slots=True)
class Output:
    """The bytes that one call gives."""

    bytes: list[Word]

    def parts(self) -> Iterator[tuple[str, list[Word]]]:
        """They alone."""
        yield "", self.bytes


class Blocks(Proof):
    """Both sides of the proof of one such program."""

    claim: ClassVar[str] = CLAIM

    def defined(self) -> Output:
        """What the definition gives. Raises NotCoveredError."""
        size = self.traced.block.bytes
        blocks = [self.data[k : k + size] for k in range(0, len(self.data), size)]
        return Output([*self.keyed.blocks(self.traced, blocks)])

    def carried_out(self, program: SimulatedProgram) -> tuple[Output, list[Execution]]:
        """What the program gives: a call, from what its key schedule leaves. Raises NotCoveredError."""
        run = self.after(program).continued(self.processor(program))
        return Output(run.call(program.operation, self.data)), [run]
