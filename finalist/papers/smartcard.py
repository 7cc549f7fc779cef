"""Table 5.4 of the Twofish book: Twofish on a 6805 smart card, and ours from the simulated card beside it.

B. Schneier and others, "The Twofish Encryption Algorithm" (1999). Each row is a schedule of the one
definition (``notes/smartcard.json``); its program has just reproduced vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from finalist.ciphers.catalogue import cipher
from finalist.measure.taken import Taken, taking
from finalist.papers.load import notes_on, paper
from finalist.resumable import Resumable
from finalist.schedule import Schedule, parse_schedule

MACHINE = "hc05"
KEY_BITS = 128
#: How much more than the book's clocks a row may take.
_CLOCKS = 1.1


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the table: bytes of ``key`` memory, ``ram``, ``rom`` (code of both operations, and tables),
    and ``clocks`` a block."""

    key: int
    ram: int
    rom: int
    clocks: float


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the book, and ours, if there is a program, or why there is none."""

    number: int
    schedule: str
    theirs: Entry
    ours: Entry | None
    reason: str = ""

    @property
    def lacking(self) -> list[str]:
        """In what ours does not reach the book's: clocks (a tenth more is allowed), bytes, memory."""
        if self.ours is None:
            return ["program"]
        more = {
            "clocks": self.ours.clocks > _CLOCKS * self.theirs.clocks,
            "code and tables": self.ours.rom > self.theirs.rom,
            "RAM": self.ours.ram > self.theirs.ram,
            "key memory": self.ours.key > self.theirs.key,
        }
        return [name for name, is_so in more.items() if is_so]


def measuring() -> Resumable[Taken, Taken]:
    """What the programs of all rows take."""
    return taking(cipher(notes_on("smartcard")["cipher"]), KEY_BITS, MACHINE, schedules())


def schedules() -> list[Schedule]:
    """Of each row of the table."""
    return [parse_schedule([text]) for text in notes_on("smartcard")["rows"]]


def rows(found: Iterable[Taken]) -> Iterator[Row]:
    """All rows, by what their programs take."""
    own = {one.schedule: one for one in found}
    texts = notes_on("smartcard")["rows"]
    for number, (row, text) in enumerate(zip(paper("smartcard")["rows"], texts, strict=True), 1):
        one = own[str(parse_schedule([text]))]
        yield Row(number, text, Entry(*row[:4]), None if one.refused else entry(one), one.refused)


def entry(found: Taken) -> Entry:
    """The figures of a program."""
    return Entry(found.key, found.ram, found.rom, found.clocks)


def measuring_others() -> Iterator[tuple[tuple[str, str], Resumable[Taken, Taken]]]:
    """Other ciphers on the card: what each is called and its schedule, and what its program takes."""
    for name, one, bits, text in notes_on("smartcard")["ours"]:
        yield (name, text), taking(cipher(one), bits, MACHINE, [parse_schedule([text])])
