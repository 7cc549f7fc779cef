"""A key and a block on which a program does not do what its definition does.

Tried at random first; what one key in 2^64 shows is found by a solver. Whatever is found, the interpreter
and the simulator have to differ on it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from finalist.ir.execute import interpret
from finalist.ir.program import Program

#: Keys that are tried, blocks under each, and seconds of the CPU after which no further key is.
KEYS, BLOCKS, SECONDS = 32, 64, 20


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A key and data on which a program does not do what its definition does; all in hex."""

    key: str
    data: str
    defined: str
    computed: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A definition and what is to do the same. ``compute``: that, of a key and data, empty where it fails;
    ``blocks``: that are given to it at once."""

    traced: Program
    compute: Callable[[bytes, bytes], bytes]
    blocks: int = 1

    def both(self, key: bytes, data: bytes) -> tuple[bytes, bytes]:
        """What the definition makes of data, and what is made of them."""
        return interpreted(self.traced, key, data), self.compute(key, data)

    def differ(self, key: bytes, data: bytes) -> bool:
        """Whether the two are not the same."""
        defined, computed = self.both(key, data)
        return defined != computed

    def at_random(self, seed: int = 1) -> Counterexample | None:
        """A pair of key and data found by trying some, and made short."""
        traced, draw = self.traced, random.Random(seed)
        size, start = traced.block.bytes * self.blocks, time.process_time()
        for number in range(KEYS):
            if time.process_time() - start > SECONDS:
                break
            key = bytes(traced.key.bytes) if number == 0 else draw.randbytes(traced.key.bytes)
            data = bytes(size) + draw.randbytes(size * (BLOCKS - 1))
            defined, computed = self.both(key, data)
            if defined == computed:
                continue
            at = next(k for k in range(0, len(data), size) if defined[k : k + size] != computed[k : k + size])
            if traced.stateful:
                data = data[: at + size]
            elif self.differ(key, data[at : at + size]):
                data = data[at : at + size]
            return self.shrunk(key, data)
        return None

    def shrunk(self, key: bytes, data: bytes) -> Counterexample:
        """The counterexample that a pair is, with as many bytes of 0 as there can be."""
        for k in range(len(key)):
            less = key[:k] + b"\0" + key[k + 1 :]
            key = less if less != key and self.differ(less, data) else key
        for k in range(len(data)):
            less = data[:k] + b"\0" + data[k + 1 :]
            data = less if less != data and self.differ(key, less) else data
        defined, computed = self.both(key, data)
        return Counterexample(key.hex(), data.hex(), defined.hex(), computed.hex())


def interpreted(program: Program, key: bytes, data: bytes) -> bytes:
    """What the interpreter makes of data under a key."""
    size = len(data) if program.stateful else program.block.bytes
    rows = np.frombuffer(data, np.uint8).reshape(-1, size)
    return interpret(program, np.frombuffer(key, np.uint8)[None], rows).tobytes()
