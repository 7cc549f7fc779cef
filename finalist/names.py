"""Names that must be told apart."""

from __future__ import annotations

from collections.abc import Container
from itertools import count


def unused(name: str, taken: Container[str]) -> str:
    """The name, with the first number from 2 on that makes it another where it is taken: ``x``, ``x_2``."""
    if name not in taken:
        return name
    return next(other for number in count(2) if (other := f"{name}_{number}") not in taken)
