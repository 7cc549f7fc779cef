"""What probes call, in a copy of the package: a fault's number is written down once in a process."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_seen: set[int] = set()
#: Of these two that are equal are not to be told apart.
_PLAIN = (bool, int, str, float)


def met(number: int) -> None:
    """The place of a fault."""
    if number in _seen:
        return
    _seen.add(number)
    name = os.environ.get("FINALIST_HITS")
    if name:
        with open(name, "a", encoding="ascii") as file:
            file.write(f"{number}\n")


def differs(number: int, value: T, other: Callable[[], object]) -> T:
    """``value``, beside what the fault would make of it."""
    if number not in _seen and not _same(value, other):
        met(number)
    return value


def _same(value: object, other: Callable[[], object]) -> bool:
    try:
        instead = other()
    except Exception:
        return False
    return value is instead or (
        type(value) is type(instead) and isinstance(value, _PLAIN) and value == instead
    )
