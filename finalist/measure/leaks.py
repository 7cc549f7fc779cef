"""Verdicts on compiled programs that are watched for secrets in branches and addresses, in several builds."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

from finalist import api
from finalist.cache.notes import note
from finalist.ciphers.catalogue import identity, is_built_in
from finalist.errors import CompilerError, ScheduleError, VectorError
from finalist.language.cipher import Cipher
from finalist.machines.registry import is_own
from finalist.measure.memcheck import (
    FILES,
    VALGRIND,
    Build,
    LeakError,
    Watchable,
    Watched,
    inputs,
    lacking,
    missing,
    read_watched,
    watch,
)
from finalist.passes.timing import CONSTANT
from finalist.schedule import Schedule
from finalist.toolchain import compiler

#: Bits of the narrowest vectors.
_NARROWEST = 128


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one program in all builds.

    ``status``: clean; leaks, which a program that is labelled constant-time must not; as labelled, where
    another one does; refused, where the schedule is not legal; failed, where a build was not made or gave no
    result. ``label`` is the program's, ``reason`` why it is not better, why the schedule is refused, or what
    failed. ``key_schedule`` and ``kernel`` are the most reports in a build, ``found`` what was seen in each.
    ``instead_of``: the schedule asked for, where valgrind does not know its instructions and the program of a
    narrower one was watched. ``definition``: as `finalist.ciphers.catalogue.identity` says it.
    """

    cipher: str
    operation: str
    key_bits: int
    schedule: str
    status: str
    label: str = ""
    reason: str = ""
    key_schedule: int = 0
    kernel: int = 0
    found: tuple[Watched, ...] = ()
    instead_of: str = ""
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One program to watch."""

    cipher: type[Cipher]
    machine: str
    operation: str
    key_bits: int
    schedule: Schedule


def check_all(cells: Sequence[Cell], using: Sequence[Build], again: bool = False) -> Iterator[Verdict]:
    """The verdicts, in order, each as soon as it is known; several builds are worked on at once.

    Unless ``again``, what was seen before is taken from the cache: of the same text, compilers and CPU what
    was watched, and where Finalist's files are the same, too, the verdict. Failures are not cached, nor
    verdicts on definitions and machines that are not Finalist's own.
    Raises LeakError where there is no valgrind, or a machine has no compiled programs.
    """
    lack = missing()
    if lack:
        raise LeakError(lack)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        watching = _Watching(pool, using, again)
        for cell in cells:
            own = is_built_in(cell.cipher) and is_own(cell.machine)
            yield _cached(cell, watching) if own and not again else watching.check(cell)


def _cached(cell: Cell, watching: _Watching) -> Verdict:
    using = watching.using
    asked = cell.cipher.name(), cell.machine, cell.operation, str(cell.key_bits), str(cell.schedule)
    failed: list[Verdict] = []

    def make() -> dict[str, Any] | None:
        found = watching.check(cell)
        if found.status == "failed":
            failed.append(found)
            return None
        return asdict(found)

    commands = dict.fromkeys([(VALGRIND,), *(each.command for each in using)])
    tools = map(compiler.environment, commands)
    document = note("leaks", (*asked, *map(str, using), *tools), make)
    return failed[0] if document is None else _read(document)


def _read(document: dict[str, Any]) -> Verdict:
    """A verdict from JSON, which has lists for tuples."""
    return Verdict(**document | {"found": tuple(map(read_watched, document["found"]))})


def _watch_once(program: Watchable, build: Build, expected: bytes) -> Watched:
    """As `watch`, or what that saw before of this text: which passes wrote it makes no difference to it."""
    tools = map(compiler.environment, ((VALGRIND,), build.command))
    about = (program.text, program.operation, str(program.key_bits), str(build), expected.hex(), *tools)
    return read_watched(note("watched", about, lambda: asdict(watch(program, build, expected)), FILES))


class _Watching:
    """Programs that are watched in each of the builds, several at once; one that comes again, once.

    ``known``: what is seen, or will be, by what the program is and the build.
    """

    def __init__(self, pool: ThreadPoolExecutor, using: Sequence[Build], again: bool) -> None:
        self.pool, self.using, self.again = pool, using, again
        self.known: dict[tuple[object, Build], Future[Watched]] = {}

    def check(self, cell: Cell) -> Verdict:
        """Watch one program in each build."""
        told = (cell.cipher.name(), cell.operation, cell.key_bits)
        which = identity(cell.cipher)
        try:
            asked = _compile(cell, cell.schedule)
            program = _known_to_valgrind(cell, asked)
        except ScheduleError as error:
            return Verdict(*told, str(cell.schedule), "refused", reason=str(error), definition=which)
        parts, schedule = program.parts, str(program.schedule)
        try:
            seen = self._seen(cell, program)
        except (CompilerError, LeakError, VectorError) as error:
            return Verdict(*told, schedule, "failed", parts.label, str(error), definition=which)
        return Verdict(
            *told,
            schedule,
            status_of(parts.label, seen),
            parts.label,
            parts.reason,
            max(one.key_schedule for one in seen),
            max(one.kernel for one in seen),
            seen,
            "" if program is asked else str(asked.schedule),
            which,
        )

    def _seen(self, cell: Cell, program: Watchable) -> tuple[Watched, ...]:
        which = (cell.cipher, cell.operation, cell.key_bits, str(program.schedule), program.text)
        digest = hashlib.sha256(repr(which).encode()).digest()
        if any((digest, build) not in self.known for build in self.using):
            key, data = inputs(program)
            definition = api.compile(cell.cipher, "interpreter", cell.operation, cell.key_bits)
            expected = definition.run(key, data).output
            for build in self.using:
                seen = watch if self.again else _watch_once
                self.known[digest, build] = self.pool.submit(seen, program, build, expected)
        return tuple(self.known[digest, build].result() for build in self.using)


def _compile(cell: Cell, schedule: Schedule) -> Watchable:
    program = api.compile(cell.cipher, cell.machine, cell.operation, cell.key_bits, schedule)
    if not isinstance(program, Watchable):
        raise LeakError(f"{cell.machine} has no compiled program that could be watched")
    return program


def _known_to_valgrind(cell: Cell, program: Watchable) -> Watchable:
    """The program, or the widest narrower one whose text does without instructions that valgrind lacks.

    Raises ScheduleError where there is none.
    """
    while unknown := lacking(program.needs):
        width = (program.schedule.width or 1) // 2
        if width < _NARROWEST:
            raise ScheduleError(f"{program.cipher} can't be watched: valgrind has no {', '.join(unknown)}")
        program = _compile(cell, replace(cell.schedule, width=width, lookup=program.schedule.lookup))
    return program


def status_of(label: str, seen: Sequence[Watched]) -> str:
    """``clean``, ``leaks`` or ``as labelled``; see `Verdict`."""
    if all(one.clean for one in seen):
        return "clean"
    return "leaks" if label == CONSTANT else "as labelled"
