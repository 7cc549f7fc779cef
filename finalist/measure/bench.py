"""Figures of a cipher on a machine of this computer; none for a program that has not just matched.

- ``key set-up``: one run of the key schedule, by Gladman's method (two calls less one call);
- ``single call``: one call on one block, by the same method;
- ``latency``: one block after the other, each the result of the one before, as in a feedback mode;
- ``bulk``: many blocks, each by itself, in one call;
- ``ctr``, ``cbc``, ``cfb``, ``cfb8``, ``ofb``: as many bytes in one call in that mode.

The first two are those of B. Gladman's tables (1998-99). Key set-up, bulk and modes are of the program under
the schedule asked for; single call, latency and what is done block after block (encryption but in ECB and
CTR) of a program of one block a call.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from finalist import stored
from finalist.cache.origin import code_digest
from finalist.ciphers.catalogue import Reference, identity, reference
from finalist.errors import FinalistError, ScheduleError, UnknownNameError, VectorError, unknown
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.base import MODES, CompiledProgram, InModes
from finalist.machines.registry import machine as find_machine
from finalist.measure import clock
from finalist.measure.arguments import MeasurementError
from finalist.measure.clock import Measurement
from finalist.measure.figure import digest
from finalist.measure.results import Row
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.diagnosis import explained
from finalist.vectors.load import KnownAnswer, provenance, vectors_of
from finalist.vectors.modes import MessageProgram, check_mode
from finalist.version import VERSION

#: Bytes of one bulk call: more than a first-level cache holds, less than a second-level one.
DATA_BYTES = 1 << 16
QUANTITIES = ("key set-up", "single call", "latency", "bulk", *MODES[1:])
#: Figures that are per byte of many blocks, each of a mode.
_OF_MODE = {mode: "bulk" if mode == MODES[0] else mode for mode in MODES}
#: The modes that encrypt block after block, and those that decrypt by encryption, many blocks at a time.
_CHAINS, _FEEDBACK = ("cbc", "cfb", "cfb8", "ofb"), ("cfb", "cfb8")
#: The modes that are measured where none is asked for.
USUAL_MODES = ("ecb", "ctr")
#: What a schedule for one block leaves open of one for many.
_OF_MANY: dict[str, None] = dict.fromkeys(("width", "planes", "skew"))


class HostKey(Protocol):
    """An expanded key in this process's memory."""

    address: int


@runtime_checkable
class HostProgram(Protocol):
    """A program in this process's memory, which a clock can be held to."""

    cipher: str
    operation: str
    key_bits: int
    block_bytes: int
    schedule: Schedule
    timing: str

    @property
    def text(self) -> str:
        """What was compiled."""

    def expand(self, key: bytes) -> HostKey:
        """The key schedule on ``key``."""

    def function_address(self, what: str) -> int:
        """The address of ``expand``, or of the program's operation."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A program that has just reproduced its vectors, and its functions of modes that have, too.

    Figures are taken of nothing else.
    """

    program: HostProgram
    key: bytes
    modes: tuple[str, ...] = MODES[:1]


def match(
    program: CompiledProgram,
    rows: Iterable[KnownAnswer],
    modes: Iterable[str] = (),
    cipher: type[Cipher] | None = None,
) -> Matched:
    """Hold a program to its vectors, also in ``modes`` as far as it has them, so that it may be measured.

    ``cipher``: its definition, so that a failure can be explained. Raises VectorError where it fails one or
    has none, MeasurementError where it can't be timed.
    """
    rows = tuple(rows)
    try:
        check_known_answers(program, rows)
    except VectorError as error:
        if cipher is None:
            raise
        raise explained(cipher, program, rows, error) from error
    if not isinstance(program, HostProgram):
        raise MeasurementError(
            f"{program.cipher}: the machine runs no compiled code here that could be timed"
        )
    keys = [row.key for row in rows if len(row.key) * 8 == program.key_bits]
    had = [mode for mode in modes if isinstance(program, InModes) and mode in program.possible_modes]
    for mode in had:
        if mode != MODES[0]:
            check_mode(cast(MessageProgram, program), mode, rows)
    # A key of many different bytes: zeros could be quicker than others to set up.
    return Matched(program, max(keys, key=lambda key: len(set(key))), tuple(had) or MODES[:1])


