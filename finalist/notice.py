"""One line to the user, on standard error, once."""

from __future__ import annotations

import sys

_said: set[str] = set()


def notice(text: str) -> None:
    """Say something that is no error, the first time that it is so."""
    if text not in _said:
        _said.add(text)
        print(f"finalist: {text}", file=sys.stderr)


def notice_no_compiler(error: Exception) -> None:
    """Say that the interpreter serves in place of compiled code, and why."""
    notice(f"{error}; the NumPy interpreter serves instead, far slower")
