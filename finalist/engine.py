"""What serves the objects of `finalist.modes`: compiled programs, or the interpreter where no compiler is.

Both give functions that work from memory to memory, and what to call them with first: the key. Then in
ECB come input, output and number of blocks; in CBC state, input, output and blocks; in all others state,
input, output and bytes. State is a block that they go on from, and leave as the next call needs it. Memory
is a bytes object, an array of ctypes or a c_void_p, a number a c_size_t.

Modes are "ecb", "cbc", "ctr", "ofb", and, since both directions of cipher feedback encrypt, "cfb_encrypt"
and "cfb_decrypt"; "cfb8_encrypt" and the like have segments of so many bits.
"""

from __future__ import annotations

import ctypes
import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Protocol

from finalist import api
from finalist.errors import CompilerError, ScheduleError
from finalist.language.cipher import Cipher
from finalist.machines.base import CompiledProgram
from finalist.machines.interpreter import modes as reference
from finalist.machines.interpreter.modes import Mode
from finalist.notice import notice_no_compiler
from finalist.schedule import Schedule
from finalist.tuning import choose

Function = Callable[..., None]
Call = tuple[Function, Any]

#: Bytes in messages that a program would serve, after which it is worth compiling.
PATIENCE = 1024
_TRIES = 5


class Work(Protocol):
    """One mode in one direction under one key."""

    def call(self, blocks: int) -> Call:
        """The function for a message of so many blocks, and its first argument."""
        ...

    def rungs(self) -> list[tuple[int, Call | None]]:
        """From how many blocks on each function serves; None for one that there is not yet."""
        ...


def work(definition: type[Cipher], key: bytes, mode: str, operation: str) -> Work:
    """The work of a mode, compiled if there is a compiler.

    Without one the interpreter serves, after one line that says so.
    """
    try:
        return Compiled(definition, key, mode, operation)
    except CompilerError as error:
        notice_no_compiler(error)
        return Interpreted(definition, key, mode, operation)


