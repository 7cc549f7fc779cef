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


class Estimated(Protocol):
    """Area and clock of hardware; see the machine's own class for what each is."""

    slices: int
    mhz: float
    stages: tuple[float, ...]
    cycles_per_block: int
    feedback_cycles: int
    #: Whether the part has room for it.
    fits: bool

    @property
    def mbit_s(self) -> float:
        """Throughput with the pipeline full."""
        ...

    @property
    def feedback_mbit_s(self) -> float:
        """Throughput where each block waits for the one before."""
        ...


class Mapped(Protocol):
    """Area and clock of a netlist that has just reproduced blocks."""

    luts: int
    flip_flops: int
    slices: int
    mhz: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A design placed and routed with one seed: its clock, and how much of the part it takes."""

    seed: int
    mhz: float
    luts: int
    flip_flops: int


@runtime_checkable
class Placing(Protocol):
    """A machine whose designs can be placed and routed on parts that one can buy."""

    #: Their names.
    parts: tuple[str, ...]

    def check_tools(self, part: str) -> None:
        """Raise CompilerError where a tool that `place` needs is missing; UnknownNameError for a part."""
        ...

    def place(
        self,
        cipher: type[Cipher],
        *,
        operation: str,
        key_bits: int,
        schedule: Schedule,
        part: str,
        seed: int,
    ) -> Placed:
        """Place and route, in minutes; kept once made.

        Raises UnknownNameError, ScheduleError where it does not fit, CompilerError, VectorError.
        """
        ...

    def board(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule, board: str
    ) -> Mapping[str, str]:
        """The files for a board, by name. Raises UnknownNameError, ScheduleError."""
        ...


@runtime_checkable
class Estimating(Protocol):
    """A machine that is hardware: its area and clock can be had before it is built."""

    #: The part that estimates are of.
    estimated: str

    def architectures(self, cipher: type[Cipher], operation: str, key_bits: int) -> list[str]:
        """The values of the schedule word `architecture` that are legal. Raises ScheduleError."""
        ...

    def estimate(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> Estimated:
        """Without any tool, in about a second. Raises ScheduleError."""
        ...

    def map(self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule) -> Mapped:
        """By a synthesiser, in minutes; kept once made. Raises ScheduleError, CompilerError, VectorError."""
        ...

    def known(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> Mapped | None:
        """What `map` found before; None if it has not been made."""
        ...
