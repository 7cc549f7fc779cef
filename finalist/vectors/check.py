"""Programs held to test vectors. A program of any machine will do; what it offers beyond running is used.

The chains of the Monte Carlo tests are those of NIST's "Known Answer Tests and Monte Carlo Tests for
Advanced Encryption Standard Candidate Algorithm Submissions" (1998), sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, runtime_checkable

from finalist.errors import VectorError
from finalist.machines.base import CompiledProgram
from finalist.machines.interpreter.modes import xor
from finalist.vectors.load import HOW_TO_BRING, KnownAnswer, MonteCarlo

Block = Callable[[bytes], bytes]


@runtime_checkable
class OneBlock(Protocol):
    """A program that can be called quickly, again and again, under one key."""

    def one_block(self, key: bytes) -> Block:
        """The operation on one block under ``key``, as a function."""


@runtime_checkable
class InPlace(Protocol):
    """A program that works in memory and may overwrite its input."""

    def crypt_in_place(self, key: bytes, data: bytes, offset: int) -> bytes:
        """``data``, worked on where it lies, ``offset`` bytes past an aligned place."""


# -- known answers -----------------------------------------------------------------------------------


def check_known_answers(program: CompiledProgram, rows: Iterable[KnownAnswer]) -> int:
    """Hold a program to the rows of its key length; returns how many there were, at least one.

    Every row is run under its own key; then the key with most rows also in calls of many blocks, around
    the number that one call of the kernel takes, and in place where the program offers that.
    Raises VectorError, naming the row, what was expected and what came; also where no row is of the
    program's key length.
    """
    own = [row for row in rows if len(row.key) * 8 == program.key_bits]
    if not own:
        raise VectorError(f"{program.cipher} has no vectors for {program.key_bits}-bit keys; {HOW_TO_BRING}")
    given, wanted = _in_direction(program, own)
    results = program.run_many([row.key for row in own], given)
    for row, block, expected, got in zip(own, given, wanted, results, strict=True):
        data = block[row.offset :]
        what = f"vector {row.origin!r}, key {row.key.hex()}, block {data.hex()}"
        _compare(program, what, got[row.offset :], expected)
    if program.stateful:
        _check_message_in_place(program, max(own, key=lambda row: len(row.plaintext)))
    else:
        _check_many_blocks(program, own)
    return len(own)


def _check_message_in_place(program: CompiledProgram, row: KnownAnswer) -> None:
    """A message of a stream cipher on one buffer, at every place within 16 bytes."""
    (given,), (wanted,) = _in_direction(program, [row])
    if isinstance(program, InPlace):
        for place in range(16):
            got = program.crypt_in_place(row.key, given, place)
            what = f"vector {row.origin!r}, in place at an offset of {place} bytes"
            _compare(program, what, got[row.offset :], wanted)


def _check_many_blocks(program: CompiledProgram, rows: list[KnownAnswer]) -> None:
    """Calls of 0, 1, n-1, n, n+1 and 2n+1 blocks, where the kernel takes n."""
    of_key: dict[bytes, list[KnownAnswer]] = {}
    for row in rows:
        of_key.setdefault(row.key, []).append(row)
    same = max(of_key.values(), key=len)
    n = program.schedule.blocks or 1
    for count in sorted({0, 1, n - 1, n, n + 1, 2 * n + 1}):
        given, wanted = _in_direction(program, [same[i % len(same)] for i in range(count)])
        got = program.run(same[0].key, b"".join(given)).output
        _compare(program, _call(same[0].key, count), got, b"".join(wanted))
    if isinstance(program, InPlace):
        _check_in_place(program, program, same, 2 * n + 1)


def _check_in_place(program: CompiledProgram, memory: InPlace, rows: list[KnownAnswer], count: int) -> None:
    """The same on one buffer, at every place within 16 bytes."""
    given, wanted = _in_direction(program, [rows[i % len(rows)] for i in range(count)])
    for offset in range(16):
        got = memory.crypt_in_place(rows[0].key, b"".join(given), offset)
        where = f"{_call(rows[0].key, count)}, in place at an offset of {offset} bytes"
        _compare(program, where, got, b"".join(wanted))


def _call(key: bytes, count: int) -> str:
    return f"a call on {count} blocks of the vectors of key {key.hex()}"


def _in_direction(program: CompiledProgram, rows: Sequence[KnownAnswer]) -> tuple[list[bytes], list[bytes]]:
    """The blocks that go in, and those that should come out; before them what only uses a stream up."""
    plain, secret = [row.plaintext for row in rows], [row.ciphertext for row in rows]
    given, wanted = (plain, secret) if program.operation == "encrypt" else (secret, plain)
    return [bytes(row.offset) + data for row, data in zip(rows, given, strict=True)], wanted


def _compare(program: CompiledProgram, what: str, got: bytes, expected: bytes) -> None:
    if got != expected:
        size = program.block_bytes
        first = next(
            (i for i in range(0, len(expected), size) if got[i : i + size] != expected[i : i + size]), 0
        )
        place = f", block {first // size}" if len(expected) > size else ""
        raise VectorError(
            f"{program.cipher} {program.operation}, {program.key_bits}-bit key, schedule {program.schedule}:"
            f" {what}{place}: expected {expected[first : first + size].hex() or 'nothing'},"
            f" got {got[first : first + size].hex() or 'nothing'}"
        )


# -- Monte Carlo -------------------------------------------------------------------------------------


def check_monte_carlo(program: CompiledProgram, rows: Iterable[MonteCarlo]) -> int:
    """Run the chains of the program's direction and key length; returns how many there were.

    Raises VectorError, naming the entry, what was expected and what came.
    """
    done = 0
    for row in rows:
        if row.direction == program.operation and len(row.key) * 8 == program.key_bits:
            _check_chain(program, row)
            done += 1
    return done


def _check_chain(program: CompiledProgram, row: MonteCarlo) -> None:
    encrypting = row.direction == "encrypt"
    start, expected = (row.plaintext, row.ciphertext) if encrypting else (row.ciphertext, row.plaintext)
    got = _CHAINS[row.mode, row.direction](_function(program, row.key), start, row.iv, row.iterations)
    what = f"Monte Carlo, {row.mode}, entry {row.number} ({row.origin}), key {row.key.hex()}"
    _compare(program, what, got, expected)


def _function(program: CompiledProgram, key: bytes) -> Block:
    if isinstance(program, OneBlock):
        return program.one_block(key)
    return lambda block: program.run(key, block).output


def _ecb(crypt: Block, block: bytes, iv: bytes, times: int) -> bytes:
    for _ in range(times):
        block = crypt(block)
    return block


def _cbc_encrypt(crypt: Block, block: bytes, iv: bytes, times: int) -> bytes:
    """C[j] = E(P[j] xor C[j-1]), P[j+1] = C[j-1], with C[-1] the initial vector."""
    for _ in range(times):
        block, iv = iv, crypt(xor(block, iv))
    return iv


def _cbc_decrypt(crypt: Block, block: bytes, iv: bytes, times: int) -> bytes:
    """P[j] = D(C[j]) xor V[j], V[j+1] = C[j], C[j+1] = P[j], with V[0] the initial vector."""
    for _ in range(times):
        block, iv = xor(crypt(block), iv), block
    return block


_CHAINS: dict[tuple[str, str], Callable[[Block, bytes, bytes, int], bytes]] = {
    ("ECB", "encrypt"): _ecb,
    ("ECB", "decrypt"): _ecb,
    ("CBC", "encrypt"): _cbc_encrypt,
    ("CBC", "decrypt"): _cbc_decrypt,
}