def schedule(definition: type[Cipher], operation: str, key_bits: int, mode: str, data_bytes: int) -> Schedule:
    """What messages of so many bytes are worked on with; of programs not tuned, by their usual break-even."""
    task = (definition, operation, key_bits)
    blocks = -(-data_bytes // definition.block.bytes)
    for least, found in reversed(_steps(*task, mode)):
        if (least or _USUAL) <= blocks and _legal(task, found):
            return found
    return _ONE


# -- compiled -----------------------------------------------------------------------------------------

#: Blocks from which on a program of many is usually quicker than one of a block.
_USUAL = 4
_ONE = Schedule(blocks=1)

#: Cipher, operation and bits of the key.
_Task = tuple[type[Cipher], str, int]
#: Schedules, each with the blocks from which on it serves; None where that has to be measured.
_Steps = tuple[tuple[int | None, Schedule], ...]


def _steps(definition: type[Cipher], operation: str, key_bits: int, mode: str) -> _Steps:
    """The schedules that the tuner has found, or one of one block a call and one of many."""
    task = (definition, operation, key_bits)
    # A chain of blocks, or a stream, is never worked on by many at a time.
    chained = (mode, operation) == ("cbc", "encrypt") or mode == "ofb" or mode.endswith("_encrypt")
    if definition.stateful or chained:
        return ((1, choose.best_of_one(*task) or _ONE),)
    found = choose.ladder(*task)
    if not found:
        return (1, _ONE), (None, Schedule())
    size = definition.block.bytes
    leasts = (1, *(-(-length // size) for length in list(found)[1:]))
    return tuple(zip(leasts, found.values(), strict=True))


def _legal(task: _Task, schedule: Schedule) -> bool:
    """Whether there is such a program here: others may have found quickest what needs what this CPU lacks."""
    try:
        _program(task, schedule)
    except ScheduleError:
        return False
    return True


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

    def __init__(self, task: _Task, mode: str, steps: _Steps, first: CompiledProgram) -> None:
        self._task, self.mode, self.block_bytes = task, mode, task[0].block.bytes
        self.rungs = [_Rung(*step) for step in steps]
        self._take(self.rungs[0], first)

    def leasts(self) -> list[int]:
        """From how many blocks on each serves."""
        return [2 if rung.least is None else rung.least for rung in self.rungs]

    def serving(self, blocks: int, key: bytes) -> _Rung:
        """Which one serves a message of so many blocks now."""
        place = bisect_right(self.leasts(), blocks) - 1
        rung = self.rungs[place]
        if rung.program is None:
            rung.seen += blocks
            if rung.seen * self.block_bytes >= PATIENCE:
                self._compile(rung)
        if rung.least is None and rung.program is not None:
            rung.least = _break_even(self.rungs[0].program, rung.program, self.mode, key)
            return self.serving(blocks, key)
        return next(one for one in reversed(self.rungs[: place + 1]) if one.program is not None)

    def _compile(self, rung: _Rung) -> None:
        try:
            self._take(rung, _program(self._task, rung.schedule))
        except ScheduleError:
            self.rungs.remove(rung)  # not legal here

    def _take(self, rung: _Rung, program: Any) -> None:
        rung.program = program.in_modes(self.mode.partition("_")[0])
        rung.program.build()


class Compiled:
    """By programs for messages of different lengths."""

    def __init__(self, definition: type[Cipher], key: bytes, mode: str, operation: str) -> None:
        task = (definition, operation, len(key) * 8)
        steps = _steps(*task, mode)
        try:
            first = _program(task, steps[0][1])
        except ScheduleError:
            steps, first = ((1, _ONE), *steps[1:]), _program(task, _ONE)
        self._ladder = _ladder(task, mode, steps, first)  # type: ignore[arg-type]  # all can be hashed
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
def _ladder(task: _Task, mode: str, steps: _Steps, first: CompiledProgram) -> _Ladder:
    """One for all keys; another where the tuner has found other ``steps``."""
    return _Ladder(task, mode, steps, first)


def _program(task: _Task, schedule: Schedule) -> CompiledProgram:
    definition, operation, key_bits = task
    return api.compile(definition, "native", operation, key_bits, schedule)


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


# -- interpreted --------------------------------------------------------------------------------------


class Interpreted:
    """By the reference: the same functions, thousands of times slower."""

    def __init__(self, definition: type[Cipher], key: bytes, mode: str, operation: str) -> None:
        self._key, self._size, self._operation = key, definition.block.bytes, operation
        self._program = api.compile(definition, "interpreter", operation, len(key) * 8)
        self._done = 0
        own = self._stream if definition.stateful else self._ecb
        function = own if mode == "ecb" else partial(self._in_mode, *_reference(mode, operation))
        self._call: Call = function, None

    def call(self, blocks: int) -> Call:
        """The same for messages of any length."""
        return self._call

    def rungs(self) -> list[tuple[int, Call | None]]:
        """None that C could call."""
        return [(1, None)]

    def _run(self, data: bytes) -> bytes:
        return self._program.run(self._key, data).output

    def _ecb(self, _: None, source: Any, target: Any, blocks: Any) -> None:
        _write(target, self._run(_read(source, blocks.value * self._size)))

    def _stream(self, _: None, source: Any, target: Any, blocks: Any) -> None:
        """A stream cipher's next part: its key stream again from the start, as it keeps no state."""
        data = bytes(self._done) + _read(source, blocks.value * self._size)
        _write(target, self._run(data)[self._done :])
        self._done = len(data)

    def _in_mode(
        self, mode: Mode, in_blocks: bool, _: None, state: Any, source: Any, target: Any, count: Any
    ) -> None:
        size = count.value * (self._size if in_blocks else 1)
        output, after = mode(self._run, _read(state, self._size), _read(source, size))
        _write(target, output)
        _write(state, after)


def _reference(mode: str, operation: str) -> tuple[Mode, bool]:
    """A mode by its definition, and whether its data are counted in blocks."""
    if mode == "cbc":
        return (reference.unchained if operation == "decrypt" else reference.chained), True
    if mode in ("ctr", "ofb"):
        return (reference.counted if mode == "ctr" else reference.output_fed), False
    name, _, direction = mode.partition("_")
    function = reference.fed_back if direction == "decrypt" else reference.cipher_fed
    bits = name.removeprefix("cfb")
    return partial(function, bits=int(bits) if bits else None), False


def _read(place: Any, size: int) -> bytes:
    return ctypes.string_at(place, size)


def _write(place: Any, data: bytes) -> None:
    ctypes.memmove(place, data, len(data))