def bench(
    cipher: type[Cipher],
    machine: str,
    *,
    key_bits: int,
    operations: Iterable[str] = OPERATIONS,
    schedule: Schedule | None = None,
    single: Schedule | None = None,
    modes: Iterable[str] = USUAL_MODES,
    data_bytes: int = DATA_BYTES,
    seconds: float = clock.SECONDS,
) -> Iterator[Row]:
    """Figures of a cipher for one key length, each as soon as it is taken.

    ``modes``: of MODES, those whose throughput is measured, where operation and schedule have them;
    ``data_bytes``: of one bulk call, rounded down to whole blocks, at least one; ``seconds``: time for
    one figure. ``single``: the schedule of the program of one block a call (default: ``schedule`` cut down to
    one; where that is not legal there is neither single call nor latency).
    Raises what `finalist.compile` and `match` raise, and MeasurementError.
    """
    conditions = _conditions(machine)
    size = max(1, data_bytes // cipher.block.bytes) * cipher.block.bytes
    wanted, held_to = _checked(modes), provenance(vectors_of(cipher), key_bits)
    for operation in operations:
        for matched, own, quantities in _programs(
            cipher, machine, operation, key_bits, schedule or Schedule(), single, wanted
        ):
            figures = _figures(matched, operation, size, seconds)
            for quantity in (one for one in quantities if one in figures):
                figure = figures[quantity]()
                row = _row(matched.program, operation, quantity, figure, size, conditions)
                yield replace(row, definition=identity(cipher), vectors=held_to, asked=str(own))


def _checked(modes: Iterable[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(modes))
    for mode in wanted:
        if mode not in MODES:
            raise UnknownNameError(unknown("mode", mode, MODES))
    return wanted


def figures_of(operations: int, modes: int = len(USUAL_MODES)) -> int:
    """How many rows `bench` gives for so many operations and modes, at most; for showing progress."""
    return operations * (len(QUANTITIES) - len(MODES) + modes)


def single_of(schedule: Schedule) -> Schedule:
    """A schedule for many blocks cut down to one."""
    return replace(schedule, blocks=1, **_OF_MANY)


def _programs(
    cipher: type[Cipher],
    machine: str,
    operation: str,
    key_bits: int,
    schedule: Schedule,
    single: Schedule | None,
    modes: tuple[str, ...],
) -> Iterator[tuple[Matched, Schedule, tuple[str, ...]]]:
    """The program as asked for, and its form of one block a call if it has one; how each was asked for, and
    what is taken of it."""
    rows = vectors_of(cipher)
    asked = match(stored.compiled(cipher, machine, operation, key_bits, schedule), rows, modes, cipher)
    chains = [] if operation == "decrypt" or asked.program.schedule.blocks == 1 else _CHAINS
    many = [mode for mode in asked.modes if mode in modes and mode not in chains]
    yield asked, schedule, ("key set-up", *(_OF_MODE[mode] for mode in many))
    feedback = [mode for mode in modes if mode in _FEEDBACK and operation == "decrypt"]
    if feedback:
        back = match(stored.compiled(cipher, machine, "encrypt", key_bits, schedule), rows, feedback, cipher)
        yield back, schedule, tuple(_OF_MODE[mode] for mode in back.modes if mode in feedback)
    try:
        cut = single or single_of(schedule)
        one = stored.compiled(cipher, machine, operation, key_bits, cut)
    except ScheduleError:
        return  # a schedule for many blocks, of which one alone has no latency
    chained = match(one, rows, [mode for mode in modes if mode in chains], cipher)
    own = (_OF_MODE[mode] for mode in chained.modes if mode in chains)
    yield chained, cut, ("single call", "latency", *own)


def _figures(
    matched: Matched, operation: str, data_bytes: int, seconds: float
) -> dict[str, Callable[[], Measurement]]:
    """What takes each figure."""
    program, key = matched.program, matched.key
    size, expanded = program.block_bytes, program.expand(key)
    expand, crypt = program.function_address("expand"), program.function_address(program.operation)

    def in_mode(mode: str, function: str) -> Measurement:
        in_modes: Any = program
        address = in_modes.in_modes(mode).function_address(function)
        return clock.measure_mode(
            address, expanded.address, data_bytes, size, in_blocks=mode == "cbc", seconds=seconds
        )

    set_up = {"key set-up": lambda: clock.measure_setup(expand, key, expanded.address, seconds=seconds)}
    return {
        **(set_up if key else {}),  # a permutation has none
        "single call": lambda: clock.measure_call(crypt, expanded.address, size, seconds=seconds),
        "latency": lambda: clock.measure_chained(crypt, expanded.address, size, seconds=seconds),
        "bulk": lambda: clock.measure_bulk(crypt, expanded.address, data_bytes, size, seconds=seconds),
        **{mode: partial(in_mode, mode, mode) for mode in ("ctr", "ofb")},
        **{mode: partial(in_mode, mode, f"{mode}_{operation}") for mode in ("cbc", *_FEEDBACK)},
    }


# -- rows --------------------------------------------------------------------------------------------


def _conditions(machine: str) -> dict[str, str]:
    """What all figures of one call of `bench` have in common, by the fields of `Row`."""
    told = find_machine(machine).describe()
    return {
        "machine": machine,
        **{name: told.get(name, "") for name in ("processor", "compiler", "flags")},
        "commit": commit(),
        "code": code_digest(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


@cache
def commit() -> str:
    """The state of this Finalist: `git describe` of its checkout, or its version where it has none."""
    root = Path(__file__).resolve().parents[2]
    # The folder that holds the package must be the checkout's own root: an environment inside somebody
    # else's checkout says nothing about Finalist.
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--tags"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
        except (OSError, subprocess.SubprocessError):
            return VERSION
        return done.stdout.strip() or VERSION
    return VERSION


def _row(
    program: HostProgram,
    operation: str,
    quantity: str,
    figure: Measurement,
    data_bytes: int,
    conditions: dict[str, str],
) -> Row:
    return Row(
        cipher=program.cipher,
        operation=operation,
        key_bits=program.key_bits,
        quantity=quantity,
        ticks=figure.ticks,
        core_cycles=figure.core_cycles,
        unit=figure.unit,
        clock=figure.clock,
        ticks_per_cycle=figure.ticks_per_cycle,
        mbit_per_s=_mbit_per_s(program, quantity, figure.ticks),
        spread=figure.spread,
        data_bytes=data_bytes if quantity in _OF_MODE.values() else program.block_bytes,
        schedule=str(program.schedule),
        timing=program.timing,
        program=digest(program.text),
        **conditions,
    )


def _mbit_per_s(program: HostProgram, quantity: str, ticks: float) -> float | None:
    """10^6 bits of data a second; a key set-up has none, nor has what was too short for the clock."""
    if quantity == "key set-up" or not ticks:
        return None
    size = 1 if quantity in _OF_MODE.values() else program.block_bytes
    return 8 * size * clock.ticks_per_second() / ticks / 1e6


@dataclass(frozen=True, slots=True)
class Wanted:
    """A program, with functions for modes as far as it has them, each in a text of its own."""

    cipher: Reference
    machine: str
    operation: str
    key_bits: int
    schedule: Schedule
    modes: tuple[str, ...]


def wanted(
    cipher: type[Cipher],
    machine: str,
    operation: str,
    key_bits: int,
    schedules: Iterable[Schedule],
    modes: tuple[str, ...],
) -> list[Wanted]:
    """One for each schedule."""
    own = reference(cipher)
    return [Wanted(own, machine, operation, key_bits, schedule, modes) for schedule in schedules]


def prepare(programs: Iterable[Wanted], pool: Executor) -> None:
    """Compile those that are not compiled yet; they are found on the disk from then on.

    What goes wrong does so again, and is said, where a program is asked for.
    """
    missing = [program for program in programs if not _is_there(program)]
    for one in [pool.submit(_prepare, program) for program in missing]:
        one.result()


def _is_there(program: Wanted) -> bool:
    task = (program.cipher.load(), program.machine, program.operation, program.key_bits, program.schedule)
    return stored.is_compiled(*task)


def _prepare(program: Wanted) -> None:
    with suppress(FinalistError):
        made = stored.compiled(
            program.cipher.load(), program.machine, program.operation, program.key_bits, program.schedule
        )
        if isinstance(made, InModes):
            for mode in program.modes:
                if mode in made.possible_modes:
                    made.in_modes(mode)
