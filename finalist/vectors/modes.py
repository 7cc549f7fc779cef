"""Functions of modes of operation held to test vectors, before anything else is said of them.

Published messages come first. A published vector of one block is one of every mode, too: counter mode and
feedback from the plaintext add the ciphertext to what is encrypted, chaining from the plaintext does so with
zeros. What many blocks make of it is compared with the program's own ECB, which has to have reproduced the
vectors itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from finalist.errors import VectorError
from finalist.machines.base import CompiledProgram
from finalist.machines.interpreter.modes import (
    Result,
    chained,
    cipher_fed,
    counted,
    fed_back,
    output_fed,
    unchained,
)
from finalist.vectors.load import KnownAnswer, messages


class MessageProgram(CompiledProgram, Protocol):
    """A program with functions of modes; each also gives the block that its next call begins with."""

    def expand(self, key: bytes) -> Any:
        """The key schedule on ``key``."""

    def ctr(self, key: Any, counter: bytes, data: bytes) -> tuple[bytes, bytes]:
        """Counter mode from a counter block on."""

    def cbc(self, key: Any, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
        """Cipher block chaining."""

    def cfb_encrypt(
        self, key: Any, iv: bytes, data: bytes, segment_bits: int | None = None
    ) -> tuple[bytes, bytes]:
        """Cipher feedback, by default of whole blocks."""

    def cfb_decrypt(
        self, key: Any, iv: bytes, data: bytes, segment_bits: int | None = None
    ) -> tuple[bytes, bytes]:
        """The same undone, by encryption."""

    def ofb(self, key: Any, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
        """Output feedback."""


_Crypt = Callable[[bytes, bytes, bytes], Result]


@dataclass(frozen=True, slots=True)
class _Function:
    """One function of a mode: from key, first block and data to output and next block.

    ``expected``: the same by the program's own ECB; ``unit``: bytes that data is a multiple of; ``step``:
    bytes that a block is spent on; ``decrypts``: it undoes the mode.
    """

    work: _Crypt
    expected: _Crypt
    unit: int = 1
    step: int = 0
    decrypts: bool = False


def check_mode(program: MessageProgram, mode: str, rows: Iterable[KnownAnswer]) -> None:
    """Hold a program's functions of a mode ("ctr", "cbc", "cfb", "cfb8", "ofb") to published messages,
    to the rows of its key length, and to its ECB.

    Raises VectorError, naming what differs.
    """
    own = [row for row in rows if len(row.key) * 8 == program.key_bits]
    if not own:
        raise VectorError(f"{program.cipher} has no vectors for {program.key_bits}-bit keys")
    for function in _functions(program, mode):
        for message in messages(program.cipher):
            if (message.mode, len(message.key) * 8) == (mode, program.key_bits):
                _check_message(program, mode, function, message.origin, *_ways(function, message))
        for row in own:
            _check_message(program, mode, function, row.origin, *_as_message(function, row))
        for start, size in _sizes(program, mode, function):
            data, first = bytes(i * i % 251 for i in range(size)), start.to_bytes(program.block_bytes, "big")
            got = b"".join(function.work(own[0].key, first, data))
            expected = b"".join(function.expected(own[0].key, first, data))
            what = f"a message of {len(data)} bytes from {first.hex()}"
            _compare(program, mode, what, got, expected)


def _functions(program: MessageProgram, mode: str) -> Iterator[_Function]:
    """The program's functions of a mode; cipher feedback has two where the program is of one block a call."""
    size = program.block_bytes
    decrypts = program.operation == "decrypt"
    if mode == "cbc":
        expected = unchained if decrypts else chained
        yield _Function(_expanding(program, program.cbc), _by(program, expected), size, size, decrypts)
    elif mode in ("ctr", "ofb"):
        expected = counted if mode == "ctr" else output_fed
        yield _Function(_expanding(program, getattr(program, mode)), _by(program, expected), 1, size)
    else:
        bits = int(mode.removeprefix("cfb") or 8 * size)
        back, there = (_segmented(f, bits) for f in (program.cfb_decrypt, program.cfb_encrypt))
        wanted = [_by(program, _segmented(f, bits)) for f in (fed_back, cipher_fed)]
        yield _Function(_expanding(program, back), wanted[0], 1, bits // 8, decrypts=True)
        if program.schedule.blocks == 1:
            yield _Function(_expanding(program, there), wanted[1], 1, bits // 8)


def _expanding(program: MessageProgram, function: Callable[[Any, bytes, bytes], Result]) -> _Crypt:
    return lambda key, first, data: function(program.expand(key), first, data)


def _by(program: MessageProgram, expected: Callable[[Any, bytes, bytes], Result]) -> _Crypt:
    return lambda key, first, data: expected(lambda blocks: program.run(key, blocks).output, first, data)


def _segmented(function: Callable[..., Result], bits: int) -> Callable[[Any, bytes, bytes], Result]:
    return lambda key, first, data: function(key, first, data, bits)


def _ways(function: _Function, message: Any) -> tuple[bytes, bytes, bytes, bytes]:
    """Key, first block, data and result of a published message."""
    pair = (message.plaintext, message.ciphertext)
    return (message.key, message.iv, *(reversed(pair) if function.decrypts else pair))


def _as_message(function: _Function, row: KnownAnswer) -> tuple[bytes, bytes, bytes, bytes]:
    """A vector of one block as a message of the mode."""
    zero = bytes(len(row.plaintext))
    if function.unit > 1 and function.decrypts:
        return row.key, zero, row.ciphertext, row.plaintext
    return row.key, row.plaintext, zero[: function.step], row.ciphertext[: function.step]


def _check_message(
    program: MessageProgram,
    mode: str,
    function: _Function,
    origin: str,
    key: bytes,
    first: bytes,
    data: bytes,
    right: bytes,
) -> None:
    _compare(program, mode, f"vector {origin!r}", function.work(key, first, data)[0], right)


def _sizes(program: CompiledProgram, mode: str, function: _Function) -> list[tuple[int, int]]:
    """First blocks, as numbers, and bytes: around what a kernel takes and where counters carry."""
    n, step = program.schedule.blocks or 1, function.step
    top = 1 << 8 * program.block_bytes
    starts = sorted(
        {0, 2**8 - n, 2**32 - n - 1, 2**64 - n - 1, top - n - 1} if mode in ("ctr", "cbc") else {7}
    )
    sizes = [(start % top, (2 * n + 1) * step + 1) for start in starts] + [(7, 0), (7, 1), (7, n * step - 1)]
    return [(start, size - size % function.unit) for start, size in sizes]


def _compare(program: CompiledProgram, mode: str, what: str, got: bytes, expected: bytes) -> None:
    if got != expected:
        place = next((i for i, (a, b) in enumerate(zip(got, expected, strict=False)) if a != b), len(got))
        raise VectorError(
            f"{program.cipher} {program.operation} in mode {mode}, {program.key_bits}-bit key, schedule"
            f" {program.schedule}: {what} differs from byte {place} on"
        )
