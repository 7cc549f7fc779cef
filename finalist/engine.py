"""What serves the objects of `finalist.modes`: compiled programs, or the interpreter where no compiler is.

Both give functions that work from memory to memory, and what to call them with first: the key. Then in
ECB come input, output and number of blocks; in CBC state, input, output and blocks; in CTR state, input,
output and bytes. State is a block that they go on from, and leave as the next call needs it. Memory is a
bytes object, an array of ctypes or a c_void_p, a number a c_size_t.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Protocol

from finalist import api
from finalist.errors import CompilerError
from finalist.language.cipher import Cipher
from finalist.machines.base import CompiledProgram
from finalist.notice import notice_no_compiler
from finalist.schedule import Schedule
from finalist.tuning import choose

Function = Callable[..., None]
Call = tuple[Function, Any]

#: Bytes in messages of several blocks after which a program for many blocks is worth compiling.
PATIENCE = 1024
#: Bytes of a message that the program of many is chosen for.
_LONG = 1 << 16
_TRIES = 5


class Work(Protocol):
    """One mode in one direction under one key."""

    #: The function and its first argument, for messages of fewer blocks than ``least``, and for others.
    short: Call
    long: Call
    least: int


def work(definition: type[Cipher], key: bytes, mode: str, operation: str) -> Work:
    """The work of a mode ("ecb", "cbc", "ctr"), compiled if there is a compiler.

    Without one the interpreter serves, after one line that says so.
    """
    try:
        return Compiled(definition, key, mode, operation)
    except CompilerError as error:
        notice_no_compiler(error)
        return Interpreted(definition, key, mode, operation)


# -- compiled -----------------------------------------------------------------------------------------


class Compiled:
    """By two programs: one of a block a call for short messages, one of many for long ones.

    The latter is compiled when enough has come to be worth it; from then on the size of a message decides.
    """

    def __init__(self, definition: type[Cipher], key: bytes, mode: str, operation: str) -> None:
        self._definition, self._key = definition, key
        self._mode, self._operation = mode, operation
        self._program = self._compiled(blocks=1)
        self._keys: list[Any] = []
        self.short = self.long = self._call(self._program)
        self.least = 2
        # A chain of blocks, or a stream, is never worked on by many at a time.
        if not (definition.stateful or (mode == "cbc" and operation == "encrypt")):
            self.long = self._undecided, None

    def _undecided(self, _: None, *arguments: Any) -> None:
        """A message of several blocks, while none of many has come."""
        size = self._definition.block.bytes
        blocks = arguments[-1].value // (size if self._mode == "ctr" else 1)
        traffic = _traffic(self._program)
        traffic.seen += blocks
        if traffic.seen * size >= PATIENCE:
            many = self._compiled()
            traffic.least = traffic.least or _break_even(self._program, many, self._mode, self._key)
            self.least, self.long = traffic.least, self._call(many)
        function, key = self.short if blocks < self.least or traffic.least is None else self.long
        function(key, *arguments)

    def _compiled(self, blocks: int | None = None) -> Any:
        """A program of so many blocks a call, or of many: the quickest that the tuner has found."""
        arguments = (self._definition, self._operation, len(self._key) * 8)
        tuned = choose.best(*arguments, data_bytes=self._definition.block.bytes if blocks else _LONG)
        if tuned is None or (blocks and tuned.blocks != blocks):
            tuned = Schedule(blocks=blocks)
        program: Any = api.compile(arguments[0], "native", *arguments[1:], tuned)
        return program.in_modes(self._mode)

    def _call(self, program: Any) -> Call:
        key = program.expand(self._key)
        self._keys.append(key)  # lives as long as what has its address
        return _function(program, self._mode), ctypes.c_void_p(key.address)


def _function(program: Any, mode: str) -> Function:
    names = {"ecb": program.operation, "ctr": "ctr", "cbc": f"cbc_{program.operation}"}
    found: Function = program.raw_function(names[mode])
    return found


class _Traffic:
    """How much has come for a program of one block in messages of more, whatever the key.

    ``least``: how many blocks a message must have for the program of many to be faster, once that is there.
    """

    def __init__(self) -> None:
        self.seen = 0
        self.least: int | None = None


@lru_cache(maxsize=256)
def _traffic(program: CompiledProgram) -> _Traffic:
    return _Traffic()


def _break_even(single: Any, many: Any, mode: str, key: bytes) -> int:
    """The least power of two blocks that the program of many is done with sooner, as measured now."""
    size = single.block_bytes
    most = max(PATIENCE // size, 2)
    memory = ctypes.create_string_buffer(most * size)
    state = [] if mode == "ecb" else [ctypes.create_string_buffer(size)]

    def seconds(program: Any, blocks: int) -> float:
        function, expanded = _function(program, mode), program.expand(key)
        count, times = ctypes.c_size_t(blocks * size if mode == "ctr" else blocks), []
        for _ in range(_TRIES):
            began = time.perf_counter()
            function(ctypes.c_void_p(expanded.address), *state, memory, memory, count)
            times.append(time.perf_counter() - began)
        return min(times)

    blocks = 2
    while blocks < most and seconds(single, blocks) < seconds(many, blocks):
        blocks *= 2
    return blocks


# -- interpreted --------------------------------------------------------------------------------------


class Interpreted:
    """By the reference: the same functions, thousands of times slower."""

    def __init__(self, definition: type[Cipher], key: bytes, mode: str, operation: str) -> None:
        self._key, self._size, self._operation = key, definition.block.bytes, operation
        self._program = api.compile(definition, "interpreter", operation, len(key) * 8)
        self._done = 0
        functions = {"ecb": self._ecb, "ctr": self._ctr, "cbc": getattr(self, f"_cbc_{operation}")}
        function = self._stream if definition.stateful else functions[mode]
        self.short = self.long = function, None
        self.least = 0

    def _run(self, data: bytes) -> bytes:
        return self._program.run(self._key, data).output

    def _ecb(self, _: None, source: Any, target: Any, blocks: Any) -> None:
        _write(target, self._run(_read(source, blocks.value * self._size)))

    def _stream(self, _: None, source: Any, target: Any, blocks: Any) -> None:
        """A stream cipher's next part: its key stream again from the start, as it keeps no state."""
        data = bytes(self._done) + _read(source, blocks.value * self._size)
        _write(target, self._run(data)[self._done :])
        self._done = len(data)

    def _ctr(self, _: None, state: Any, source: Any, target: Any, count: Any) -> None:
        first, limit = int.from_bytes(_read(state, self._size), "big"), 1 << 8 * self._size
        after = first + -(-count.value // self._size)
        counters = (number % limit for number in range(first, after))
        stream = self._run(b"".join(number.to_bytes(self._size, "big") for number in counters))
        _write(target, xor(_read(source, count.value), stream[: count.value]))
        _write(state, (after % limit).to_bytes(self._size, "big"))

    def _cbc_encrypt(self, _: None, state: Any, source: Any, target: Any, blocks: Any) -> None:
        last, data, done = _read(state, self._size), _read(source, blocks.value * self._size), []
        for start in range(0, len(data), self._size):
            last = self._run(xor(last, data[start : start + self._size]))
            done.append(last)
        _write(target, b"".join(done))
        _write(state, last)

    def _cbc_decrypt(self, _: None, state: Any, source: Any, target: Any, blocks: Any) -> None:
        chain = _read(state, self._size) + _read(source, blocks.value * self._size)
        _write(target, xor(self._run(chain[self._size :]), chain[: -self._size]))
        _write(state, chain[-self._size :])


def xor(a: bytes, b: bytes) -> bytes:
    """Bytes of the same length, XORed."""
    # Integers, not arrays: for little data they are the quickest that Python has.
    return (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(len(a), "big")


def _read(place: Any, size: int) -> bytes:
    return ctypes.string_at(place, size)


def _write(place: Any, data: bytes) -> None:
    ctypes.memmove(place, data, len(data))
