"""What programs take of a machine with little memory, schedule by schedule: bytes, and cycles a block.

A figure is of a program that has just reproduced vectors. What was found is recorded, so that a run that was
stopped goes on, as long as Finalist's own files are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from finalist.cache.origin import code_digest
from finalist.ciphers.catalogue import Reference, identity, is_built_in, reference
from finalist.errors import CompilerError, FinalistError, ScheduleError, VectorError
from finalist.language.cipher import Cipher
from finalist.machines.registry import is_own
from finalist.measure.cycles import TakesMemory, checked
from finalist.measure.records import Store
from finalist.resumable import Resumable
from finalist.schedule import Schedule, parse_schedule

_OPERATIONS = ("encrypt", "decrypt")


class TakenError(FinalistError):
    """The file of what programs take can't be read or written."""


@dataclass(frozen=True)
class Taken:
    """What a program takes: bytes of ``key`` memory, of working memory with the stack, ``ram``, and of code
    and tables, ``rom``; ``clocks`` a block, of the slower direction where it has both. ``refused``: why there
    is none, else empty."""

    cipher: str
    key_bits: int
    machine: str
    schedule: str
    key: int = 0
    ram: int = 0
    rom: int = 0
    clocks: float = 0.0
    refused: str = ""
    definition: str = ""
    code: str = ""

    def __str__(self) -> str:
        return f"{self.cipher} {self.schedule}"


STORE = Store(Taken, "the file of what programs take", "FINALIST_TAKEN", "taken.jsonl", TakenError)


def taking(
    cipher: type[Cipher], key_bits: int, machine: str, schedules: Sequence[Schedule]
) -> Resumable[Taken, Taken]:
    """What each schedule's program takes, or why it is refused; of each the record before it is measured.

    Raises TakenError, and its runs do.
    """
    blanks = [_blank(cipher, key_bits, machine, schedule) for schedule in schedules]
    settled = is_built_in(cipher) and is_own(machine)  # others may be others tomorrow
    earlier = {_key(row): row for row in STORE.read().rows} if settled else {}
    return Resumable(
        partial(_measured, reference(cipher)),
        blanks,
        known={blank: earlier[blank] for blank in blanks if blank in earlier},
        keep=lambda _, found: STORE.append([found]) if settled else None,
    )


def _blank(cipher: type[Cipher], key_bits: int, machine: str, schedule: Schedule) -> Taken:
    own = (cipher.name(), key_bits, machine, str(schedule))
    return Taken(*own, definition=identity(cipher), code=code_digest())


def _key(found: Taken) -> Taken:
    """The same before anything was measured."""
    return replace(found, key=0, ram=0, rom=0, clocks=0.0, refused="")


def _measured(cipher: Reference, blank: Taken) -> Taken:
    try:
        return _of_programs(cipher.load(), blank)
    except (ScheduleError, VectorError, CompilerError) as error:
        return replace(blank, refused=" ".join(str(error).split()))


def _of_programs(cipher: type[Cipher], blank: Taken) -> Taken:
    schedule = parse_schedule([blank.schedule])
    operations = _OPERATIONS if schedule.directions == "both" else _OPERATIONS[:1]
    made = [checked(cipher, blank.machine, one, blank.key_bits, schedule) for one in operations]
    bytes_ = [one for one in made if isinstance(one, TakesMemory)]
    if len(bytes_) < len(made):
        raise ScheduleError(f"{blank.machine} counts no bytes")
    memory = bytes_[0].memory
    clocks = max(one.cycles_a_block for one in bytes_)
    return replace(blank, key=memory.key, ram=memory.ram, rom=memory.rom, clocks=clocks)
