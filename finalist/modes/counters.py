"""Counter mode: the counter block is a nonce and a big-endian number, or whatever ``counter`` says."""

from __future__ import annotations

import ctypes
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any

from finalist import engine
from finalist.engine.work import read, write
from finalist.errors import CounterError, DataError, UsageError
from finalist.machines.base import bytes_of
from finalist.machines.interpreter.modes import xor
from finalist.modes.objects import ECB, BlockCipher
from finalist.target import Target

#: What `Crypto.Util.Counter.new` of PyCryptodome returns.
COUNTER_FIELDS = ("counter_len", "prefix", "suffix", "initial_value", "little_endian")


def counter_mode(
    target: Target, key: bytes, nonce: Any, initial_value: Any, counter: Any, threads: int
) -> CTR | WrittenCTR:
    """The object for the arguments of `finalist.new`. Raises UsageError or DataError."""
    size = target.block_bytes
    if counter is None:
        if nonce is None and size < 16:
            raise UsageError(
                f"nonce is missing: a random one is too short to be safe in blocks of {size} bytes;"
                f" accepted: 0 to {size - 1} bytes, or counter="
            )
        drawn = secrets.token_bytes(size // 2) if nonce is None else bytes_of(nonce, "nonce")
        if len(drawn) >= size:
            raise DataError(f"nonce of {len(drawn)} bytes; accepted: 0 to {size - 1}")
        return CTR(target, key, drawn, _initial(initial_value, size - len(drawn)), threads)
    if nonce is not None or initial_value is not None:
        raise UsageError("counter says nonce and initial_value itself; accepted: one or the other")
    if isinstance(counter, Mapping):
        return _of_fields(target, key, counter, threads)
    if not callable(counter):
        accepted = "a counter of Crypto.Util.Counter, or a function that returns one block a call"
        raise UsageError(f"counter is {type(counter).__name__}; accepted: {accepted}")
    return WrittenCTR(target, key, _called(counter, size))


def _of_fields(target: Target, key: bytes, fields: Mapping[str, Any], threads: int) -> CTR | WrittenCTR:
    if set(fields) != set(COUNTER_FIELDS):
        raise UsageError(f"counter has {', '.join(map(str, fields))}; accepted: {', '.join(COUNTER_FIELDS)}")
    length, little = fields["counter_len"], bool(fields["little_endian"])
    if isinstance(length, bool) or not isinstance(length, int) or length < 1:
        raise DataError(f"counter_len {length!r}; accepted: the counter's bytes, at least 1")
    prefix, suffix = (bytes_of(fields[name], name) for name in ("prefix", "suffix"))
    size, total = target.block_bytes, len(prefix) + length + len(suffix)
    if total != size:
        raise DataError(f"counter block of {total} bytes; accepted: {size}, as the cipher's")
    first = _initial(fields["initial_value"], length)
    if not suffix and not little:
        return CTR(target, key, prefix, first, threads)
    made = WrittenCTR(target, key, _Fields(prefix, length, suffix, little, first), 1 << 8 * length)
    if not suffix:
        made.nonce = prefix
    return made


def _initial(value: Any, size: int) -> int:
    """The first number of a counter of so many bytes."""
    if value is None:
        return 0
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value < 1 << 8 * size:
            raise DataError(f"initial_value {value!r}; accepted: 0 to 2^{8 * size} - 1")
        return value
    if not isinstance(value, bytes | bytearray | memoryview):
        raise DataError(f"initial_value {value!r}; accepted: 0 to 2^{8 * size} - 1, or as many bytes")
    if len(value) != size:
        raise DataError(f"initial_value of {len(value)} bytes; accepted: {size}")
    return int.from_bytes(value, "big")


class CTR(BlockCipher):
    """Counter mode; any number of bytes. ``nonce``: what the counter block begins with."""

    mode = 6
    #: Blocks begun, but for those that the caller has taken off its `free` since that was set.
    _used = 0

    def __init__(self, target: Target, key: bytes, nonce: bytes, first: int, threads: int = 1) -> None:
        BlockCipher.__init__(self, target, key, threads)  # which is quicker than super()
        self.nonce = nonce
        self._counter_bytes = self.block_size - len(nonce)
        self._limit = 1 << 8 * self._counter_bytes
        self._start = first

    def _own(self) -> dict[str, object]:
        return {"nonce": self.nonce.hex() or "empty"}

    def _opened(self, direction: str) -> engine.Work:
        # Nothing is used yet: these are `_block` and `_free` of it, quicker.
        block = self.nonce + self._start.to_bytes(self._counter_bytes, "big")
        free = self._limit - self._start
        self._given_free = free = free if free < engine.ENDLESS else engine.ENDLESS
        return engine.work(self._target, self._key, "ctr", "encrypt", block, free)

    def _block(self, number: int) -> bytes:
        """A counter block; the first one is number 0."""
        counter = (self._start + number) % self._limit
        return self.nonce + counter.to_bytes(self._counter_bytes, "big")

    def _until_zero(self) -> int:
        """Blocks until the counter is zero again; the functions would count on into the nonce."""
        return self._limit - (self._start + self._used) % self._limit

    def _free(self) -> int:
        """Calls of fewer blocks in all are quick."""
        return min(self._until_zero(), self._limit - self._used, engine.ENDLESS)

    def _settle(self) -> None:
        """Count what the caller has taken."""
        self._used += self._given_free - self._caller.free
        self._given_free = self._caller.free

    def _check(self, size: int) -> None:
        self._settle()
        blocks = -(-max(0, size - self._caller.left) // self.block_size)
        if self._used + blocks > self._limit:
            raise CounterError(f"the counter of {self._counter_bytes} bytes would repeat; use a longer one")

    def _transform(self, source: int, target: int, size: int) -> None:
        now = min(size, self._caller.left)
        if now:
            self._apply_left(source, target, now)
        while now < size:
            source, target, size = source + now, target + now, size - now
            now = min(size, self._until_zero() * self.block_size)
            self._apply(source, target, now)
            self._used += -(-now // self.block_size)
            self._caller.left = -now % self.block_size
            if self._until_zero() == self._limit:
                self._count_from(self._used)
        self._caller.free = self._given_free = self._free()

    def _count_from(self, number: int) -> None:
        assert self._work is not None
        write(self._work.state, self._block(number))

    def _apply_left(self, source: int, target: int, size: int) -> None:
        """On bytes for which there is key stream left: it is made once more, from the counter before."""
        assert self._work is not None
        now = read(self._work.state, self.block_size)
        self._count_from(self._used - 1)
        stream = ctypes.create_string_buffer(self.block_size)
        place = ctypes.addressof(stream)
        self._apply(place, place, self.block_size)
        write(self._work.state, now)
        begin = self.block_size - self._caller.left
        added = xor(ctypes.string_at(source, size), stream.raw[begin : begin + size])
        ctypes.memmove(target, added, size)
        self._caller.left -= size


# -- counters of another form ---------------------------------------------------------------------------

#: Counter blocks from a number of one to another.
_Written = Callable[[int, int], bytes]
#: Blocks that are written at once.
_MOST = 4096


class WrittenCTR(BlockCipher):
    """Counter mode whose counter blocks are written, then encrypted, by one thread; any number of bytes.

    ``nonce``, where the block ends in the counter: what it begins with.
    """

    mode = 6
    nonce: bytes

    def __init__(self, target: Target, key: bytes, written: _Written, limit: int | None = None) -> None:
        super().__init__(target, key)
        self._written, self._limit = written, limit
        self._cipher = ECB(target, key)
        self._turn = threading.RLock()  # a caller's function may come back
        #: Blocks begun, and what is left of the last one's key stream.
        self._used, self._left = 0, b""

    def _opened(self, direction: str) -> engine.Work:
        return engine.Slow()

    def _check(self, size: int) -> None:
        blocks = -(-max(0, size - len(self._left)) // self.block_size)
        if self._limit is not None and self._used + blocks > self._limit:
            raise CounterError(
                f"the counter of {self._limit.bit_length() // 8} bytes would repeat; use a longer one"
            )

    def _transform(self, source: int, target: int, size: int) -> None:
        import numpy as np  # which takes longer to import than all else that an object needs

        while size:
            if not self._left:
                blocks = min(_MOST, -(-size // self.block_size))
                self._left = self._cipher.encrypt(self._written(self._used, self._used + blocks))
                self._used += blocks
            now = min(size, len(self._left))
            added = np.frombuffer(ctypes.string_at(source, now), np.uint8) ^ np.frombuffer(
                self._left, np.uint8, now
            )
            ctypes.memmove(target, added.tobytes(), now)
            self._left = self._left[now:]
            source, target, size = source + now, target + now, size - now


class _Fields:
    """Writes blocks of a prefix, a number and a suffix."""

    def __init__(self, prefix: bytes, length: int, suffix: bytes, little: bool, first: int) -> None:
        self.prefix, self.length, self.suffix, self.little, self.first = prefix, length, suffix, little, first

    def __call__(self, start: int, stop: int) -> bytes:
        import numpy as np  # which takes longer to import than all else that an object needs

        limit, count = 1 << 8 * self.length, stop - start
        begin = (self.first + start) % limit
        high, low = divmod(begin, 1 << 64)
        until_carry = (1 << 64) - low
        if self.length > 8 and count > until_carry:  # which numbers of 64 bits would lose
            return self(start, start + until_carry) + self(start + until_carry, stop)
        numbers = np.arange(count, dtype=np.uint64) + np.uint64(low)
        digits = numbers.astype(">u8").view(np.uint8).reshape(count, 8)[:, -min(8, self.length) :]
        heads = np.frombuffer(high.to_bytes(max(0, self.length - 8), "big"), np.uint8)
        counters = np.hstack([np.tile(heads, (count, 1)), digits])
        ends = (np.tile(np.frombuffer(end, np.uint8), (count, 1)) for end in (self.prefix, self.suffix))
        prefixes, suffixes = ends
        made = np.hstack([prefixes, counters[:, ::-1] if self.little else counters, suffixes])
        return made.tobytes()


def _called(counter: Callable[[], Any], size: int) -> _Written:
    """Blocks that a function returns, one a call, after PEP 272."""

    def written(start: int, stop: int) -> bytes:
        return b"".join(_one_block(counter(), size) for _ in range(start, stop))

    return written


def _one_block(block: Any, size: int) -> bytes:
    made = bytes_of(block, "what counter returns")
    if len(made) != size:
        raise DataError(f"counter returns {len(made)} bytes; accepted: {size}, a block")
    return made
