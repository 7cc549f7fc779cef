"""Asking for constant time: the first of some schedules whose program has that label."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from finalist.errors import ScheduleError
from finalist.passes.timing import CONSTANT, Timing
from finalist.schedule import Schedule


class Labelled(Protocol):
    """A program that knows the labels of its parts."""

    @property
    def cipher(self) -> str:
        """The cipher's name."""

    @property
    def schedule(self) -> Schedule:
        """The schedule, with nothing open."""

    @property
    def parts(self) -> Timing:
        """The labels of key schedule and kernel."""


P = TypeVar("P", bound=Labelled)


def first_constant_time(
    build: Callable[[Schedule], P], candidates: Iterable[Iterable[Schedule]], cost: Callable[[P], float]
) -> P:
    """The program of the first group of candidates in which one is legal and constant-time.

    The groups come the fastest first; within one the least ``cost`` counts. Raises ScheduleError: where
    none is legal, as the first does; where none has the label, saying what gives a secret away in the last,
    which was to give away least.
    """
    refused, first = "", None
    for group in candidates:
        found = []
        for candidate in group:
            try:
                program = build(candidate)
            except ScheduleError as error:
                first = first or error
                continue
            if program.parts.label == CONSTANT:
                found.append(program)
            else:
                words = " ".join(text for text in program.schedule.texts() if text != "constant-time")
                refused = (
                    f"constant-time is not legal for {program.cipher}: under {words} {program.parts.reason}"
                )
        if found:
            return min(found, key=cost)
    raise first if first is not None and not refused else ScheduleError(refused)
