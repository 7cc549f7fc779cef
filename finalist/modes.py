"""Ready-to-use ciphers after PEP 272: ``new(name, key, mode, ...)``, ``.encrypt``, ``.decrypt``.

Modes of operation: NIST SP 800-38A. Code written for PyCryptodome's classic modes runs.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, overload

from finalist import calling, engine
from finalist.errors import DataError, KeyLengthError, UnknownNameError
from finalist.machines.native.memory import Held, new_bytes
from finalist.target import Target
from finalist.target import target as find_target

MODE_ECB, MODE_CBC, MODE_CTR = 1, 2, 6
_MODES = {MODE_ECB: "ECB", MODE_CBC: "CBC", MODE_CTR: "CTR"}


def new(
    name: str,
    key: bytes,
    mode: int | None = None,
    iv: bytes | None = None,
    *,
    IV: bytes | None = None,
    nonce: bytes | None = None,
    initial_value: int | bytes = 0,
) -> BlockCipher:
    """A cipher object for one message.

    ``key``: one of the cipher's lengths. ``mode``: one of MODE_ECB, MODE_CBC, MODE_CTR; a stream cipher
    takes none, nor anything else beside its key. ``iv`` (or ``IV``): CBC's initial block, random if not
    given. ``nonce`` and ``initial_value``: CTR's counter block is the nonce, then the counter, big-endian,
    filling the block; a nonce of half a block, random, if not given. Raises UnknownNameError,
    KeyLengthError or DataError.
    """
    target = find_target(name)
    secret = _bytes_like(key, "key")
    if len(secret) * 8 not in target.key_bits:
        accepted = target.definition.key_sizes(unit=8)
        raise KeyLengthError(f"key of {len(secret)} bytes; {target.name} accepts {accepted}")
    if target.stateful:
        _refuse_strangers(None, mode=mode, iv=iv or IV, nonce=nonce, initial_value=initial_value or None)
        return Stream(target, secret)
    if mode not in _MODES:
        accepted = ", ".join(f"MODE_{mode_name}" for mode_name in _MODES.values())
        raise UnknownNameError(f"unknown mode {mode!r}; accepted: {accepted}")
    if iv is not None and IV is not None:
        raise DataError("iv and IV are the same argument; accepted: one of them")
    start = IV if iv is None else iv
    _refuse_strangers(mode, iv=start, nonce=nonce, initial_value=initial_value or None)
    if mode == MODE_CBC:
        return CBC(target, secret, start)
    return CTR(target, secret, nonce, initial_value) if mode == MODE_CTR else ECB(target, secret)


def _refuse_strangers(chosen: int | None, **given: object) -> None:
    own = {MODE_CBC: ("iv",), MODE_CTR: ("nonce", "initial_value")}.get(chosen or 0, ())
    for argument, value in given.items():
        if value is not None and argument not in own:
            raise DataError(f"{argument}: {_MODES.get(chosen or 0, 'a stream cipher')} takes none")


def _bytes_like(value: Any, argument: str) -> bytes:
    _check_type(value, argument)
    return bytes(value)


def _check_type(value: Any, argument: str) -> None:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError(f"{argument} is {type(value).__name__}; accepted: bytes, bytearray, memoryview")


class BlockCipher:
    """A cipher with one key in one mode; ``block_size`` and ``key_size`` in bytes.

    As in PyCryptodome an object works in one direction only: the first call decides.
    """

    mode = 0
    #: Bytes that data must be a multiple of.
    _unit = 1

    def __init__(self, target: Target, key: bytes) -> None:
        self._target = target
        self._key = key
        self._direction = ""
        self.block_size: int = target.block_bytes
        self.key_size = len(key)
        self._work: engine.Work | None = None
        #: What quick calls need to know, and where it is kept.
        self._caller, self._caller_memory = calling.caller()
        self._quick_encrypt = self._quick_decrypt = calling.slowly
        #: What a function works on beside its input and output: the mode's state.
        self._state: tuple[Any, ...] = ()

    @overload
    def encrypt(self, plaintext: bytes) -> bytes: ...
    @overload
    def encrypt(self, plaintext: bytes, output: bytearray | memoryview) -> None: ...
    def encrypt(self, plaintext: bytes, output: bytearray | memoryview | None = None) -> bytes | None:
        """The ciphertext; may be called again with the message's next part.

        With ``output`` it is written there, and nothing returned: as many bytes, in other memory than the
        plaintext's, or in the same.
        """
        done: bytes | None = self._quick_encrypt(plaintext, output)
        return self._crypt("encrypt", plaintext, output) if done is NotImplemented else done

    @overload
    def decrypt(self, ciphertext: bytes) -> bytes: ...
    @overload
    def decrypt(self, ciphertext: bytes, output: bytearray | memoryview) -> None: ...
    def decrypt(self, ciphertext: bytes, output: bytearray | memoryview | None = None) -> bytes | None:
        """The plaintext; may be called again with the message's next part. ``output``: as for `encrypt`."""
        done: bytes | None = self._quick_decrypt(ciphertext, output)
        return self._crypt("decrypt", ciphertext, output) if done is NotImplemented else done

    def _crypt(self, direction: str, data: bytes, output: bytearray | memoryview | None) -> bytes | None:
        """Any case there is."""
        made: bytes | None = None
        with _held(data, "plaintext" if direction == "encrypt" else "ciphertext") as source:
            if output is None:
                output = made = new_bytes(None, source.size)
            with Held(output) if made is not None else _writable(output, source) as target:
                self._begin(direction, source.size)
                if source.size:
                    self._transform(source.address, target.address, source.size)
        return made

    def _begin(self, direction: str, size: int) -> None:
        """Refuse, or decide for, a direction."""
        if direction != self._direction and self._direction:
            raise TypeError(f"{direction}() after {self._direction}(); accepted: one direction an object")
        self._check(size)
        self._direction = direction

    def _check(self, size: int) -> None:
        if size % self._unit:
            raise DataError(f"data of {size} bytes; accepted: a multiple of {self._unit}")

    def _transform(self, source: int, target: int, size: int) -> None:
        """Work on at least one byte, from address to address."""
        self._apply(source, target, size)

    def _apply(self, source: int, target: int, size: int) -> None:
        if self._work is None:
            mode = _MODES.get(self.mode, "ECB").lower()
            operation = "encrypt" if self.mode == MODE_CTR else self._direction
            self._work = engine.work(self._target, self._key, mode, operation)
            self._hasten()
        function, key = self._work.call(-(-size // self.block_size))
        places = ctypes.c_void_p(source), ctypes.c_void_p(target)
        function(key, *self._state, *places, ctypes.c_size_t(size // self._unit))
        self._tell_caller()

    def _hasten(self) -> None:
        """Have later calls in this direction made by C."""
        c = self._caller
        c.block, c.unit = self.block_size, self._unit
        c.state = ctypes.addressof(self._state[0]) if self._state else None
        function = calling.quick(self._caller_memory, (self._work, self._state))
        setattr(self, f"_quick_{self._direction}", function)

    def _tell_caller(self) -> None:
        """Which functions there are by now."""
        assert self._work is not None
        rungs = self._work.rungs()
        self._caller.rungs = len(rungs)
        for place, (least, call) in enumerate(rungs):
            if call is not None:
                function = ctypes.cast(call[0], ctypes.c_void_p).value  # type: ignore[arg-type]
                self._caller.serve(place, least, function or 0, call[1].value)
            else:
                self._caller.serve(place, least, 0, 0)


def _held(data: Any, argument: str) -> Held:
    _check_type(data, argument)
    contiguous = not isinstance(data, memoryview) or data.c_contiguous
    return Held(data if contiguous else bytes(data))


def _writable(output: Any, source: Held) -> Held:
    """The memory to write to. Raises TypeError or DataError."""
    if not isinstance(output, bytearray | memoryview):
        raise TypeError(f"output is {type(output).__name__}; accepted: bytearray, writable memoryview")
    try:
        target = Held(output, writable=True)
    except BufferError as error:
        raise TypeError(f"output: {error}; accepted: writable memory in one piece") from error
    apart = abs(target.address - source.address)
    if target.size == source.size and (not apart or apart >= source.size):
        return target
    with target:
        if target.size != source.size:
            raise DataError(f"output of {target.size} bytes; accepted: {source.size}, as many as the data")
        raise DataError("output overlaps the data; accepted: the same memory, or other memory")


class ECB(BlockCipher):
    """Electronic codebook: each block by itself."""

    mode = MODE_ECB

    def __init__(self, target: Target, key: bytes) -> None:
        super().__init__(target, key)
        self._unit = self.block_size


class CBC(BlockCipher):
    """Cipher block chaining; ``iv`` is the initial block."""

    mode = MODE_CBC

    def __init__(self, target: Target, key: bytes, iv: bytes | None) -> None:
        super().__init__(target, key)
        self._unit = self.block_size
        self.iv = os.urandom(self.block_size) if iv is None else _bytes_like(iv, "iv")
        if len(self.iv) != self.block_size:
            raise DataError(f"iv of {len(self.iv)} bytes; accepted: {self.block_size}")
        self.IV = self.iv
        self._state = (ctypes.create_string_buffer(self.iv, self.block_size),)


class CTR(BlockCipher):
    """Counter mode; any number of bytes."""

    mode = MODE_CTR

    def __init__(self, target: Target, key: bytes, nonce: bytes | None, initial_value: int | bytes) -> None:
        super().__init__(target, key)
        size = self.block_size
        self.nonce = os.urandom(size // 2) if nonce is None else _bytes_like(nonce, "nonce")
        if len(self.nonce) >= size:
            raise DataError(f"nonce of {len(self.nonce)} bytes; accepted: 0 to {size - 1}")
        self._counter_bytes = size - len(self.nonce)
        self._limit = 1 << 8 * self._counter_bytes
        self._first = self._initial(initial_value)
        #: Blocks begun, but for those that the caller has taken off its `free` since that was set.
        self._used = 0
        self._counter = ctypes.create_string_buffer(self._block(0), size)
        self._state = (self._counter,)
        self._set_free()

    def _initial(self, value: int | bytes) -> int:
        if isinstance(value, bytes | bytearray | memoryview):
            if len(value) != self._counter_bytes:
                raise DataError(f"initial_value of {len(value)} bytes; accepted: {self._counter_bytes}")
            return int.from_bytes(value, "big")
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < self._limit:
            raise DataError(f"initial_value {value!r}; accepted: 0 to 2^{8 * self._counter_bytes} - 1")
        return value

    def _block(self, number: int) -> bytes:
        """A counter block; the first one is number 0."""
        counter = (self._first + number) % self._limit
        return self.nonce + counter.to_bytes(self._counter_bytes, "big")

    def _until_zero(self) -> int:
        """Blocks until the counter is zero again; the functions would count on into the nonce."""
        return self._limit - (self._first + self._used) % self._limit

    def _set_free(self) -> None:
        free = min(self._until_zero(), self._limit - self._used, calling.ENDLESS)
        self._caller.free = self._given_free = free

    def _settle(self) -> None:
        """Count what the caller has taken."""
        self._used += self._given_free - self._caller.free
        self._given_free = self._caller.free

    def _check(self, size: int) -> None:
        self._settle()
        blocks = -(-max(0, size - self._caller.left) // self.block_size)
        if self._used + blocks > self._limit:
            raise DataError(f"the counter of {self._counter_bytes} bytes would repeat; use a longer one")

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
                self._counter.raw = self._block(self._used)
        self._set_free()

    def _apply_left(self, source: int, target: int, size: int) -> None:
        """On bytes for which there is key stream left: it is made once more, from the counter before."""
        now, self._counter.raw = self._counter.raw, self._block(self._used - 1)
        stream = ctypes.create_string_buffer(self.block_size)
        place = ctypes.addressof(stream)
        self._apply(place, place, self.block_size)
        self._counter.raw = now
        begin = self.block_size - self._caller.left
        added = engine.xor(ctypes.string_at(source, size), stream.raw[begin : begin + size])
        ctypes.memmove(target, added, size)
        self._caller.left -= size


class Stream(BlockCipher):
    """A stream cipher: any number of bytes, each under the state that those before it left."""
