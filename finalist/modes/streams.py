"""Stream ciphers whose key stream comes in blocks of several bytes, on messages in parts of any length."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from finalist.errors import CounterError, DataError, KeyLengthError, UsageError
from finalist.machines.base import bytes_of
from finalist.machines.interpreter.modes import xor
from finalist.modes.objects import BytesLike, Stream, held, writable
from finalist.target import Public, Target


def with_nonce(target: Target, key: bytes, nonce: Any, initial_value: Any) -> bytes:
    """What programs of a stream cipher with a counter take as the key: the key, the nonce and the counter.

    ``initial_value``: the counter of the first block, 0 if not given. Raises KeyLengthError, UsageError or
    DataError.
    """
    public = target.public
    assert public
    if len(key) not in target.secret_bytes:
        accepted = ", ".join(map(str, target.secret_bytes))
        raise KeyLengthError(f"key of {len(key)} bytes; beside a nonce {target.name} accepts {accepted}")
    if nonce is None:
        raise UsageError(f"nonce is missing; accepted: {public.nonce_bytes} bytes")
    given = bytes_of(nonce, "nonce")
    if len(given) != public.nonce_bytes:
        raise DataError(f"nonce of {len(given)} bytes; {target.name} accepts {public.nonce_bytes}")
    before = public.first * public.word_bytes
    return key + given[:before] + _counter(public, initial_value) + given[before:]


def _counter(public: Public, value: Any) -> bytes:
    """The first counter, as it lies in memory."""
    value = 0 if value is None else value
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"initial_value is {type(value).__name__}; accepted: int, a block's number")
    most = (1 << 8 * public.counter_bytes) - 1
    if not 0 <= value <= most:
        raise DataError(f"initial_value={value}; accepted: 0 to {most}")
    bits = 8 * public.word_bytes
    words = (value >> bits * number & (1 << bits) - 1 for number in range(public.counter_words))
    return b"".join(word.to_bytes(public.word_bytes, public.order) for word in words)


class BlockStream(Stream):
    """As `Stream`; what a part leaves over of the last block of key stream is for the part after.

    Where its counter would repeat, CounterError is raised.
    """

    def __init__(self, target: Target, key: bytes) -> None:
        super().__init__(target, key)
        self._left = b""
        self._counter_bytes = target.public.counter_bytes if target.public else 0
        self._used = 0
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
        self._count(-(-len(body) // self.block_size))
        worked: bytes = work(body + bytes(-len(body) % self.block_size))
        done = xor(given[:begin], self._left[:begin]) + worked[: len(body)]
        self._left = self._left[begin:] + worked[len(body) :]
        return done

    def _count(self, blocks: int) -> None:
        """Blocks of key stream that are begun."""
        if self._counter_bytes and self._used + blocks > 1 << 8 * self._counter_bytes:
            raise CounterError(f"the counter of {self._counter_bytes} bytes would repeat; take another nonce")
        self._used += blocks
