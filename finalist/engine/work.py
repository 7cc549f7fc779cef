"""What serves one mode of operation in one direction under one key.

Modes are "ecb", "cbc", "ctr", "ofb", and, since both directions of cipher feedback encrypt, "cfb_encrypt"
and "cfb_decrypt"; "cfb8_encrypt" and the like have segments of so many bits.
"""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

from finalist.calling import ENDLESS, Caller, Quick, slowly


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
        ...

    def apply(self, source: int, target: int, size: int) -> None:
        """Work on so many bytes, from address to address."""
        ...


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


# -- memory that is worked on from Python -------------------------------------------------------------


def read(place: Any, size: int) -> bytes:
    return ctypes.string_at(place, size)


def write(place: Any, data: bytes) -> None:
    ctypes.memmove(place, data, len(data))
