"""Which texts are compared: each cipher, operation, key length, machine; under representative schedules."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from finalist import version
from finalist.cache.notes import note
from finalist.ciphers.catalogue import cipher
from finalist.errors import CompilerError, FinalistError, ScheduleError
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.base import Estimating, Machine
from finalist.machines.registry import machine, machine_names
from finalist.schedule import Schedule, parse_schedule
from finalist.vectors.load import key_lengths
from tests.catalogue import ALL, OTHERS

#: The version that the heads of texts name here: a new one changes no digest.
_AS_OF = "0.1.0"
#: Machines with parameters, beside each as it is by itself, and what is chosen for all their programs: of
#: several layouts of words the machine would take the one whose program runs in the fewest cycles.
CONFIGURED = {
    "plx:with=ptlu": Schedule(),
    "plx:word=64,with=ptlu": Schedule(width=1),
    "plx:word=128,with=ptlu+shuffle": Schedule(width=1),
    "plx:word=64": Schedule(width=64),
    "plx:multiplier=16,issue=2/1,with=aes32": Schedule(),
    "plx:issue=8/2,shifters=2,with=extract+andn": Schedule(),
    "plx:tables=4,with=ptlu": Schedule(),
}
#: Of machines each of whose texts takes seconds: so few are compared, by cipher, operation, schedule; all of
#: them with every change.
FEW = {
    "c62x": (
        ("rc6", "encrypt", ""),
        ("rijndael", "encrypt", ""),
        ("twofish", "decrypt", "blocks=1 rounds=1"),
        ("des", "encrypt", ""),
        ("rc4", "encrypt", ""),
    ),
    "c64x": (
        ("rijndael", "encrypt", ""),
        ("rc6", "decrypt", ""),
        ("twofish", "encrypt", "blocks=2"),
    ),
    "hc05": (
        ("rijndael", "decrypt", ""),
        ("rijndael", "encrypt", "optimise=size"),
    ),
}
#: One in so many cases is in the part that is compared with every change, which takes less than a minute.
PART = 139
#: The same of machines whose texts are made in no time.
PART_OF = {"native": 29, "interpreter": 48}
#: What a text is where the schedule is not legal, and where it is one of several programs that have to run.
REFUSED, CHOSEN = "refused", "chosen-by-running"


@dataclass(frozen=True, order=True, slots=True)
class Case:
    """A text; ``schedule`` as `Schedule` writes itself, empty for the default."""

    machine: str
    cipher: str
    operation: str
    key_bits: int
    schedule: str = ""

    def __str__(self) -> str:
        told = f"{self.cipher} {self.operation} {self.key_bits} {self.machine}"
        return " ".join([told, *self.schedule.split()])

    @property
    def kind(self) -> str:
        """The machine without its parameters."""
        return self.machine.partition(":")[0]

    @property
    def in_part(self) -> bool:
        """Whether it is one of the few that are compared with every change."""
        if self.kind in FEW:
            return True
        part = PART_OF.get(self.kind, PART)
        return zlib.crc32(str(self).encode()) % part == 0

    def digest(self) -> str:
        """Of the text that is emitted now; `REFUSED` where the schedule is not legal."""
        choices = parse_schedule(self.schedule.split())
        try:
            made = machine(self.machine).compile(
                cipher(self.cipher), operation=self.operation, key_bits=self.key_bits, schedule=choices
            )
            text = made.text.replace(f"Finalist {version.VERSION}", f"Finalist {_AS_OF}")
            return hashlib.sha256(text.encode()).hexdigest()[:16]
        except ScheduleError:
            return REFUSED
        except CompilerError:
            return CHOSEN


def digests_of(portion: Iterable[Case]) -> dict[Case, str]:
    """The digest of each, one after the other: what they have in common is made once.

    They are noted for these files of Finalist, so that a run that was stopped goes on where it was.
    """
    wanted = list(portion)
    found = note("replay", tuple(map(str, wanted)), lambda: [case.digest() for case in wanted])
    return dict(zip(wanted, found, strict=True))


def cases(names: list[str] | None = None) -> Iterator[Case]:
    """All of these ciphers, else of every built-in one; of other groups than the usual few."""
    for name in names or ALL:
        definition = cipher(name)
        if name in OTHERS:
            yield from _by_default(definition)
            continue
        for kind in (*(name for name in machine_names() if name not in FEW), *CONFIGURED):
            yield from _of(definition, kind, CONFIGURED.get(kind, Schedule()))
        yield from _few(definition)


def _by_default(definition: type[Cipher]) -> Iterator[Case]:
    """What machines that are not slow make by themselves, with keys of the usual length."""
    for kind in (name for name in machine_names() if name not in FEW):
        for operation in OPERATIONS:
            yield Case(kind, definition.name(), operation, definition.usual_key_bits())


def _few(definition: type[Cipher]) -> Iterator[Case]:
    """Those of a cipher that are in FEW, with keys of the usual length."""
    name, bits = definition.name(), definition.usual_key_bits()
    for kind, chosen in FEW.items():
        for cipher_name, operation, schedule in chosen:
            if cipher_name == name:
                yield Case(kind, name, operation, bits, schedule)


def _of(definition: type[Cipher], kind: str, base: Schedule) -> Iterator[Case]:
    """All key lengths by the machine's own choices, the usual one by all schedules; ``base``: for each."""
    usual, found = definition.usual_key_bits(), machine(kind)
    for operation in OPERATIONS:
        for bits in key_lengths(definition):
            yield Case(kind, definition.name(), operation, bits, _written(base))
        for schedule in _schedules(definition, found, operation, usual):
            yield Case(kind, definition.name(), operation, usual, _written(base.over(schedule)))


def _written(schedule: Schedule) -> str:
    return "" if schedule == Schedule() else str(schedule)


def _schedules(definition: type[Cipher], found: Machine, operation: str, bits: int) -> list[Schedule]:
    """Those beside the default that the machine names, but such as have programs run to compare them."""
    named = [*getattr(found, "variants", ())]
    if isinstance(found, Estimating):
        try:
            all_of_them = found.architectures(definition, operation, bits)
        except FinalistError:
            all_of_them = []
        named += [Schedule(architecture=one) for one in all_of_them]
    return list(dict.fromkeys(one for one in named if one.optimise is None))
