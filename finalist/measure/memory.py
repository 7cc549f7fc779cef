"""The memory that measured code works on."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]

_RANDOM_BYTES = 1 << 20  # of input before it repeats
_PAGE, _LINE = 4096, 64


def buffers(size: int) -> tuple[Bytes, Bytes]:
    """Input and output of ``size`` bytes, in one piece of memory.

    The output begins half a page off the input's place in its page: with equal places, processors
    take the loads of later blocks for loads of what was just stored, and wait.
    """
    target_at = -(-size // _PAGE) * _PAGE + _PAGE // 2
    memory = _aligned(target_at + size)
    random = np.random.default_rng(1998).integers(0, 256, min(size, _RANDOM_BYTES), np.uint8)
    memory[:size] = np.resize(random, size)
    memory[size:] = 0  # touches every page, so that no run pays for it
    return memory[:size], memory[target_at:]


def alternating_keys(key: bytes, count: int) -> Bytes:
    """A key and random ones of its length, so many in all, where messages lie that are measured: each at the
    beginning of a row, and of a cache line."""
    lines = -(-len(key) // _LINE)
    source, _ = buffers(count * lines * _LINE)
    keys = source.reshape(count, lines * _LINE)
    keys[0, : len(key)] = np.frombuffer(key, np.uint8)
    return keys


def _aligned(size: int) -> Bytes:
    """``size`` bytes at the start of a page."""
    memory = np.empty(size + _PAGE, np.uint8)
    skip = -memory.ctypes.data % _PAGE
    return memory[skip : skip + size]
