"""Ready-to-use ciphers after PEP 272: ``new(name, key, mode, ...)``, ``.encrypt``, ``.decrypt``.

Modes of operation: NIST SP 800-38A. Code written for PyCryptodome's classic modes runs.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import CompilerError, DataError, KeyLengthError, UnknownNameError
from finalist.notice import notice_no_compiler

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
    definition = find_cipher(name)
    secret = _bytes_like(key, "key")
    if len(secret) * 8 not in definition.key_bits:
        accepted = definition.key_sizes(unit=8)
        raise KeyLengthError(f"key of {len(secret)} bytes; {definition.name()} accepts {accepted}")
    if definition.stateful:
        _refuse_strangers(None, mode=mode, iv=iv or IV, nonce=nonce, initial_value=initial_value or None)
        return Stream(_Engine(definition, secret))
    if mode not in _MODES:
        accepted = ", ".join(f"MODE_{mode_name}" for mode_name in _MODES.values())
        raise UnknownNameError(f"unknown mode {mode!r}; accepted: {accepted}")
    if iv is not None and IV is not None:
        raise DataError("iv and IV are the same argument; accepted: one of them")
    start = IV if iv is None else iv
    _refuse_strangers(mode, iv=start, nonce=nonce, initial_value=initial_value or None)
    engine = _Engine(definition, secret)
    if mode == MODE_CBC:
        return CBC(engine, start)
    return CTR(engine, nonce, initial_value) if mode == MODE_CTR else ECB(engine)


def _refuse_strangers(chosen: int | None, **given: object) -> None:
    own = {MODE_CBC: ("iv",), MODE_CTR: ("nonce", "initial_value")}.get(chosen or 0, ())
    for argument, value in given.items():
        if value is not None and argument not in own:
            raise DataError(f"{argument}: {_MODES.get(chosen or 0, 'a stream cipher')} takes none")


def _bytes_like(value: Any, argument: str) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError(f"{argument} is {type(value).__name__}; accepted: bytes, bytearray, memoryview")
    return bytes(value)


class _Engine:
    """The programs of one key: bulk in both directions, and CBC's chain one block at a time.

    Without a C compiler the interpreter serves, after one line that says so.
    """

    def __init__(self, definition: Any, key: bytes) -> None:
        self.definition = definition
        self.key = key
        self.block_bytes: int = definition.block.bytes
        self._ready: dict[tuple[str, bool], Any] = {}

    def _program(self, operation: str, single: bool) -> Any:
        """A compiled program and the key expanded for it, or an interpreted one and the key itself."""
        if (operation, single) not in self._ready:
            bits = len(self.key) * 8
            choices: dict[str, Any] = {"blocks": 1, "width": 1} if single else {}
            try:
                program = api.compile(self.definition, "native", operation, bits, **choices)
                ready = (program, program.expand(self.key))  # type: ignore[attr-defined]
            except CompilerError as error:
                notice_no_compiler(error)
                ready = (api.compile(self.definition, "interpreter", operation, bits), None)
            self._ready[operation, single] = ready
        return self._ready[operation, single]

    def crypt(self, operation: str, data: bytes) -> bytes:
        """All blocks, each by itself."""
        program, key = self._program(operation, single=len(data) <= self.block_bytes)
        result: bytes = program.crypt(key, data) if key else program.run(self.key, data).output
        return result

    def stream(self, operation: str, done: int, data: bytes) -> bytes:
        """A stream cipher's next part, after ``done`` bytes."""
        program, key = self._program(operation, single=True)
        if key:
            part: bytes = program.crypt(key, data)
            return part
        whole: bytes = program.run(self.key, bytes(done) + data).output
        return whole[done:]

    def chain(self, iv: bytes, data: bytes) -> bytes:
        """CBC encryption."""
        program, key = self._program("encrypt", single=True)
        if key:
            chained: bytes = program.cbc(key, iv, data)
            return chained
        blocks, size = [], self.block_bytes
        for start in range(0, len(data), size):
            iv = program.run(self.key, _xor(iv, data[start : start + size])).output
            blocks.append(iv)
        return b"".join(blocks)


def _xor(a: bytes, b: bytes) -> bytes:
    mixed = np.frombuffer(a, np.uint8) ^ np.frombuffer(b, np.uint8)
    return mixed.tobytes()


