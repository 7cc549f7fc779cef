"""What is held against the arguments of a measurement before anything is called."""

from __future__ import annotations

import ctypes
import math

from finalist.errors import FinalistError


class MeasurementError(FinalistError, ValueError):
    """An argument that cannot be measured with; the message names it and says what is accepted."""


def require_address(name: str, value: int) -> None:
    """Raises MeasurementError where an argument is no address, or null."""
    if not _is_integer(value) or not 0 < value < 1 << 8 * ctypes.sizeof(ctypes.c_void_p):
        raise MeasurementError(f"{name} is {value!r}: expected an address, not null")


def require_key(key: bytes) -> None:
    """Raises MeasurementError where a key is not bytes, or none."""
    if not isinstance(key, bytes) or not key:
        raise MeasurementError(f"key is {key!r}: expected bytes, at least one")


def require_kernel(function: int, key: int, block_bytes: int) -> None:
    """Raises MeasurementError where one of what is said of a kernel is wrong."""
    require_address("function", function)
    require_address("key", key)
    require_positive("block_bytes", block_bytes)


def require_positive(name: str, value: int) -> None:
    """Raises MeasurementError where an argument is no positive integer."""
    if not _is_integer(value) or value < 1:
        raise MeasurementError(f"{name} is {value!r}: expected a positive integer")


def require_multiple(name: str, value: int, block_bytes: int) -> None:
    """Raises MeasurementError where an argument is no positive multiple of a block's bytes."""
    if not _is_integer(value) or value < 1 or value % block_bytes:
        expected = f"expected a positive multiple of block_bytes ({block_bytes})"
        raise MeasurementError(f"{name} is {value!r}: {expected}")


def require_seconds(value: float) -> None:
    """Raises MeasurementError where ``seconds`` is no positive, finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise MeasurementError(f"seconds is {value!r}: expected a positive, finite number")


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
