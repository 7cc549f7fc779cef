"""The quickest schedule known for a message of some length.

By the trials of this computer; where there are none, by those of another of its kind, which come along.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from finalist import stored
from finalist.errors import ScheduleError
from finalist.language.cipher import Cipher
from finalist.machines.registry import machine as find_machine
from finalist.schedule import Choice, Schedule, parsed
from finalist.tuning import shipped, trials
from finalist.tuning.search import Task, Tunable, place_of
from finalist.tuning.trials import CHAIN, LENGTHS, Trial

#: Programs that take no more than so many times as long as the quickest: a timer hardly tells them apart.
ALIKE = 1.015
#: A message fills a program's calls if a byte of it takes no more than so many times as in the longest one.
_FILLING = 1.1


@dataclass(frozen=True, slots=True)
class Winner:
    """The quickest trial of a task at one length of message, in bytes."""

    data_bytes: int
    trial: Trial


def ranked(timed: Iterable[Trial], length: int) -> list[Trial]:
    """The trials that were timed, the quickest on messages of a length first.

    Among those `ALIKE` whose calls it fills, the one with least to do comes first: a mode of operation adds
    to that.
    """
    by_cost = sorted(timed, key=lambda trial: trial.cost(length))
    alike = _alike(by_cost, length)
    return _in_order(alike, length) + by_cost[len(alike) :]


def _compared(timed: Sequence[Trial]) -> Sequence[Trial]:
    """Those that were timed in a mode of operation, too, if any were; else all."""
    return [trial for trial in timed if trial.mode] or timed


def _alike(timed: Sequence[Trial], length: int) -> list[Trial]:
    """Those that a timer hardly tells from the quickest on messages of a length."""
    most = ALIKE * min(trial.cost(length) for trial in timed)
    return [trial for trial in timed if trial.cost(length) <= most]


def _in_order(alike: list[Trial], length: int) -> list[Trial]:
    """Those with least to do first, if a message of a length fills the calls of all."""
    if all(trial.cycles(length) <= _FILLING * trial.cycles(LENGTHS[-1]) for trial in alike):
        return sorted(alike, key=lambda trial: trial.operations)
    return alike


def winners(found: Iterable[Trial]) -> list[Winner]:
    """Of the trials of one task, the first of the `ranked` at each length that all were timed on."""
    timed = _compared([trial for trial in found if trial.timed])
    return [Winner(length, ranked(timed, length)[0]) for length in LENGTHS if timed]


def serving(timed: Sequence[Trial]) -> dict[int, Trial]:
    """Trials by the length of message from which on each serves: as few as there can be, since each has a key
    set-up of its own, and each `ALIKE` the quickest at all lengths that it serves."""
    kept: dict[int, Trial] = {}
    at, start = list(LENGTHS), 0
    while start < len(at):
        alike, end = _alike(timed, at[start]), start + 1
        while end < len(at) and (both := [one for one in _alike(timed, at[end]) if one in alike]):
            alike, end = both, end + 1
        alike.sort(key=lambda trial: sum(trial.cost(length) * length for length in at[start:end]))
        kept[at[start]] = _in_order(alike, at[end - 1])[0]
        start = end
    return kept


def by_length(found: Iterable[Trial]) -> shipped.Winners:
    """Of the trials of one task: the message lengths, in bytes, from which on another schedule serves, and
    that schedule as it was asked for; and that of chains, under `CHAIN`."""
    tried = list(found)
    timed = _compared([trial for trial in tried if trial.timed])
    kept = {length: trial.asked for length, trial in serving(timed).items()} if timed else {}
    chained = [trial for trial in tried if trial.chained]
    if chained:
        kept[CHAIN] = _in_chain(chained).asked
    return kept


def _in_chain(chained: Sequence[Trial]) -> Trial:
    """The quickest in a chain; of those `ALIKE` in it the quickest on blocks that wait for no other, since a
    short chain waits for little, and with its key set-up, if that was timed."""
    known = [trial for trial in chained if trial.set_up] or chained
    most = ALIKE * min(trial.cycles(CHAIN) for trial in known)
    return min((one for one in known if one.cycles(CHAIN) <= most), key=_once)


def _once(trial: Trial) -> float:
    """Core cycles of a few blocks under a key of their own."""
    return trial.set_up / trial.ticks_per_cycle + LENGTHS[0] * trial.cycles(LENGTHS[0])


def best(
    cipher: type[Cipher], operation: str, key_bits: int, data_bytes: int, machine: str = "native"
) -> Schedule | None:
    """The schedule that was quickest for messages of so many bytes; None where none was ever tried.

    Keys of a length that nothing was tried for take what serves the usual one: they change the number of
    rounds at most. Raises TuningError where the file of trials can't be read.
    """
    for known in _known(cipher, operation, key_bits, machine):
        found = _serving(known, data_bytes)
        # One of a CPU that has what this one lacks is not legal here.
        if found is not None and stored.is_legal(cipher, machine, operation, key_bits, found):
            return found
    return None


def tuned(
    cipher: type[Cipher],
    operation: str,
    key_bits: int,
    machine: str = "native",
    message: Choice = "long",
) -> Schedule:
    """What the schedule word `tuned` stands for: the quickest schedule for messages of so many bytes.

    ``message``: their length in bytes, or ``long``. As `best`, but that it raises ScheduleError with the
    reason where there is none: it may be that nobody tuned, or that no winner is legal here.
    """
    word = f"tuned={message}"
    if not tunable(machine):
        raise ScheduleError(f"{word}: {machine} has no schedules that are tuned")
    found = best(cipher, operation, key_bits, LENGTHS[-1] if message == "long" else int(message), machine)
    if found is None:
        what, how = f"{cipher.name()} {operation}, {key_bits}-bit keys", command(cipher, operation, key_bits)
        raise ScheduleError(f"{word}: nobody has tuned {what} on a CPU like this one; `{how}` does")
    return found


def tunable(machine: str) -> bool:
    """Whether there is anything to tune on a machine. Raises UnknownNameError."""
    return isinstance(find_machine(machine), Tunable)


def command(cipher: type[Cipher], operation: str = "", key_bits: int = 0) -> str:
    """The command that tunes a cipher, or one operation and key length of it."""
    options = ["--operation", operation] if operation else []
    if key_bits and key_bits != cipher.usual_key_bits():
        options += ["--key-bits", str(key_bits)]
    return shlex.join(["finalist", "tune", cipher.source or cipher.name(), *options])


def _serving(known: shipped.Winners, data_bytes: int) -> Schedule | None:
    """Of winners by length the one for so many bytes, or, where they are few, the shortest length's."""
    lengths = sorted(length for length in known if length != CHAIN)
    fitting = [length for length in lengths if length <= data_bytes] or lengths[:1]
    return parsed(known[fitting[-1]]) if fitting else None


