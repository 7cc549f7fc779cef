"""Memory that is worked on from Python."""

from __future__ import annotations

import ctypes
from typing import Any


def read(place: Any, size: int) -> bytes:
    return ctypes.string_at(place, size)


def write(place: Any, data: bytes) -> None:
    ctypes.memmove(place, data, len(data))
