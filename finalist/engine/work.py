"""What serves one mode of operation in one direction under one key.

All give functions that work from memory to memory, and what to call them with first: the key. Then in
ECB come input, output and number of blocks; in CBC state, input, output and blocks; in all others state,
input, output and bytes. State is a block that they go on from, and leave as the next call needs it. Memory
is a bytes object, an array of ctypes or a c_void_p, a number a c_size_t.

Modes are "ecb", "cbc", "ctr", "ofb", and, since both directions of cipher feedback encrypt, "cfb_encrypt"
and "cfb_decrypt"; "cfb8_encrypt" and the like have segments of so many bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Function = Callable[..., None]
Call = tuple[Function, Any]


class Work(Protocol):
    """One mode in one direction under one key."""

    def call(self, blocks: int) -> Call:
        """The function for a message of so many blocks, and its first argument."""
        ...

    def rungs(self) -> list[tuple[int, Call | None]]:
        """From how many blocks on each function serves; None for one that there is not yet."""
        ...
