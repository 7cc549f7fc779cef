"""Which points a sweep has: ciphers x machines x key lengths x operations x schedules."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from finalist.cache.origin import code_digest
from finalist.ciphers.catalogue import Reference, identity, reference
from finalist.errors import CompilerError, ScheduleError
from finalist.language.cipher import Cipher
from finalist.machines.base import Comparing, Estimating
from finalist.machines.registry import machine as find_machine
from finalist.measure.figure import digest
from finalist.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Point:
    """One program that figures are taken of. ``schedule``: as it is asked for; ``name``: what it is kept
    under, a digest of all that its figures depend on, so that it is measured once."""

    cipher: Reference
    machine: str
    operation: str
    key_bits: int
    schedule: str
    name: str

    def __str__(self) -> str:
        shown = self.cipher.shown or self.cipher.text
        return f"{shown} {self.operation} {self.key_bits}, {self.machine}, {self.schedule}"


def points(
    cipher: type[Cipher],
    machine: str,
    *,
    operations: Iterable[str],
    key_bits: int,
    schedules: Sequence[Schedule] = (),
    all_schedules: bool = False,
) -> Iterator[Point]:
    """The points of a cipher on a machine.

    ``schedules`` not given: of hardware all architectures, of others the default, which is the quickest that
    is known where the machine has been tuned; with ``all_schedules`` also those that the machine names or
    compares. Some may turn out to be refused.
    """
    surroundings = _surroundings(machine)
    for operation in operations:
        own = schedules or _usual(cipher, machine, operation, key_bits, all_schedules)
        for schedule in dict.fromkeys(map(str, own)):
            what = (identity(cipher), _of_file(cipher.file), machine, operation, str(key_bits), schedule)
            name = digest("\0".join((*what, surroundings, code_digest())))
            yield Point(reference(cipher), machine, operation, key_bits, schedule, name)


def _usual(
    cipher: type[Cipher], machine: str, operation: str, key_bits: int, all_schedules: bool
) -> list[Schedule]:
    found = find_machine(machine)
    if isinstance(found, Estimating):
        try:
            names = found.architectures(cipher, operation, key_bits)
        except ScheduleError:
            return [Schedule()]  # which will be refused, with the reason
        return [Schedule(architecture=name) for name in names]
    if not all_schedules:
        return [Schedule()]
    if isinstance(found, Comparing):
        return [Schedule(), *found.compared(cipher, key_bits=key_bits, directions="one")]
    return [Schedule(), *getattr(found, "variants", ())]


@lru_cache(maxsize=64)
def _surroundings(machine: str) -> str:
    """What figures depend on beside Finalist; nothing where a tool is lacking, which a point may not need."""
    try:
        told = find_machine(machine).describe()
    except CompilerError:
        return ""
    return "; ".join(f"{name} {value}" for name, value in told.items())


def _of_file(path: str) -> str:
    """A digest of a user's definition; a built-in one is among Finalist's own files."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""
