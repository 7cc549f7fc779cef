"""A definition and a program of it, each carried out on an unknown key over one store.

The key schedule of each is carried out once. Other kernels start from what it leaves, as those of the other
direction, where another definition has the same, operation by operation, and another program the same, word
by word; a program that has not has its own carried out in the same store, which has most of it already.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from typing import ClassVar, Protocol, Self

from finalist.ir.printer import key_schedule_digest
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram, behind
from finalist.prove.bits import Bits, Word
from finalist.prove.definition import Keyed
from finalist.prove.execute import Execution, prepared
from finalist.prove.memory import as_bytes
from finalist.prove.words import Words


class Made(Protocol):
    """What one side gives, to be compared with the other side's."""

    @property
    def bytes(self) -> list[Word]:
        """All of it."""

    def parts(self) -> Iterator[tuple[str, list[Word]]]:
        """Each part with what it is; an empty name where there is one alone."""


class Proof(ABC):
    """Both sides; ``key`` and ``data``: bytes that nothing is known of, of the data as many as one call
    takes."""

    #: What is proved where both sides give the same bits.
    claim: ClassVar[str]

    def __init__(self, traced: Program, words: Words, key: Sequence[Bits], data: Sequence[Bits]) -> None:
        self.traced, self.words, self.key, self.data = traced, words, key, data
        self._keyed: Keyed | None = None
        #: The processor after the program's key schedule, which nothing changes any more.
        self._after: Execution | None = None

    @property
    def keyed(self) -> Keyed:
        """The definition after its key schedule. Raises NotCoveredError."""
        if self._keyed is None:
            self._keyed = Keyed(self.traced, self.words, self.key)
        self._keyed.begin()
        return self._keyed

    def after(self, program: SimulatedProgram) -> Execution:
        """The processor after the program's key schedule, to start from. Raises NotCoveredError."""
        if self._after is None:
            run = self.processor(program)
            run.set_up(self.key)
            self._after = run
        return self._after

    def processor(self, program: SimulatedProgram) -> Execution:
        """One with the program in its memory."""
        return prepared(program.image, program.processor, self.words, len(self.data) + behind(program))

    def another(self, traced: Program, program: SimulatedProgram) -> Self | None:
        """The proof of another kernel over the same store, after what of the key schedules is the same; None
        where the definition's is another."""
        if self._after is None or _interface(traced) != _interface(self.traced):
            return None
        other = copy(self)
        other.traced = traced
        other.data = as_bytes(self.words, "data", program.program.block.bytes)
        if not self._after.begins(other.processor(program)):
            other.forget()
        return other

    def forget(self) -> None:
        """Have the program's key schedule carried out anew."""
        self._after = None

    @abstractmethod
    def defined(self) -> Made:
        """What the definition gives. Raises NotCoveredError."""

    @abstractmethod
    def carried_out(self, program: SimulatedProgram) -> tuple[Made, list[Execution]]:
        """What the program gives, and all that was executed for it. Raises NotCoveredError."""


def _interface(traced: Program) -> tuple[object, ...]:
    """All that the state after a definition's key schedule depends on, and what a kernel takes of it."""
    return key_schedule_digest(traced), traced.stateful, traced.key_names, traced.key_types
