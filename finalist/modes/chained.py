"""Cipher objects whose blocks wait for those before: CBC, CFB, OFB."""

from __future__ import annotations

import ctypes
import secrets
from typing import Any

from finalist import engine
from finalist.errors import DataError, UsageError
from finalist.machines.base import bytes_of
from finalist.machines.interpreter.modes import xor
from finalist.modes.objects import BlockCipher
from finalist.target import Target


class _WithIV(BlockCipher):
    """What begins with an initial block: ``iv``, also ``IV``, as it was given or drawn at random."""

    def __init__(self, target: Target, key: bytes, iv: Any, threads: int = 1) -> None:
        BlockCipher.__init__(self, target, key, threads)  # which is quicker than super()
        self.iv = secrets.token_bytes(self.block_size) if iv is None else bytes_of(iv, "iv")
        if len(self.iv) != self.block_size:
            raise DataError(f"iv of {len(self.iv)} bytes; accepted: {self.block_size}")
        self.IV = self.iv

    def _opened(self, direction: str) -> engine.Work:
        mode, operation = self._task(direction)
        return engine.work(self._target, self._key, mode, operation, self.iv)

    def _own(self) -> dict[str, object]:
        return {"iv": self.iv.hex()}


class CBC(_WithIV):
    """Cipher block chaining; ``iv`` is the initial block."""

    mode = 2
    _in_blocks = True

    def _task(self, direction: str) -> tuple[str, str]:
        return "cbc", direction


class _Fed(_WithIV):
    """A mode whose state, where a segment was not filled, ends in what is left of its key stream."""

    @property
    def _step(self) -> int:
        """Bytes that one call of the cipher is spent on."""
        return self.block_size

    def _transform(self, source: int, target: int, size: int) -> None:
        now = min(size, self._caller.left)
        if now:
            self._go_on(source, target, now)
        if now < size:
            self._apply(source + now, target + now, size - now)
            self._caller.left = -(size - now) % self._step

    def _go_on(self, source: int, target: int, size: int) -> None:
        """Work on bytes for which there is key stream left."""
        assert self._work is not None
        place = self._work.state + self.block_size - self._caller.left
        given = ctypes.string_at(source, size)
        made = xor(given, ctypes.string_at(place, size))
        ctypes.memmove(target, made, size)
        self._feed(place, given, made)
        self._caller.left -= size

    def _feed(self, place: int, given: bytes, made: bytes) -> None:
        """Put into the state, in place of key stream that was used, what the next block is made of."""


class CFB(_Fed):
    """Cipher feedback in segments of ``segment_size`` bits; any number of bytes."""

    mode = 3

    def __init__(self, target: Target, key: bytes, iv: Any, segment_size: int, threads: int = 1) -> None:
        super().__init__(target, key, iv, threads)
        most = 8 * self.block_size
        if not isinstance(segment_size, int) or isinstance(segment_size, bool):
            raise UsageError(f"segment_size is {type(segment_size).__name__}; accepted: int")
        if segment_size % 8 or not 8 <= segment_size <= most:
            raise DataError(f"segment_size={segment_size}; accepted: a multiple of 8 from 8 to {most}")
        self.segment_size = segment_size

    @property
    def _step(self) -> int:
        return self.segment_size // 8

    def _own(self) -> dict[str, object]:
        return {**super()._own(), "segments": f"{self.segment_size} bits"}

    def _task(self, direction: str) -> tuple[str, str]:
        bits = "" if self._step == self.block_size else self.segment_size
        return f"cfb{bits}_{direction}", "encrypt"

    def _feed(self, place: int, given: bytes, made: bytes) -> None:
        ciphertext = made if self._direction == "encrypt" else given
        ctypes.memmove(place, ciphertext, len(ciphertext))


class OFB(_Fed):
    """Output feedback: a key stream that depends on key and ``iv`` alone; any number of bytes."""

    mode = 5

    def _task(self, direction: str) -> tuple[str, str]:
        return "ofb", "encrypt"
