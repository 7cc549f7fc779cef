"""What every machine offers; the command line, tests and reports know no more than this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self, runtime_checkable

from finalist.language.cipher import Cipher
from finalist.schedule import Schedule

#: Modes of operation that a program may have functions for, the one that every program has first.
MODES = ("ecb", "ctr", "cbc")


@dataclass(frozen=True, slots=True)
class Run:
    """What running a program gave: the output, and figures where the machine counts them."""

    output: bytes
    cycles: int | None = None
    figures: Mapping[str, float] = field(default_factory=dict)


class ExpandedKey(Protocol):
    """A key made ready for one program."""


class CompiledProgram(Protocol):
    """One operation of a cipher for one key length, compiled under one schedule."""

    cipher: str
    operation: str
    key_bits: int
    block_bytes: int
    schedule: Schedule
    #: Whether the blocks of a call follow one another, as those of a stream cipher do.
    stateful: bool
    text: str

    @property
    def timing(self) -> str:
        """Whether its time depends on secrets: a label of `finalist.passes.timing`, or empty for none."""
        ...

    def run(self, key: bytes, data: bytes) -> Run:
        """Set up ``key`` and work on ``data``, whole blocks. Raises KeyLengthError or DataError."""
        ...

    def run_many(self, keys: list[bytes], blocks: list[bytes]) -> list[bytes]:
        """Each block under its own key; of a stateful program each message."""
        ...


@runtime_checkable
class InModes(Protocol):
    """A program that can be had with functions for whole messages in modes of operation."""

    #: The modes of MODES that there can be functions for, and those that this text has.
    possible_modes: tuple[str, ...]
    modes: tuple[str, ...]

    def in_modes(self, *modes: str) -> Self:
        """The same program with functions for these modes. Raises UnknownNameError or ScheduleError."""
        ...


class Machine(Protocol):
    """A kind of machine."""

    name: str
    summary: str

    def compile(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> CompiledProgram:
        """The program. Raises ScheduleError, saying why, where the schedule is not legal for it."""
        ...

    def describe(self) -> Mapping[str, str]:
        """What the figures depend on: processor, compiler, flags."""
        ...


@runtime_checkable
class Configurable(Protocol):
    """A machine of which there are several kinds, told apart by parameters."""

    def configured(self, parameters: str) -> Machine:
        """The machine with parameters ``name=value,name=value``. Raises UnknownNameError."""
        ...
