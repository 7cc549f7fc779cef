"""One line to the user, once, where something slower serves than was asked for."""

from __future__ import annotations

import sys

_said: set[str] = set()


def notice_no_compiler(error: Exception) -> None:
    """Say that the interpreter serves in place of compiled code, and why."""
    notice_once(f"{error}; the NumPy interpreter serves instead, far slower")


def notice_once(message: str) -> None:
    """A line on standard error; the same is said once a process."""
    if message not in _said:
        _said.add(message)
        print(f"finalist: {message}", file=sys.stderr)