def ladder(
    cipher: type[Cipher], operation: str, key_bits: int, machine: str = "native"
) -> dict[int, Schedule]:
    """The same for messages of any length: schedules by the bytes from which on each is the quickest.

    They may turn out not to be legal here. Empty where none was ever tried.
    """
    found = _all(cipher, operation, key_bits, machine)
    return {length: parsed(asked) for length, asked in found.items() if length != CHAIN}


def _key_lengths(cipher: type[Cipher], key_bits: int) -> Iterable[int]:
    """Key lengths whose trials serve, the best first; none where the cipher has no such keys."""
    return dict.fromkeys((key_bits, cipher.usual_key_bits())) if key_bits in cipher.key_bits else ()


def best_of_one(
    cipher: type[Cipher], operation: str, key_bits: int, machine: str = "native"
) -> Schedule | None:
    """The schedule of one block a call that was quickest in a chain; None where none was ever tried."""
    found = _all(cipher, operation, key_bits, machine).get(CHAIN)
    return None if found is None else parsed(found)


def of_stream(cipher: type[Cipher], operation: str, key_bits: int, machine: str = "native") -> Schedule:
    """The schedule of all messages under a stream cipher, whose state is in one program's key: what was
    quickest on the longest messages, or the default."""
    return best(cipher, operation, key_bits, LENGTHS[-1], machine) or Schedule()


def _all(cipher: type[Cipher], operation: str, key_bits: int, machine: str) -> shipped.Winners:
    """All winners, as `by_length` has them."""
    return next(_known(cipher, operation, key_bits, machine), {})


def _known(cipher: type[Cipher], operation: str, key_bits: int, machine: str) -> Iterator[shipped.Winners]:
    """What is known, the best first: of trials made here, then of those that come along."""
    for bits in _key_lengths(cipher, key_bits):
        task = Task(cipher, machine, operation, bits)
        for found in (by_length(_trials(task)), shipped.winners(task.name, machine, _kinds(machine))):
            if found:
                yield found


def _trials(task: Task) -> list[Trial]:
    """All trials of a task that were made here."""
    kept = _kept(trials.trials_file())
    return kept.get((task.name, place_of(task.machine), task.machine), []) if kept else []


def _kinds(machine: str) -> Iterable[str]:
    """Of this CPU and those alike, as winners that come along are kept by."""
    found = find_machine(machine)
    return shipped.alike(machine, found.cpu_kinds()) if isinstance(found, Tunable) else ()


def _kept(path: Path) -> dict[tuple[str, str, str], list[Trial]]:
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
