"""What every machine offers; the command line, tests and reports know no more than this."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, Self, TypedDict, Unpack, cast, runtime_checkable

from finalist import notebook
from finalist.errors import UsageError
from finalist.machines.words import Word
from finalist.schedule import Schedule

if TYPE_CHECKING:  # a process that finds all compiled loads neither graphs nor the language
    from finalist.ir.program import Program
    from finalist.isa.limits import Known
    from finalist.isa.schedule.modulo.proofs import Proof
    from finalist.language.cipher import Cipher

#: Modes of operation that a program may have functions for, the one that every program has first.
MODES = ("ecb", "ctr", "cbc", "cfb", "cfb8", "ofb")

#: What is said of a key or of data that are none.
BYTES_LIKE = "accepted: bytes, bytearray, memoryview or another object with memory, such as an array"
#: And of memory that can't be taken as it is.
IN_ONE_PIECE = "accepted: memory in one piece"


def bytes_of(value: object, argument: str) -> bytes:
    """A copy of the memory of a bytes-like object. Raises UsageError, naming the argument."""
    if isinstance(value, bytes):
        return value
    try:
        memory = memoryview(value)  # type: ignore[arg-type]  # what has no memory is refused
    except TypeError as error:
        raise UsageError(f"{argument} is {type(value).__name__}; {BYTES_LIKE}") from error
    except (BufferError, ValueError) as error:
        raise UsageError(f"{argument}: {error}; {IN_ONE_PIECE}") from error
    if "O" in memory.format:
        raise UsageError(f"{argument}: its elements are references to objects; {IN_ONE_PIECE}")
    if not memory.contiguous:
        raise UsageError(f"{argument}: {type(value).__name__} is not contiguous; {IN_ONE_PIECE}")
    return memory.tobytes(order="A")


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """What running a program gave: the output, and figures where the machine counts them."""

    output: bytes
    cycles: int | None = None
    figures: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Run {', '.join(f'{name}: {value}' for name, value in self._values().items())}>"

    def _repr_html_(self) -> str:
        return notebook.table("Run", self._values())

    def _values(self) -> dict[str, object]:
        cycles = {} if self.cycles is None else {"cycles": self.cycles}
        return {"output": notebook.hexadecimal(self.output), **cycles, **self.figures}


class Shown:
    """How programs look in a shell and in a notebook."""

    def __repr__(self) -> str:
        own = cast(CompiledProgram, self)
        timing = f", {own.timing}" if own.timing else ""
        return f"<{_titled(own)}, key of {own.key_bits} bits, {own.schedule}{timing}>"

    def _repr_html_(self) -> str:
        own = cast(CompiledProgram, self)
        values: dict[str, object] = {"key": f"{own.key_bits} bits", "block": f"{own.block_bytes} bytes"}
        values |= {"schedule": own.schedule} | ({"timing": own.timing} if own.timing else {})
        if isinstance(self, InModes):
            values["modes"] = ", ".join(self.modes)
        return notebook.table(_titled(own), values) + notebook.folded("text", own.text)


def _titled(program: CompiledProgram) -> str:
    return f"{type(program).__name__} {program.cipher} {program.operation}"


class CompiledProgram(Protocol):
    """One operation of a cipher for one key length, compiled under one schedule."""

    cipher: str
    operation: str
    key_bits: int
    block_bytes: int
    schedule: Schedule
    #: Whether the blocks of a call follow one another, as those of a stream cipher do.
    stateful: bool

    @property
    def text(self) -> str:
        """What a user takes away: C, assembly, a hardware description; of the interpreter its graphs."""

    @property
    def timing(self) -> str:
        """Whether its time depends on secrets: a label of `finalist.passes.timing`, or empty for none."""

    def run(self, key: bytes, data: bytes) -> Run:
        """Set up ``key`` and work on ``data``, whole blocks.

        Raises UsageError where either is no bytes-like object, KeyLengthError or DataError.
        """

    def run_many(self, keys: list[bytes], blocks: list[bytes]) -> list[bytes]:
        """Each block under its own key; of a stateful program each message."""


class FromProgram(CompiledProgram, Protocol):
    """One whose text is written from a program in the graph's operations, which is at hand."""

    #: After all passes.
    program: Program


@runtime_checkable
class InModes(Protocol):
    """A program that can be had with functions for whole messages in modes of operation."""

    #: The modes of MODES that there can be functions for, and those that this text has.
    possible_modes: tuple[str, ...]
    modes: tuple[str, ...]

    def in_modes(self, *modes: str) -> Self:
        """The same program with functions for these modes. Raises UnknownNameError or ScheduleError."""


