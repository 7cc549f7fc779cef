"""Programs compiled side by side, before any of them is measured: then nothing else is to be done."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass

from finalist import stored
from finalist.ciphers.catalogue import Reference, reference
from finalist.errors import FinalistError
from finalist.language.cipher import Cipher
from finalist.machines.base import InModes
from finalist.schedule import Schedule


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
