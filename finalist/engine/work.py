"""What serves one mode of operation in one direction under one key.

Modes are "ecb", "cbc", "ctr", "ofb", and, since both directions of cipher feedback encrypt, "cfb_encrypt"
and "cfb_decrypt"; "cfb8_encrypt" and the like have segments of so many bits.
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any, Protocol

from finalist import api
from finalist.calling import ENDLESS, Caller, Quick, slowly
from finalist.machines.interpreter import modes as reference
from finalist.machines.interpreter.modes import Mode
from finalist.target import Target


class Work(Protocol):
    """One mode in one direction under one key.

    ``quick``: for calls that need no thought. ``state``: the address of the block that the mode goes on
    from, which each call leaves as the next one needs it.
    """

    @property
    def quick(self) -> Quick: ...
    @property
    def caller(self) -> Caller: ...
    @property
    def state(self) -> int: ...

    def share(self, threads: int) -> None:
        """Have at most so many threads work on a message, where its blocks do not wait for each other."""

    def apply(self, source: int, target: int, size: int) -> None:
        """Work on so many bytes, from address to address."""


class Slow:
    """For work that quick calls can't do."""

    def __init__(self, state: bytes = b"") -> None:
        self._memory = ctypes.create_string_buffer(state, len(state))
        self.state = ctypes.addressof(self._memory)
        self.caller = Caller(free=ENDLESS)
        self.quick: Quick = slowly

    def share(self, threads: int) -> None:
        """Nothing: one thread works."""

    def apply(self, source: int, target: int, size: int) -> None:
        """Nothing: the object does it."""


def step(mode: str, block_bytes: int) -> int:
    """Bytes that one call of the cipher is spent on."""
    bits = mode.partition("_")[0].removeprefix("cfb")
    return int(bits) // 8 if bits.isdecimal() else block_bytes


def in_blocks(mode: str) -> bool:
    """Whether a mode works on whole blocks, and its functions count them; the others count bytes."""
    return mode in ("ecb", "cbc")


def read(place: Any, size: int) -> bytes:
    return ctypes.string_at(place, size)


def write(place: Any, data: bytes) -> None:
    ctypes.memmove(place, data, len(data))


class Interpreted(Slow):
    """By the reference: the same functions, thousands of times slower."""

    def __init__(
        self,
        target: Target,
        key: bytes,
        mode: str,
        operation: str,
        state: bytes = b"",
        free: int = ENDLESS,
    ) -> None:
        super().__init__(state)
        self.caller.free = free
        self._key, self._size = key, target.block_bytes
        self._program = api.compile(target.definition, "interpreter", operation, len(key) * 8)
        self._done = 0
        self._mode = None if mode == "ecb" else _reference(mode, operation)
        self._stateful = target.stateful

    def apply(self, source: int, target: int, size: int) -> None:
        """Work on so many bytes, from address to address."""
        data = read(source, size)
        if self._mode is not None:
            output, after = self._mode(self._run, read(self.state, self._size), data)
            write(self.state, after)
        else:
            output = self._streamed(data) if self._stateful else self._run(data)
        write(target, output)

    def _run(self, data: bytes) -> bytes:
        return self._program.run(self._key, data).output

    def _streamed(self, data: bytes) -> bytes:
        """A stream cipher's next part: its key stream again from the start, as it keeps no state."""
        whole = bytes(self._done) + data
        begin, self._done = self._done, len(whole)
        return self._run(whole)[begin:]


def _reference(mode: str, operation: str) -> Mode:
    """A mode by its definition."""
    if mode == "cbc":
        return reference.unchained if operation == "decrypt" else reference.chained
    if mode in ("ctr", "ofb"):
        return reference.counted if mode == "ctr" else reference.output_fed
    name, _, direction = mode.partition("_")
    function = reference.fed_back if direction == "decrypt" else reference.cipher_fed
    bits = name.removeprefix("cfb")
    return partial(function, bits=int(bits) if bits else None)
