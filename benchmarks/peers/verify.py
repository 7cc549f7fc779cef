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

# More than any library works on at once, and odd, so that bulk code and its remainder both run.
MANY_BLOCKS = 2 * 64 + 3


class Keyed(Protocol):
    """What holds an expanded key; the kernel gets its address."""

    @property
    def address(self) -> int:
        """Where the expanded key is."""
        ...


Open = Callable[[bytes], "Keyed | None"]


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


def check_vectors(kernel: Kernel, vectors: Vectors) -> None:
    """Check all vectors, and that many blocks at once come out as they do one by one.

    Raises:
        VectorError: the first disagreement.
    """
    for key, inputs, outputs in vectors.by_key():
        if kernel(key, inputs) != outputs:
            raise VectorError(f"disagrees with the vectors of key {key.hex()}")
    key, size = vectors.rows[0][0], kernel.block_bytes
    data = _many_blocks(size)
    singly = b"".join(kernel(key, data[at : at + size]) for at in range(0, len(data), size))
    if kernel(key, data) != singly:
        raise VectorError(f"{MANY_BLOCKS} blocks at once differ from the same blocks one by one")


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


def _many_blocks(size: int) -> bytes:
    """Blocks of which no two are equal: the pattern's length, a prime, divides no block's."""
    return bytes(at % 251 for at in range(MANY_BLOCKS * size))
