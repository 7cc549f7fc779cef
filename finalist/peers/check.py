"""No figure without a match: what is measured is checked against published vectors, and modes by ECB."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from finalist.errors import VectorError
from finalist.machines.interpreter.modes import xor
from finalist.vectors.load import KnownAnswer

#: What enciphers data under a key: blocks by themselves; a stream from counter block zero; or a chain from a
#: block of zeros.
Crypt = Callable[[bytes, bytes], bytes]

KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

# More than any library works on at once, and odd, so that bulk code and its remainder both run.
MANY_BLOCKS = 2 * 64 + 3
#: So many times as long is a message of more than 64 KiB, which some interfaces have no number for.
LONG = 70


class Keyed(Protocol):
    """What holds an expanded key; the kernel gets its address."""

    @property
    def address(self) -> int:
        """Where the expanded key is."""


@dataclass(frozen=True)
class Kernel:
    """A compiled kernel, and how a key is expanded for it (None: it lacks that key length)."""

    function: int
    block_bytes: int
    open: Callable[[bytes], Keyed | None]

    def __call__(self, key: bytes, data: bytes) -> bytes:
        """Run the kernel on all blocks of ``data``. Raises VectorError for a key that it can't have."""
        keyed = self.open(key)
        if keyed is None:
            raise VectorError(f"no key of {8 * len(key)} bits")
        result = ctypes.create_string_buffer(len(data))
        source = ctypes.create_string_buffer(data, len(data))
        pointers = (ctypes.addressof(source), ctypes.addressof(result))
        KERNEL(self.function)(keyed.address, *pointers, len(data) // self.block_bytes)
        return result.raw


Order = Callable[[bytes], bytes]


def _turned(size: int) -> Order:
    """The bytes of each word of so many backwards."""
    return lambda data: b"".join(data[at : at + size][::-1] for at in range(0, len(data), size))


def _same(data: bytes) -> bytes:
    return data


def _backwards(data: bytes) -> bytes:
    return data[::-1]


def _words_backwards(data: bytes) -> bytes:
    return _turned(4)(data[::-1])


#: How a library may order bytes where the submission orders them otherwise: key and a block.
ORDERS: dict[str, tuple[Order, Order]] = {
    "": (_same, _same),
    "reads 32-bit words of data in the other byte order": (_same, _turned(4)),
    "reads 32-bit words of key and data in the other byte order": (_turned(4), _turned(4)),
    "reads 64-bit words of key and data in the other byte order": (_turned(8), _turned(8)),
    "takes the 32-bit words of key and data in the other order": (_words_backwards, _words_backwards),
    "reads key and block backwards": (_backwards, _backwards),
    "reads 32-bit words of the key in the other byte order": (_turned(4), _same),
}


def reordered(crypt: Crypt, order: str, block_bytes: int) -> Crypt:
    """An ECB that orders bytes as the submission does, made of one that has another ``order``."""
    of_key, of_block = ORDERS[order]

    def blocks(data: bytes) -> bytes:
        return b"".join(of_block(data[at : at + block_bytes]) for at in range(0, len(data), block_bytes))

    return crypt if not order else lambda key, data: blocks(crypt(of_key(key), blocks(data)))


def check_vectors(crypt: Crypt, rows: Iterable[KnownAnswer], operation: str, *, stream: bool = False) -> str:
    """Check all vectors, and that many blocks at once, and very many, come out as they do one by one.

    Of a ``stream`` cipher the vectors alone: its blocks are not alike. Returns how the bytes are ordered
    where that is not the submission's order, else nothing. Raises VectorError at the first disagreement.
    """
    own = [_Asked.of(row, operation) for row in rows]
    size = len(own[0].given)
    order = next((name for name in ORDERS if _agrees(reordered(crypt, name, size), own)), None)
    if order is None:
        wrong = next(one for one in own if not one.right(crypt))
        raise VectorError(f"disagrees with the vectors of key {wrong.key.hex()}")
    if stream:
        return order
    key, data = own[0].key, many_blocks(size)
    alone = b"".join(crypt(key, data[at : at + size]) for at in range(0, len(data), size))
    for times in (1, LONG):
        if crypt(key, data * times) != alone * times:
            raise VectorError(f"{MANY_BLOCKS * times} blocks at once differ from the same blocks one by one")
    return order


class _Asked(NamedTuple):
    """A vector in one direction: what is given, and what has to come out after so many bytes, which only use
    a key stream up."""

    key: bytes
    given: bytes
    wanted: bytes
    offset: int

    @classmethod
    def of(cls, row: KnownAnswer, operation: str) -> _Asked:
        given, wanted = (row.plaintext, row.ciphertext)[:: 1 if operation == "encrypt" else -1]
        return cls(row.key, bytes(row.offset) + given, wanted, row.offset)

    def right(self, crypt: Crypt) -> bool:
        return crypt(self.key, self.given)[self.offset :] == self.wanted


def _agrees(crypt: Crypt, rows: Sequence[_Asked]) -> bool:
    return all(row.right(crypt) for row in rows)


def check_mode(
    mode: str, crypt: Crypt, ecb: Crypt, key: bytes, block_bytes: int, operation: str = "encrypt"
) -> None:
    """Check a mode against an ECB of the same direction that agrees with the vectors. Raises VectorError."""
    for times in (1, LONG):
        data = many_blocks(block_bytes) * times
        made = crypt(key, data)
        if made != _WANTED[operation, mode](ecb, key, data, made, block_bytes):
            raise VectorError(f"{mode.upper()} of {len(data)} bytes disagrees with ECB under key {key.hex()}")


def _counted(ecb: Crypt, key: bytes, data: bytes, made: bytes, size: int) -> bytes:
    counters = b"".join(block.to_bytes(size, "big") for block in range(len(data) // size))
    return xor(data, ecb(key, counters))


def _chained(ecb: Crypt, key: bytes, data: bytes, made: bytes, size: int) -> bytes:
    """Each block from what was ``made`` of the one before, all at once: right if it is the same."""
    return ecb(key, xor(data, bytes(size) + made[:-size]))


def _unchained(ecb: Crypt, key: bytes, data: bytes, made: bytes, size: int) -> bytes:
    return xor(ecb(key, data), bytes(size) + data[:-size])


_WANTED: dict[tuple[str, str], Callable[[Crypt, bytes, bytes, bytes, int], bytes]] = {
    ("encrypt", "ctr"): _counted,
    ("encrypt", "cbc"): _chained,
    ("decrypt", "cbc"): _unchained,
}


def many_blocks(size: int) -> bytes:
    """Blocks of which no two are equal: the pattern's length, a prime, divides no block's."""
    return bytes(at % 251 for at in range(MANY_BLOCKS * size))
