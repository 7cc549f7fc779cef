"""Compiled programs for messages of different lengths."""

from __future__ import annotations

import ctypes
import threading
import time
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from finalist import stored
from finalist.engine.plans import ONE, Steps, Task, steps, text_mode
from finalist.engine.work import Call, Function
from finalist.errors import ScheduleError
from finalist.machines.native.binary import Binary
from finalist.schedule import Schedule
from finalist.target import Target

#: Bytes in messages that a program would serve, after which it is worth compiling.
PATIENCE = 1024
_TRIES = 5


@dataclass(slots=True, eq=False)
class _Rung:
    """A program for messages of at least ``least`` blocks (None: to be measured), once there is one.

    ``seen``: blocks that have come in such messages, whatever the key.
    """

    least: int | None
    schedule: Schedule
    program: Any = None
    seen: int = 0


class _Ladder:
    """The programs of a mode in one direction by the length of a message, whatever the key.

    All but the first are compiled when enough has come to be worth it.
    """

    def __init__(self, task: Task, mode: str, steps: Steps, first: Binary) -> None:
        self._task, self.mode, self.block_bytes = task, mode, task[0].block_bytes
        self.rungs = [_Rung(*step) for step in steps]
        self._turn = threading.RLock()
        self._take(self.rungs[0], first)

    def leasts(self) -> list[int]:
        """From how many blocks on each serves."""
        return [2 if rung.least is None else rung.least for rung in self.rungs]

    def serving(self, blocks: int, key: bytes) -> _Rung:
        """Which one serves a message of so many blocks now; threads that ask at once are told in turns."""
        with self._turn:
            return self._serving(blocks, key)

    def _serving(self, blocks: int, key: bytes) -> _Rung:
        place = bisect_right(self.leasts(), blocks) - 1
        rung = self.rungs[place]
        if rung.program is None:
            rung.seen += blocks
            if rung.seen * self.block_bytes >= PATIENCE:
                self._compile(rung)
        if rung.least is None and rung.program is not None:
            rung.least = _break_even(self.rungs[0].program, rung.program, self.mode, key)
            return self._serving(blocks, key)
        return next(one for one in reversed(self.rungs[: place + 1]) if one.program is not None)

    def _compile(self, rung: _Rung) -> None:
        try:
            self._take(rung, stored.program(*self._task, rung.schedule, (text_mode(self.mode),)))
        except ScheduleError:
            self.rungs.remove(rung)  # not legal here

    def _take(self, rung: _Rung, program: Any) -> None:
        rung.program = program
        assert program.library is not None


class Compiled:
    """By programs for messages of different lengths."""

    def __init__(self, target: Target, key: bytes, mode: str, operation: str) -> None:
        task = (target, operation, len(key) * 8)
        found = steps(*task, mode)
        try:
            first = stored.program(*task, found[0][1], (text_mode(mode),))
        except ScheduleError:
            found, first = ((1, ONE), *found[1:]), stored.program(*task, ONE, (text_mode(mode),))
        self._ladder = _ladder(task, mode, found, first)
        self._key = key
        self._calls: dict[_Rung, Call] = {}
        self._keys: list[Any] = []  # which live as long as what has their addresses

    def call(self, blocks: int) -> Call:
        """The function for a message of so many blocks, and the expanded key."""
        rung = self._ladder.serving(blocks, self._key)
        if rung not in self._calls:
            expanded = rung.program.expand(self._key)
            self._keys.append(expanded)
            self._calls[rung] = _function(rung.program, self._ladder.mode), ctypes.c_void_p(expanded.address)
        return self._calls[rung]

    def rungs(self) -> list[tuple[int, Call | None]]:
        """From how many blocks on each function serves; None for one that was not called yet."""
        steps = zip(self._ladder.leasts(), self._ladder.rungs, strict=True)
        return [(least, None if rung.least is None else self._calls.get(rung)) for least, rung in steps]


@lru_cache(maxsize=256)
def _ladder(task: Task, mode: str, steps: Steps, first: Binary) -> _Ladder:
    """One for all keys; another where the tuner has found other ``steps``."""
    return _Ladder(task, mode, steps, first)


def _function(program: Any, mode: str) -> Function:
    names = {"ecb": program.operation, "cbc": f"cbc_{program.operation}"}
    found: Function = program.raw_function(names.get(mode, mode))
    return found


def _break_even(single: Any, many: Any, mode: str, key: bytes) -> int:
    """The least power of two blocks that the program of many is done with sooner, as measured now."""
    size = single.block_bytes
    most = max(PATIENCE // size, 2)
    memory = ctypes.create_string_buffer(most * size)
    state = [] if mode == "ecb" else [ctypes.create_string_buffer(size)]

    def seconds(program: Any, blocks: int) -> float:
        function, expanded = _function(program, mode), program.expand(key)
        count, times = ctypes.c_size_t(blocks * _step(mode, size)), []
        for _ in range(_TRIES):
            began = time.perf_counter()
            function(ctypes.c_void_p(expanded.address), *state, memory, memory, count)
            times.append(time.perf_counter() - began)
        return min(times)

    blocks = 2
    while blocks < most and seconds(single, blocks) < seconds(many, blocks):
        blocks *= 2
    return blocks


def _step(mode: str, block_bytes: int) -> int:
    """What a function's count is higher by for each block that it works on."""
    if mode in ("ecb", "cbc"):
        return 1
    bits = mode.partition("_")[0].removeprefix("cfb")
    return int(bits) // 8 if bits.isdecimal() else block_bytes
