"""No figure without a match: a kernel is checked against published vectors before it is measured."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import groupby
from pathlib import Path
from typing import Protocol

from finalist.errors import VectorError

KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
MODE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_size_t)

# More than any library works on at once, and odd, so that bulk code and its remainder both run.
MANY_BLOCKS = 2 * 64 + 3


class Keyed(Protocol):
    """What holds an expanded key; the kernel gets its address."""

    @property
    def address(self) -> int:
        """Where the expanded key is."""
        ...


Open = Callable[[bytes], "Keyed | None"]
Order = Callable[[bytes], bytes]


@dataclass(frozen=True)
class Kernel:
    """A compiled kernel, and how a key is expanded for it (None: it lacks that key length)."""

    function: int
    block_bytes: int
    open: Open

    def __call__(self, key: bytes, data: bytes) -> bytes:
        """Run the kernel on all blocks of ``data``."""
        keyed = self.open(key)
        if keyed is None:
            raise VectorError(f"no key of {8 * len(key)} bits")
        result = ctypes.create_string_buffer(len(data))
        blocks = len(data) // self.block_bytes
        source = ctypes.create_string_buffer(data, len(data))
        pointers = (ctypes.addressof(source), ctypes.addressof(result))
        KERNEL(self.function)(keyed.address, *pointers, blocks)
        return result.raw


@dataclass(frozen=True)
class ModeKernel(Kernel):
    """A compiled function of a mode: counter mode from counter block zero, or chaining from a block of zeros.

    Its count is ``in_blocks`` or else in bytes.
    """

    in_blocks: bool

    def __call__(self, key: bytes, data: bytes) -> bytes:
        """Run the function on all of ``data``."""
        keyed = self.open(key)
        if keyed is None:
            raise VectorError(f"no key of {8 * len(key)} bits")
        source, result = ctypes.create_string_buffer(data, len(data)), ctypes.create_string_buffer(len(data))
        memory = (ctypes.create_string_buffer(self.block_bytes), source, result)
        count = len(data) // (self.block_bytes if self.in_blocks else 1)
        MODE(self.function)(keyed.address, *map(ctypes.addressof, memory), count)
        return result.raw


@dataclass(frozen=True)
class Vectors:
    """Known answers of one cipher, key length and operation: rows of key, input, output."""

    operation: str
    rows: tuple[tuple[bytes, bytes, bytes], ...]

    @classmethod
    def load(cls, cipher: str, key_bits: int, operation: str, folder: Path | None) -> Vectors:
        """Read the rows of ``cipher`` from the package, or from ``folder``.

        Raises:
            VectorError: there is no file, or no row with keys of that length.
        """
        root: Traversable = folder or files("finalist") / "vectors" / "data"
        try:
            answers = json.loads((root / f"{cipher}.json").read_text("utf-8"))["known_answer"]
        except FileNotFoundError as error:
            raise VectorError(f"no vectors of {cipher}") from error
        fields = ("key", "plaintext", "ciphertext")
        if operation == "decrypt":
            fields = ("key", "ciphertext", "plaintext")
        parsed = (tuple(bytes.fromhex(row[name]) for name in fields) for row in answers)
        rows = sorted((k, a, b) for k, a, b in parsed if 8 * len(k) == key_bits)
        if not rows:
            raise VectorError(f"no vectors of {cipher} with {key_bits}-bit keys")
        return cls(operation, tuple(rows))

    def by_key(self) -> Iterator[tuple[bytes, bytes, bytes]]:
        """Each key with all its inputs, and all its outputs, in a row."""
        for key, rows in groupby(self.rows, key=lambda row: row[0]):
            _, inputs, outputs = zip(*rows, strict=True)
            yield key, b"".join(inputs), b"".join(outputs)


#: How a library may order bytes where the submission orders them otherwise: key and data.
ORDERS: dict[str, tuple[Order, Order]] = {
    "": (lambda key: key, lambda data: data),
    "reads 32-bit words of data in the other byte order": (lambda key: key, lambda data: _turned(data, 4)),
    "reads 32-bit words of key and data in the other byte order": (
        lambda key: _turned(key, 4),
        lambda data: _turned(data, 4),
    ),
    "reads 64-bit words of key and data in the other byte order": (
        lambda key: _turned(key, 8),
        lambda data: _turned(data, 8),
    ),
    "takes the 32-bit words of key and data in the other order": (
        lambda key: _turned(key[::-1], 4),
        lambda data: _turned(data[::-1], 4),
    ),
    "reads key and block backwards": (lambda key: key[::-1], lambda data: data[::-1]),
    "reads 32-bit words of the key in the other byte order": (lambda key: _turned(key, 4), lambda data: data),
}


def _turned(data: bytes, size: int) -> bytes:
    """The bytes of each word backwards."""
    return b"".join(data[at : at + size][::-1] for at in range(0, len(data), size))


def check_vectors(kernel: Kernel, vectors: Vectors) -> str:
    """Check all vectors, and that many blocks at once come out as they do one by one.

    Returns how the kernel orders bytes where that is not the submission's order, else nothing.

    Raises:
        VectorError: the first disagreement.
    """
    order = next((name for name in ORDERS if _agrees(kernel, vectors, *ORDERS[name])), None)
    if order is None:
        raise VectorError(f"disagrees with the vectors of key {_first_wrong(kernel, vectors).hex()}")
    key, size = vectors.rows[0][0], kernel.block_bytes
    data = _many_blocks(size)
    singly = b"".join(kernel(key, data[at : at + size]) for at in range(0, len(data), size))
    if kernel(key, data) != singly:
        raise VectorError(f"{MANY_BLOCKS} blocks at once differ from the same blocks one by one")
    return order


def _agrees(kernel: Kernel, vectors: Vectors, of_key: Order, of_data: Order) -> bool:
    """Whether all vectors come out, their bytes ordered so; block by block."""
    return all(of_data(kernel(of_key(k), of_data(given))) == wanted for k, given, wanted in vectors.rows)


def _first_wrong(kernel: Kernel, vectors: Vectors) -> bytes:
    return next(key for key, given, wanted in vectors.rows if kernel(key, given) != wanted)


def check_counter_mode(counter: Kernel, ecb: Kernel, keys: set[bytes]) -> None:
    """Check a kernel of counter mode against one of ECB that agrees with the vectors.

    Raises:
        VectorError: the first disagreement.
    """
    size = counter.block_bytes
    data = _many_blocks(size)
    counters = b"".join(block.to_bytes(size, "big") for block in range(MANY_BLOCKS))
    for key in keys:
        stream = ecb(key, counters)
        if counter(key, data) != bytes(a ^ b for a, b in zip(data, stream, strict=True)):
            raise VectorError(f"counter mode disagrees with ECB under key {key.hex()}")


def check_chaining(chaining: Kernel, ecb: Kernel, keys: set[bytes]) -> None:
    """Check a kernel of cipher block chaining against one of ECB that agrees with the vectors.

    Raises:
        VectorError: the first disagreement.
    """
    size = chaining.block_bytes
    data = _many_blocks(size)
    for key in keys:
        last, wanted = bytes(size), b""
        for at in range(0, len(data), size):
            last = ecb(key, bytes(a ^ b for a, b in zip(data[at : at + size], last, strict=True)))
            wanted += last
        if chaining(key, data) != wanted:
            raise VectorError(f"chaining disagrees with ECB under key {key.hex()}")


def _many_blocks(size: int) -> bytes:
    """Blocks of which no two are equal: the pattern's length, a prime, divides no block's."""
    return bytes(at % 251 for at in range(MANY_BLOCKS * size))
