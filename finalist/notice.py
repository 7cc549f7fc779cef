"""One line to the user, once, where something slower serves than was asked for."""

from __future__ import annotations

import sys

_said: set[str] = set()


def notice_no_compiler(error: Exception) -> None:
    """Say that the interpreter serves in place of compiled code, and why."""
    text = f"finalist: {error}; the NumPy interpreter serves instead, far slower"
    if text not in _said:
        _said.add(text)
        print(text, file=sys.stderr)