@runtime_checkable
class Bounding(Protocol):
    """A machine that knows of loops whose schedules come along how short others could be.

    ``known``: what has been found out about loops, of this machine and with one more of something.
    """

    @property
    def known(self) -> Known: ...

    def bound(self, cipher: str, operation: str, cycles: int, *, chained: bool = False) -> int | None:
        """The least cycles a block of all schedules of the loop whose stored one takes ``cycles``, if any."""

    def proofs(self, cipher: str, operation: str, more: str = "") -> tuple[Proof, ...]:
        """What is proved of its rounds: how far apart they can be; ``more``: with one more of that."""


@runtime_checkable
class Saved(Protocol):
    """A program whose text names the file that it is in."""

    def saved_as(self, file: str) -> str:
        """The text for a file of this name."""


class Machine(Protocol):
    """A kind of machine."""

    name: str
    summary: str
    #: The words of a schedule that it has.
    words: tuple[Word, ...]

    def compile(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> FromProgram:
        """The program. Raises ScheduleError, saying why, where the schedule is not legal for it."""

    def program(self, traced: Program, schedule: Schedule) -> FromProgram:
        """The same of a program that is traced already, or made without any definition."""

    def describe(self) -> Mapping[str, str]:
        """What the figures depend on: processor, compiler, flags."""


@runtime_checkable
class Checking(Protocol):
    """A machine that can tell whether a schedule is legal sooner than it can make the program."""

    def check(self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule) -> None:
        """Raise ScheduleError where `compile` would."""


@runtime_checkable
class Trying(Protocol):
    """A machine that finds some choices by making several programs."""

    def tried(self, traced: Program, given: Schedule, full: Schedule) -> Container[str]:
        """The words found so of those that a schedule ``given`` leaves open; ``full``: with nothing open."""


@runtime_checkable
class Configurable(Protocol):
    """A machine of which there are several kinds, told apart by parameters."""

    def configured(self, parameters: str) -> Machine:
        """The machine with parameters ``name=value,name=value``. Raises UnknownNameError."""


@runtime_checkable
class Comparing(Protocol):
    """A machine whose programs take bytes that count, so that schedules are compared by bytes and time."""

    def compared(self, cipher: type[Cipher], *, key_bits: int, directions: str) -> list[Schedule]:
        """The schedules to compare, of texts with "one" direction or "both"; some may be refused."""


class Asked(TypedDict):
    """What a design is asked for by, beside its cipher."""

    operation: str
    key_bits: int
    schedule: Schedule


class Estimated(Protocol):
    """Area and clock of hardware; see the machine's own class for what each is."""

    slices: int
    mhz: float
    stages: tuple[float, ...]
    cycles_per_block: int
    feedback_cycles: int
    #: Whether the part has room for it.
    fits: bool
    #: Bits of the round keys that it holds.
    stored_key_bits: int

    @property
    def mbit_s(self) -> float:
        """Throughput with the pipeline full."""

    @property
    def feedback_mbit_s(self) -> float:
        """Throughput where each block waits for the one before."""


class Hop(Protocol):
    """A cell on a path through logic, and the wire before it."""

    #: Where the definition says so, ``path:number``; empty for what no line does.
    line: str
    ns: float


class Mapped(Protocol):
    """Area of a netlist that has just reproduced blocks, and its clock where that is known."""

    luts: int
    flip_flops: int
    slices: int
    mhz: float | None


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

    def place(self, cipher: type[Cipher], *, part: str, seed: int, **asked: Unpack[Asked]) -> Placed:
        """Place and route, in minutes; kept once made.

        Raises UnknownNameError, ScheduleError where it does not fit, CompilerError, VectorError.
        """

    def board(self, cipher: type[Cipher], *, board: str, **asked: Unpack[Asked]) -> Mapping[str, str]:
        """The files for a board, by name. Raises UnknownNameError, ScheduleError."""


@runtime_checkable
class Estimating(Protocol):
    """A machine that is hardware: its area and clock can be had before it is built."""

    #: The part that estimates are of.
    estimated: str

    def architectures(self, cipher: type[Cipher], operation: str, key_bits: int) -> list[str]:
        """The values of the schedule word `architecture` that are legal. Raises ScheduleError."""

    def estimate(self, cipher: type[Cipher], **asked: Unpack[Asked]) -> Estimated:
        """Without any tool, in about a second. Raises ScheduleError."""

    def critical_path(self, cipher: type[Cipher], **asked: Unpack[Asked]) -> Sequence[Hop]:
        """What bounds the clock, by estimate, from the first cell to the last. Raises ScheduleError."""

    def map(self, cipher: type[Cipher], **asked: Unpack[Asked]) -> Mapped:
        """By a synthesiser, in minutes; kept once made. Raises ScheduleError, CompilerError, VectorError."""

    def known(self, cipher: type[Cipher], **asked: Unpack[Asked]) -> Mapped | None:
        """What `map` found before; None if it has not been made."""
