"""A key and a block on which a program does not do what its definition does.

Tried at random first; what one key in 2^64 shows is found by a solver. Whatever is found, the interpreter
and the simulator have to differ on it.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

import numpy as np

from finalist.ir.execute import interpret
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.simulate.simulator import SimulationError

#: Keys that are tried, blocks under each, and seconds of the CPU after which no further key is.
KEYS, BLOCKS, SECONDS = 32, 64, 20
#: Basic blocks, or cycles, of the simulator after which a program gives no result.
LIMIT = 1 << 24


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A key and data on which a program does not do what its definition does; all in hex."""

    key: str
    data: str
    defined: str
    computed: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A definition and the program that was made of it."""

    traced: Program
    program: SimulatedProgram

    def both(self, key: bytes, data: bytes) -> tuple[bytes, bytes]:
        """What the definition makes of data, and what the program does; empty where it fails."""
        traced = self.traced
        rows = np.frombuffer(data, np.uint8).reshape(-1, len(data) if traced.stateful else traced.block.bytes)
        defined = interpret(traced, np.frombuffer(key, np.uint8)[None], rows).tobytes()
        try:
            return defined, self.program.run(key, data, LIMIT).output
        except SimulationError:
            return defined, b""

    def differ(self, key: bytes, data: bytes) -> bool:
        """Whether the two are not the same."""
        defined, computed = self.both(key, data)
        return defined != computed

    def at_random(self, seed: int = 1) -> Counterexample | None:
        """A pair of key and data found by trying some, and made short."""
        traced, draw = self.traced, random.Random(seed)
        size, start = traced.block.bytes, time.process_time()
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
