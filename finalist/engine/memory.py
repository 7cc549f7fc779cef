"""Memory that is worked on from Python."""

from __future__ import annotations

import ctypes
from typing import Any


def xor(a: bytes, b: bytes) -> bytes:
    """Bytes of the same length, XORed."""
    # Integers, not arrays: for little data they are the quickest that Python has.
    return (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(len(a), "big")


def read(place: Any, size: int) -> bytes:
    return ctypes.string_at(place, size)


def write(place: Any, data: bytes) -> None:
    ctypes.memmove(place, data, len(data))
