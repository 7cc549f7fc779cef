"""Functions of modes of operation held to test vectors, before anything else is said of them.

A published vector is one of every mode too: counter mode from the plaintext adds the ciphertext to what is
encrypted, chaining from the plaintext does so with zeros. What many blocks make of it is compared with the
program's own ECB, which has to have reproduced the vectors itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from finalist.errors import VectorError
from finalist.machines.base import CompiledProgram
from finalist.vectors.load import KnownAnswer


class MessageProgram(CompiledProgram, Protocol):
    """A program with functions of modes; each also gives the block that its next call begins with."""

    def expand(self, key: bytes) -> Any:
        """The key schedule on ``key``."""
        ...

    def ctr(self, key: Any, counter: bytes, data: bytes) -> tuple[bytes, bytes]:
        """Counter mode from a counter block on."""
        ...

    def cbc(self, key: Any, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
        """Cipher block chaining."""
        ...


def check_mode(program: MessageProgram, mode: str, rows: Iterable[KnownAnswer]) -> None:
    """Hold a program's function of a mode ("ctr" or "cbc") to the rows of its key length, and to its ECB.

    Raises VectorError, naming what differs.
    """
    own = [row for row in rows if len(row.key) * 8 == program.key_bits]
    if not own:
        raise VectorError(f"{program.cipher} has no vectors for {program.key_bits}-bit keys")
    work, wanted = _WORK[mode]
    for row in own:
        zero = bytes(program.block_bytes)
        if mode == "cbc" and program.operation == "decrypt":
            first, data, right = zero, row.ciphertext, row.plaintext
        else:
            first, data, right = row.plaintext, zero, row.ciphertext
        _compare(program, mode, f"vector {row.origin!r}", work(program, row.key, first, data)[0], right)
    for start, size in _messages(program):
        data = bytes(i * i % 251 for i in range(size if mode == "ctr" else size - size % program.block_bytes))
        first = start.to_bytes(program.block_bytes, "big")
        got = b"".join(work(program, own[0].key, first, data))
        expected = b"".join(wanted(program, own[0].key, first, data))
        what = f"a message of {len(data)} bytes from {first.hex()}"
        _compare(program, mode, what, got, expected)


def _messages(program: CompiledProgram) -> list[tuple[int, int]]:
    """First blocks, as numbers, and bytes: around what a kernel takes and where counters carry."""
    n, size = program.schedule.blocks or 1, program.block_bytes
    top = 1 << 8 * size
    starts = sorted({0, 2**8 - n, 2**32 - n - 1, 2**64 - n - 1, top - n - 1})
    return [(start % top, (2 * n + 1) * size + 1) for start in starts] + [(7, 0), (7, 1), (7, n * size - 1)]


def _ctr(program: MessageProgram, key: bytes, first: bytes, data: bytes) -> tuple[bytes, bytes]:
    return program.ctr(program.expand(key), first, data)


def _cbc(program: MessageProgram, key: bytes, first: bytes, data: bytes) -> tuple[bytes, bytes]:
    return program.cbc(program.expand(key), first, data)


def _expected_ctr(program: MessageProgram, key: bytes, first: bytes, data: bytes) -> tuple[bytes, bytes]:
    size = program.block_bytes
    number, top = int.from_bytes(first, "big"), 1 << 8 * size
    after = number + -(-len(data) // size)
    counters = b"".join((value % top).to_bytes(size, "big") for value in range(number, after))
    stream = program.run(key, counters).output
    return _xor(data, stream[: len(data)]), (after % top).to_bytes(size, "big")


def _expected_cbc(program: MessageProgram, key: bytes, first: bytes, data: bytes) -> tuple[bytes, bytes]:
    size = program.block_bytes
    if program.operation == "decrypt":
        chain = first + data
        return _xor(program.run(key, data).output, chain[: len(data)]), chain[-size:]
    done = [first]
    for start in range(0, len(data), size):
        done.append(program.run(key, _xor(done[-1], data[start : start + size])).output)
    return b"".join(done[1:]), done[-1]


_Work = Callable[[MessageProgram, bytes, bytes, bytes], tuple[bytes, bytes]]
_WORK: dict[str, tuple[_Work, _Work]] = {"ctr": (_ctr, _expected_ctr), "cbc": (_cbc, _expected_cbc)}


def _xor(a: bytes, b: bytes) -> bytes:
    return (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(len(a), "big")


def _compare(program: CompiledProgram, mode: str, what: str, got: bytes, expected: bytes) -> None:
    if got != expected:
        place = next((i for i, (a, b) in enumerate(zip(got, expected, strict=False)) if a != b), len(got))
        raise VectorError(
            f"{program.cipher} {program.operation} in mode {mode}, {program.key_bits}-bit key, schedule"
            f" {program.schedule}: {what} differs from byte {place} on"
        )
