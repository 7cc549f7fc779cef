"""Table 5.4 of the Twofish book: Twofish on a 6805 smart card, and ours from the simulated card beside it.

B. Schneier and others, "The Twofish Encryption Algorithm" (1999). Each row is a schedule of the one
definition (``notes/smartcard.json``); its program has just reproduced vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from finalist.errors import ScheduleError
from finalist.measure.cycles import TakesMemory, checked
from finalist.papers.load import notes_on, paper
from finalist.schedule import parse_schedule

MACHINE = "hc05"
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


def rows() -> Iterator[Row]:
    """All rows, each as soon as it is measured."""
    pairs = zip(paper("smartcard")["rows"], notes_on("smartcard")["rows"], strict=True)
    for number, (row, text) in enumerate(pairs):
        theirs = Entry(*row[:4])
        try:
            yield Row(number + 1, text, theirs, entry(notes_on("smartcard")["cipher"], 128, text))
        except ScheduleError as error:
            yield Row(number + 1, text, theirs, None, str(error))


def entry(cipher: str, key_bits: int, text: str) -> Entry:
    """What a cipher takes on the card under a schedule. Raises ScheduleError."""
    found = list(_programs(cipher, key_bits, text))
    memory = found[0].memory
    return Entry(memory.key, memory.ram, memory.rom, max(made.cycles_a_block for made in found))


def _programs(cipher: str, key_bits: int, text: str) -> Iterator[TakesMemory]:
    schedule = parse_schedule([text])
    for operation in ("encrypt", "decrypt") if schedule.directions == "both" else ("encrypt",):
        made = checked(cipher, MACHINE, operation, key_bits, schedule)
        assert isinstance(made, TakesMemory)
        yield made
