"""Stream ciphers whose key stream comes in blocks of several bytes, on messages in parts of any length."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from finalist.machines.interpreter.modes import xor
from finalist.modes.objects import BytesLike, Stream, held, writable
from finalist.target import Target


class BlockStream(Stream):
    """As `Stream`; what a part leaves over of the last block of key stream is for the part after."""

    def __init__(self, target: Target, key: bytes) -> None:
        super().__init__(target, key)
        self._left = b""
        self._part = threading.Lock()

    def encrypt(self, plaintext: BytesLike, output: BytesLike | None = None) -> Any:
        """The ciphertext; otherwise as `Stream.encrypt`."""
        return self._next(plaintext, output, "plaintext")

    def decrypt(self, ciphertext: BytesLike, output: BytesLike | None = None) -> Any:
        """The plaintext; otherwise as `Stream.decrypt`."""
        return self._next(ciphertext, output, "ciphertext")

    def _next(self, data: BytesLike, output: BytesLike | None, name: str) -> bytes | None:
        work = super().encrypt if name == "plaintext" else super().decrypt
        with held(data, name) as source, self._part:
            given = ctypes.string_at(source.address, source.size)
            if output is None:
                return self._worked(given, work)
            with writable(output, source) as target:
                ctypes.memmove(target.address, self._worked(given, work), source.size)
        return None

    def _worked(self, given: bytes, work: Any) -> bytes:
        """The next bytes, in whole blocks of the stream but for what was left."""
        begin = min(len(self._left), len(given))
        body = given[begin:]
        worked: bytes = work(body + bytes(-len(body) % self.block_size))
        done = xor(given[:begin], self._left[:begin]) + worked[: len(body)]
        self._left = self._left[begin:] + worked[len(body) :]
        return done
