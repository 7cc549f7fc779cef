"""Which schedules serve messages of different lengths."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from finalist import stored
from finalist.cache.notes import note
from finalist.errors import ScheduleError
from finalist.schedule import Schedule, parsed
from finalist.target import Target
from finalist.toolchain import compiler
from finalist.tuning.trials import trials_file

if TYPE_CHECKING:
    from finalist.language.cipher import Cipher

#: Blocks from which on a program of many is usually quicker than one of a block.
USUAL = 4
ONE = Schedule(blocks=1)

#: Cipher, operation and bits of the key.
Task = tuple[Target, str, int]
#: Schedules, each with the blocks from which on it serves; None where that has to be measured.
Steps = tuple[tuple[int | None, Schedule], ...]


def schedule(target: Target, operation: str, key_bits: int, mode: str, data_bytes: int) -> Schedule:
    """What messages of so many bytes are worked on with; of programs not tuned, by their usual break-even."""
    task = (target, operation, key_bits)
    blocks = -(-data_bytes // target.block_bytes)
    for least, found in reversed(steps(*task, mode)):
        if (least or USUAL) <= blocks and _legal(task, mode, found) and _goes_on(task, mode, found):
            return found
    return ONE


def text_mode(mode: str) -> str:
    """The mode of a program that has a function for this one: both directions of ``cfb``."""
    return mode.partition("_")[0]


def steps(target: Target, operation: str, key_bits: int, mode: str) -> Steps:
    """The schedules that the tuner has found, or one of one block a call and one of many."""
    # A chain of blocks is never worked on by many at a time.
    chained = (mode, operation) == ("cbc", "encrypt") or mode == "ofb" or mode.endswith("_encrypt")
    return _steps(target, operation, key_bits, chained, _tuned(), compiler.command())


@lru_cache(maxsize=256)
def _steps(
    target: Target, operation: str, key_bits: int, alone: bool, tuned: str, command: tuple[str, ...]
) -> Steps:
    about = (*target.identity(operation, key_bits), operation, str(key_bits), str(alone), tuned)
    about += (compiler.environment(command),)
    told = note("steps", about, lambda: _found(target, operation, key_bits, alone))
    return tuple((least, parsed(text)) for least, text in told)


def _found(target: Target, operation: str, key_bits: int, alone: bool) -> list[tuple[int | None, str]]:
    from finalist.tuning import choose

    task = (target.definition, operation, key_bits)
    if target.stateful and _waiting(*task):
        return [(1, str(choose.of_stream(*task)))]
    if alone:
        return [(1, str(choose.best_of_one(*task) or ONE))]
    found = choose.ladder(*task)
    if not found:
        return [(1, str(ONE)), (None, str(Schedule()))]
    leasts = (1, *(-(-length // target.block_bytes) for length in list(found)[1:]))
    return list(zip(leasts, map(str, found.values()), strict=True))


def _waiting(cipher: type[Cipher], operation: str, key_bits: int) -> bool:
    """Whether a stream cipher's blocks wait for one another: its kernels do several in turn."""
    from finalist.machines.tracing import traced
    from finalist.passes import counters

    return bool(counters.obstacle(traced(cipher, operation, key_bits)))


def _tuned() -> str:
    """What the file of trials looks like: another where the tuner has found something."""
    try:
        told = os.stat(trials_file())
    except OSError:
        return ""
    return f"{told.st_size} {told.st_mtime_ns}"


def _goes_on(task: Task, mode: str, schedule: Schedule) -> bool:
    """Whether a program can work on a stream's state as the first one leaves it, in its expanded key."""
    if not task[0].stateful:
        return True
    first = next((one for _, one in steps(*task, mode) if _legal(task, mode, one)), ONE)
    return len({stored.program(*task, one).key_form for one in (first, schedule)}) == 1


def _legal(task: Task, mode: str, schedule: Schedule) -> bool:
    """Whether there is such a program here: others may have found quickest what needs what this CPU lacks."""
    try:
        stored.program(*task, schedule, (text_mode(mode),))
    except ScheduleError:
        return False
    return True
