"""Where each choice of a schedule comes from: asked for, tuned, by default, or found by trying."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from finalist.errors import ScheduleError
from finalist.ir.program import Program
from finalist.language.cipher import Cipher
from finalist.machines.base import Machine, Trying
from finalist.schedule import Choice, Schedule, schedule_of, spelt
from finalist.tuning import choose

ASKED, TUNED, DEFAULT, TRIED = "asked for", "tuned", "default", "tried"


@dataclass(frozen=True, slots=True)
class Origin:
    """A word of a schedule, as `-s` takes it; its value, where that comes from (see above), and why."""

    word: str
    value: Choice
    origin: str
    why: str


def with_tuned(
    cipher: type[Cipher], machine: str, operation: str, key_bits: int, asked: Schedule
) -> Schedule:
    """What is asked for, over what was tuned if that is asked for. Raises ScheduleError."""
    if asked.tuned is None:
        return asked
    found = choose.tuned(cipher, operation, key_bits, machine, asked.tuned)
    return replace(asked, tuned=None).over(found)


def said_of(error: ScheduleError, asked: Schedule, given: Schedule) -> ScheduleError:
    """The error of a schedule ``given``, which says what of it was tuned and not ``asked`` for."""
    own = replace(asked, tuned=None)
    if not own.chosen():
        return error
    tuned = {name: value for name, value in given.chosen().items() if name not in own.chosen()}
    return ScheduleError(
        f"{error.reason}; {schedule_of(**tuned)} is from tuned={asked.tuned}; accepted:"
        f" tuned={asked.tuned} alone, or {own} alone"
    )


def origins(
    machine: Machine, traced: Program, asked: Schedule, given: Schedule, full: Schedule
) -> Iterator[Origin]:
    """Each choice of the schedule that a program has, ``full``.

    ``given``: what the machine was given, which is ``asked`` with what was tuned.
    """
    tried = machine.tried(traced, given, full) if isinstance(machine, Trying) else ()
    words = {word.name: word for word in machine.words}
    for name, value in full.chosen().items():
        word = spelt(name)
        if name in asked.chosen():
            yield Origin(word, value, ASKED, "")
        elif name in given.chosen():
            yield Origin(word, value, TUNED, "the quickest that `finalist tune` knows")
        elif word in tried:
            yield Origin(
                word, value, TRIED, "left open: of the programs that were made the one that takes least"
            )
        else:
            yield Origin(word, value, DEFAULT, words[word].default)
