"""What serves the objects of `finalist.modes`: compiled programs, or the interpreter where no compiler is.

Both give functions that work from memory to memory: in ECB of input, output and blocks; in CBC of state,
input, output and blocks; in CTR of state, input, output and bytes. State is a block that they go on from,
and leave as the next call needs it. Memory is an address, or what `ctypes` takes for one.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Protocol

from finalist import api
from finalist.errors import CompilerError
from finalist.language.cipher import Cipher
from finalist.machines.base import CompiledProgram
from finalist.notice import notice_no_compiler

Function = Callable[..., None]

#: Bytes in messages of several blocks after which a program for many blocks is worth compiling.
PATIENCE = 1024
_TRIES = 5


class Work(Protocol):
    """One mode in one direction under one key."""

    def of(self, blocks: int) -> Function:
        """The function for a message of so many blocks."""
        ...


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
        self._program = self._compiled(blocks=1, width=1)
        self._keys: list[Any] = []
        self._single = self._function(self._program)
        self._many: Function | None = None
        self._traffic = _traffic(self._program)
        # A chain of blocks, or a stream, is never worked on by many at a time.
        self._chained = definition.stateful or (mode == "cbc" and operation == "encrypt")

    def of(self, blocks: int) -> Function:
        """The function for a message of so many blocks."""
        if blocks == 1 or self._chained or not self._is_long(blocks):
            return self._single
        if self._many is None:
            self._many = self._function(self._compiled())
        return self._many

    def _is_long(self, blocks: int) -> bool:
        traffic = self._traffic
        if traffic.least is None:
            traffic.seen += blocks
            if traffic.seen * self._definition.block.bytes < PATIENCE:
                return False
            traffic.least = _break_even(self._program, self._compiled(), self._mode, self._key)
        return blocks >= traffic.least

    def _compiled(self, **choices: Any) -> Any:
        arguments = (self._definition, "native", self._operation, len(self._key) * 8)
        program: Any = api.compile(*arguments, **choices)
        return program.in_modes(self._mode)

    def _function(self, program: Any) -> Function:
        key = program.expand(self._key)
        self._keys.append(key)  # lives as long as the functions that have its address
        return partial(_function(program, self._mode), key.address)


def _function(program: Any, mode: str) -> Function:
    names = {"ecb": program.operation, "ctr": "ctr", "cbc": f"cbc_{program.operation}"}
    found: Function = program.function(names[mode])
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
        count = blocks * size if mode == "ctr" else blocks
        times = []
        for _ in range(_TRIES):
            began = time.perf_counter()
            function(expanded.address, *state, memory, memory, count)
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
        self._chosen: Function = self._stream if definition.stateful else functions[mode]

    def of(self, blocks: int) -> Function:
        """The function for a message of so many blocks."""
        return self._chosen

    def _run(self, data: bytes) -> bytes:
        return self._program.run(self._key, data).output

    def _ecb(self, source: Any, target: Any, blocks: int) -> None:
        _write(target, self._run(_read(source, blocks * self._size)))

    def _stream(self, source: Any, target: Any, blocks: int) -> None:
        """A stream cipher's next part: its key stream again from the start, as it keeps no state."""
        data = bytes(self._done) + _read(source, blocks * self._size)
        _write(target, self._run(data)[self._done :])
        self._done = len(data)

    def _ctr(self, state: int, source: Any, target: Any, count: int) -> None:
        first, limit = int.from_bytes(_read(state, self._size), "big"), 1 << 8 * self._size
        after = first + -(-count // self._size)
        counters = (number % limit for number in range(first, after))
        stream = self._run(b"".join(number.to_bytes(self._size, "big") for number in counters))
        _write(target, xor(_read(source, count), stream[:count]))
        _write(state, (after % limit).to_bytes(self._size, "big"))

    def _cbc_encrypt(self, state: int, source: Any, target: Any, blocks: int) -> None:
        last, data, done = _read(state, self._size), _read(source, blocks * self._size), []
        for start in range(0, len(data), self._size):
            last = self._run(xor(last, data[start : start + self._size]))
            done.append(last)
        _write(target, b"".join(done))
        _write(state, last)

    def _cbc_decrypt(self, state: int, source: Any, target: Any, blocks: int) -> None:
        chain = _read(state, self._size) + _read(source, blocks * self._size)
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