class BlockCipher:
    """A cipher with one key in one mode; ``block_size`` and ``key_size`` in bytes.

    As in PyCryptodome an object works in one direction only: the first call decides.
    """

    mode = 0

    def __init__(self, engine: _Engine) -> None:
        self._engine = engine
        self._direction = ""
        self.block_size = engine.block_bytes
        self.key_size = len(engine.key)

    def encrypt(self, plaintext: bytes) -> bytes:
        """The ciphertext; may be called again with the message's next part."""
        return self._crypt("encrypt", plaintext)

    def decrypt(self, ciphertext: bytes) -> bytes:
        """The plaintext; may be called again with the message's next part."""
        return self._crypt("decrypt", ciphertext)

    def _crypt(self, direction: str, data: bytes) -> bytes:
        given = _bytes_like(data, "plaintext" if direction == "encrypt" else "ciphertext")
        if self._direction not in ("", direction):
            raise TypeError(f"{direction}() after {self._direction}(); accepted: one direction an object")
        self._check(given)
        self._direction = direction
        return self._work(direction, given) if given else b""

    def _check(self, data: bytes) -> None:
        if len(data) % self.block_size:
            raise DataError(f"data of {len(data)} bytes; accepted: a multiple of {self.block_size}")

    def _work(self, direction: str, data: bytes) -> bytes:
        raise NotImplementedError


class ECB(BlockCipher):
    """Electronic codebook: each block by itself."""

    mode = MODE_ECB

    def _work(self, direction: str, data: bytes) -> bytes:
        return self._engine.crypt(direction, data)


class CBC(BlockCipher):
    """Cipher block chaining; ``iv`` is the initial block."""

    mode = MODE_CBC

    def __init__(self, engine: _Engine, iv: bytes | None) -> None:
        super().__init__(engine)
        self.iv = secrets.token_bytes(self.block_size) if iv is None else _bytes_like(iv, "iv")
        if len(self.iv) != self.block_size:
            raise DataError(f"iv of {len(self.iv)} bytes; accepted: {self.block_size}")
        self.IV = self.iv
        self._last = self.iv

    def _work(self, direction: str, data: bytes) -> bytes:
        if direction == "encrypt":
            out = self._engine.chain(self._last, data)
            self._last = out[-self.block_size :]
            return out
        before = self._last + data[: -self.block_size]
        self._last = data[-self.block_size :]
        return _xor(self._engine.crypt("decrypt", data), before)


class CTR(BlockCipher):
    """Counter mode; any number of bytes."""

    mode = MODE_CTR

    def __init__(self, engine: _Engine, nonce: bytes | None, initial_value: int | bytes) -> None:
        super().__init__(engine)
        size = self.block_size
        self.nonce = secrets.token_bytes(size // 2) if nonce is None else _bytes_like(nonce, "nonce")
        if len(self.nonce) >= size:
            raise DataError(f"nonce of {len(self.nonce)} bytes; accepted: 0 to {size - 1}")
        self._counter_bytes = size - len(self.nonce)
        self._limit = 1 << 8 * self._counter_bytes
        self._counter = self._initial(initial_value)
        self._used = 0
        self._rest = b""

    def _initial(self, value: int | bytes) -> int:
        if isinstance(value, bytes | bytearray | memoryview):
            if len(value) != self._counter_bytes:
                raise DataError(f"initial_value of {len(value)} bytes; accepted: {self._counter_bytes}")
            return int.from_bytes(value, "big")
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < self._limit:
            raise DataError(f"initial_value {value!r}; accepted: 0 to 2^{8 * self._counter_bytes} - 1")
        return value

    def _check(self, data: bytes) -> None:
        blocks = -(-max(0, len(data) - len(self._rest)) // self.block_size)
        if self._used + blocks > self._limit:
            raise DataError(f"the counter of {self._counter_bytes} bytes would repeat; use a longer one")

    def _work(self, direction: str, data: bytes) -> bytes:
        stream = self._rest
        if len(data) > len(stream):
            blocks = -(-(len(data) - len(stream)) // self.block_size)
            stream += self._engine.crypt("encrypt", self._counters(blocks))
        self._rest = stream[len(data) :]
        return _xor(data, stream[: len(data)])

    def _counters(self, blocks: int) -> bytes:
        """The next counter blocks."""
        size, tail = self.block_size, min(8, self._counter_bytes)
        rows = np.empty((blocks, size), np.uint8)
        done = 0
        while done < blocks:
            number = (self._counter + self._used) % self._limit
            low = number % (1 << 8 * tail)
            run = min(blocks - done, (1 << 8 * tail) - low)
            head = self.nonce + (number >> 8 * tail).to_bytes(self._counter_bytes - tail, "big")
            rows[done : done + run, : size - tail] = np.frombuffer(head, np.uint8)
            counts = np.arange(run, dtype=np.uint64) + np.uint64(low)
            digits = counts.astype(">u8").view(np.uint8).reshape(-1, 8)
            rows[done : done + run, size - tail :] = digits[:, 8 - tail :]
            done += run
            self._used += run
        return rows.tobytes()


class Stream(BlockCipher):
    """A stream cipher: any number of bytes, each under the state that those before it left."""

    def __init__(self, engine: _Engine) -> None:
        super().__init__(engine)
        self._done = 0

    def _work(self, direction: str, data: bytes) -> bytes:
        out = self._engine.stream(direction, self._done, data)
        self._done += len(data)
        return out
