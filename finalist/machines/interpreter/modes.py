"""Modes of operation as NIST SP 800-38A says them, made of what works on many blocks, each by itself.

Each takes that, the initial block and the data, and gives the output and what the next part of a message
begins with. The data may end within a block, or within a segment of cipher feedback; then output feedback's
block and cipher feedback's register end in key stream that was not used.
"""

from __future__ import annotations

from collections.abc import Callable

#: Whole blocks to as many.
Blocks = Callable[[bytes], bytes]
Result = tuple[bytes, bytes]
Mode = Callable[[Blocks, bytes, bytes], Result]


def counted(block: Blocks, first: bytes, data: bytes) -> Result:
    """Counter mode; then the first counter that was not begun."""
    size = len(first)
    number, top = int.from_bytes(first, "big"), 1 << 8 * size
    after = number + -(-len(data) // size)
    counters = b"".join((value % top).to_bytes(size, "big") for value in range(number, after))
    return xor(data, block(counters)[: len(data)]), (after % top).to_bytes(size, "big")


def unchained(block: Blocks, first: bytes, data: bytes) -> Result:
    """Cipher block chaining undone, by decryption; then the last ciphertext block."""
    chain = first + data
    return xor(block(data), chain[: len(data)]), chain[-len(first) :]


def chained(block: Blocks, first: bytes, data: bytes) -> Result:
    """Cipher block chaining; then the last ciphertext block."""
    size, done = len(first), [first]
    for start in range(0, len(data), size):
        done.append(block(xor(done[-1], data[start : start + size])))
    return b"".join(done[1:]), done[-1]


def output_fed(block: Blocks, first: bytes, data: bytes) -> Result:
    """Output feedback; then the last block of key stream."""
    size, stream = len(first), [first]
    for _ in range(0, len(data), size):
        stream.append(block(stream[-1]))
    return xor(data, b"".join(stream[1:])[: len(data)]), stream[-1]


def fed_back(block: Blocks, first: bytes, data: bytes, bits: int | None = None) -> Result:
    """Cipher feedback undone: the registers are windows on the ciphertext."""
    size, step = len(first), (bits or 8 * len(first)) // 8
    chain = first + data
    starts = range(0, len(data), step)
    made = block(b"".join(chain[start : start + size] for start in starts))
    stream = b"".join(made[start : start + step] for start in range(0, len(made), size))
    return xor(data, stream[: len(data)]), (chain + stream[len(data) :])[-size:]


def cipher_fed(block: Blocks, first: bytes, data: bytes, bits: int | None = None) -> Result:
    """Cipher feedback in segments of ``bits``, by default of blocks; then the shift register."""
    size, step, chain = len(first), (bits or 8 * len(first)) // 8, first
    for start in range(0, len(data), step):
        part = data[start : start + step]
        stream = block(chain[-size:])[:step]
        chain += xor(part, stream[: len(part)]) + stream[len(part) :]
    return chain[size : size + len(data)], chain[-size:]


def xor(a: bytes, b: bytes) -> bytes:
    """Bytes of the same length, XORed."""
    # Integers, not arrays: for little data they are the quickest that Python has.
    return (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(len(a), "big")
