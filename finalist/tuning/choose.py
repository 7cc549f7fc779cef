"""The quickest schedule known for a message of some length, from the trials of this computer."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from finalist.language.cipher import Cipher
from finalist.schedule import Schedule, parse_schedule
from finalist.tuning import trials
from finalist.tuning.search import Task, place_of
from finalist.tuning.trials import LENGTHS, Trial


@dataclass(frozen=True, slots=True)
class Winner:
    """The quickest trial of a task at one length of message, in bytes."""

    data_bytes: int
    trial: Trial


def winners(found: Iterable[Trial]) -> list[Winner]:
    """Of the trials of one task, the quickest at each length that all were timed on."""
    timed = [trial for trial in found if trial.timed]
    if not timed:
        return []
    return [Winner(length, min(timed, key=lambda t: t.at(length))) for length in LENGTHS]


def best(
    cipher: type[Cipher], operation: str, key_bits: int, data_bytes: int, machine: str = "native"
) -> Schedule | None:
    """The schedule that was quickest for messages of so many bytes; None where none was ever tried.

    Raises TuningError where the file of trials can't be read.
    """
    own = _trials(cipher, operation, key_bits, machine)
    fitting = [one for one in winners(own) if one.data_bytes <= max(data_bytes, LENGTHS[0])]
    return fitting[-1].trial.choices() if fitting else None


def ladder(cipher: type[Cipher], operation: str, key_bits: int, machine: str = "native") -> list[Winner]:
    """The quickest schedules by the length of a message, each from its ``data_bytes`` on.

    None where none was tried. Raises TuningError where the file of trials can't be read.
    """
    found: list[Winner] = []
    for one in winners(_trials(cipher, operation, key_bits, machine)):
        if not found or found[-1].trial.schedule != one.trial.schedule:
            found.append(one)
    return found


def best_of_one(
    cipher: type[Cipher], operation: str, key_bits: int, machine: str = "native"
) -> Schedule | None:
    """The schedule of one block a call that was quickest on short messages; None where none was tried."""
    trials_of_one = [
        trial
        for trial in _trials(cipher, operation, key_bits, machine)
        if parse_schedule([trial.schedule]).blocks == 1
    ]
    found = winners(trials_of_one)
    return found[0].trial.choices() if found else None


def _trials(cipher: type[Cipher], operation: str, key_bits: int, machine: str) -> list[Trial]:
    """All trials of a task that were made here."""
    known = _known(trials.trials_file())
    if not known:
        return []
    place = place_of(machine)
    return known.get((Task(cipher, machine, operation, key_bits).name, place, machine), [])


def _known(path: Path) -> dict[tuple[str, str, str], list[Trial]]:
    """The latest trials by task, place and machine; read again when the file has changed."""
    try:
        told = os.stat(path)
    except OSError:
        return {}
    return _read(path, told.st_mtime_ns, told.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> dict[tuple[str, str, str], list[Trial]]:
    by_task: dict[tuple[str, str, str], list[Trial]] = {}
    for trial in trials.latest(trials.read(path).rows):
        by_task.setdefault((trial.task, trial.place, trial.machine), []).append(trial)
    return by_task
