"""The matrix of what is verified: cipher x key size x direction x machine x schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from finalist import stored
from finalist.ciphers.catalogue import Reference, identity, reference
from finalist.errors import CompilerError, GraphError, ScheduleError, VectorError
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.base import CompiledProgram
from finalist.machines.registry import machine as find_machine
from finalist.resumable import Resumable
from finalist.schedule import Schedule
from finalist.vectors.check import OneBlock, check_known_answers, check_monte_carlo
from finalist.vectors.diagnosis import explain
from finalist.vectors.load import MODES, MonteCarlo, key_lengths, monte_carlo_of, vectors_of

#: Monte Carlo entries of each mode that a cell runs where not all are asked for; DEAL has hundreds.
CHAINS = 16


@dataclass(frozen=True, slots=True)
class Cell:
    """One program to verify. Where its cipher has a name or a file, another process can have it."""

    cipher: type[Cipher]
    key_bits: int
    operation: str
    machine: str
    schedule: Schedule
    #: Whether all Monte Carlo entries are run, however many.
    all_chains: bool = False

    def __str__(self) -> str:
        return f"{self.cipher.name()} {self.operation} {self.key_bits} {self.machine} {self.schedule}"

    def __reduce__(self) -> tuple[Callable[..., Cell], tuple[object, ...]]:
        own = (self.key_bits, self.operation, self.machine, self.schedule, self.all_chains)
        return _loaded, (reference(self.cipher), *own)


def _loaded(cipher: Reference, *own: Any) -> Cell:
    return Cell(cipher.load(), *own)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a cell. ``status``: ok, failed, or refused (the schedule is not legal for the cipher).

    ``reason`` says why it is not ok; ``schedule`` is the one asked for; ``known_answers`` and
    ``monte_carlo`` count the vectors that the program reproduced, ``own`` those of them that are the
    definition's own, not published; ``timing`` is its label; ``definition`` says which it is of, as
    `finalist.ciphers.catalogue.identity` does; ``explanation`` what of a failure is no matter of the machine
    (`finalist.vectors.diagnosis`), in lines.
    """

    cipher: str
    key_bits: int
    operation: str
    machine: str
    schedule: str
    status: str
    reason: str = ""
    known_answers: int = 0
    monte_carlo: int = 0
    timing: str = ""
    own: int = 0
    definition: str = ""
    explanation: str = ""


def cells(
    cipher: type[Cipher],
    machine: str,
    *,
    key_bits: Iterable[int] | None = None,
    operations: Iterable[str] = OPERATIONS,
    schedules: Sequence[Schedule] | None = None,
    all_chains: bool = False,
) -> Iterator[Cell]:
    """The cells of a cipher on a machine; what is not given is all that there is.

    ``schedules`` not given: the default one, and those that the machine names in ``variants``.
    """
    if schedules is None:
        schedules = (Schedule(), *getattr(find_machine(machine), "variants", ()))
    for bits in key_lengths(cipher) if key_bits is None else key_bits:
        for operation in operations:
            for schedule in schedules:
                yield Cell(cipher, bits, operation, machine, schedule, all_chains)


def verify(cell: Cell) -> Verdict:
    """Compile a cell's program and run all known answers, and `CHAINS` Monte Carlo entries a mode, or all.

    Raises CompilerError where the machine is not to be had, and what `finalist.compile` raises for a
    cipher or key length that does not exist.
    """
    try:
        program = _compiled(cell)
        rows = vectors_of(cell.cipher)
        answers = check_known_answers(program, rows)
        own = sum(row.own for row in rows if len(row.key) * 8 == cell.key_bits)
        verdict = _verdict(cell, "ok", known_answers=answers, monte_carlo=_chains(cell, program))
        return replace(verdict, timing=program.timing, own=own)
    except ScheduleError as error:
        return _verdict(cell, "refused", str(error))
    except (VectorError, GraphError) as error:
        return replace(_verdict(cell, "failed", str(error)), explanation=_explanation(cell))


def verifying(cells: Sequence[Cell], *, processes: bool = False) -> Resumable[Cell, Verdict | CompilerError]:
    """The verdict of each cell, or why its machine is not to be had.

    Several are worked on at once, with ``processes`` each in one of its own (see `finalist.workers`); that
    is for ciphers that have a name or a file.
    """
    return Resumable(_verdict_or_error, cells, threads=not processes)


def _verdict_or_error(cell: Cell) -> Verdict | CompilerError:
    try:
        find_machine(cell.machine).describe()  # says at once, and even where all is cached, what is missing
        return verify(cell)
    except CompilerError as error:
        return error


def _explanation(cell: Cell) -> str:
    try:
        rows = vectors_of(cell.cipher)
    except VectorError:
        return ""  # damaged, which is the reason
    return "\n".join(explain(cell.cipher, cell.operation, cell.key_bits, rows))


def _compiled(cell: Cell) -> CompiledProgram:
    return stored.compiled(cell.cipher, cell.machine, cell.operation, cell.key_bits, cell.schedule)


def _chains(cell: Cell, program: CompiledProgram) -> int:
    """Monte Carlo, where a program is quick at single blocks; a chain has ten thousand of them."""
    if not isinstance(program, OneBlock):
        return 0
    own = [
        row
        for row in monte_carlo_of(cell.cipher)
        if row.direction == cell.operation and len(row.key) * 8 == cell.key_bits
    ]
    return check_monte_carlo(program, own if cell.all_chains else _some_of_each_mode(own))


def _some_of_each_mode(rows: list[MonteCarlo]) -> list[MonteCarlo]:
    """At most `CHAINS` of a mode, spread over all that there are."""
    chosen = []
    for mode in MODES:
        own = [row for row in rows if row.mode == mode]
        step = max(1, len(own) / CHAINS)
        chosen += [own[int(k * step)] for k in range(min(CHAINS, len(own)))]
    return chosen


def _verdict(
    cell: Cell, status: str, reason: str = "", *, known_answers: int = 0, monte_carlo: int = 0
) -> Verdict:
    return Verdict(
        cipher=cell.cipher.name(),
        key_bits=cell.key_bits,
        operation=cell.operation,
        machine=cell.machine,
        schedule=str(cell.schedule),
        status=status,
        reason=reason,
        known_answers=known_answers,
        monte_carlo=monte_carlo,
        definition=identity(cell.cipher),
    )
