"""One line to the user, on standard error, once."""

from __future__ import annotations

import sys
from collections.abc import MutableSequence
from contextlib import suppress
from multiprocessing import get_context
from typing import Any
from zlib import crc32

_said: set[str] = set()
#: What this process and those that it starts have said, by checksum; 0 where there is room. See `shared`.
_together: Any = None
#: More notices than there are; any beyond that each process says for itself.
_ROOM = 64


def notice(text: str) -> None:
    """Say something that is no error, the first time that it is so."""
    if text not in _said:
        _said.add(text)
        if _together is None or _first(text, _together):
            print(f"finalist: {text}", file=sys.stderr)


def notice_no_compiler(error: Exception) -> None:
    """Say that the interpreter serves in place of compiled code, and why."""
    notice(f"{error}; the NumPy interpreter serves instead, far slower")


def shared() -> Any:
    """Memory for processes to be started with, which `share` gives them: all of them say a thing once.

    None where the system has no memory to share.
    """
    global _together
    if _together is None:
        with suppress(OSError):
            _together = get_context("spawn").Array("I", _ROOM)
            for text in _said:
                _first(text, _together)
    return _together


def share(memory: Any) -> None:
    """Say nothing from now on that another process with this memory has said."""
    global _together
    _together = memory


def _first(text: str, said: Any) -> bool:
    """Whether no process has said it before; from now on one has."""
    digest = crc32(text.encode()) or 1
    with said.get_lock():
        numbers: MutableSequence[int] = said.get_obj()
        if digest in numbers:
            return False
        with suppress(ValueError):
            numbers[list(numbers).index(0)] = digest
        return True
