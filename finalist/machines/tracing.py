"""Definitions traced, for machines: once for all schedules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from finalist.ir.memoized import memoized
from finalist.ir.program import Program
from finalist.language.cipher import Cipher
from finalist.language.definition import trace
from finalist.schedule import Schedule

#: The program of a cipher, operation (encrypt or decrypt) and length of keys in bits. Raises DefinitionError.
traced: Callable[[type[Cipher], str, int], Program] = memoized(trace)

Made = TypeVar("Made", covariant=True)


class Compiling(ABC, Generic[Made]):
    """A machine whose programs are made of traced ones."""

    @abstractmethod
    def program(self, traced: Program, schedule: Schedule) -> Made:
        """The program of one that is traced already. Raises ScheduleError with the reason."""

    def compile(self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule) -> Made:
        """The program under the schedule; what that leaves open is chosen here."""
        return self.program(traced(cipher, operation, key_bits), schedule)
