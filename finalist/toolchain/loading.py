"""Shared libraries, loaded into this process."""

from __future__ import annotations

import ctypes
import shutil
import tempfile
from pathlib import Path

_copied = False


def from_copies() -> None:
    """From now on this process loads a copy of each library, which is gone from the disk afterwards.

    Where a file lies in memory is drawn once, when it is written, and is the same for all processes that load
    it: code of some 50 KB can take half as much time again for that alone. A copy is drawn anew.
    """
    global _copied
    _copied = True


def loaded(path: Path) -> ctypes.CDLL:
    """The library of a file. Raises OSError where there is none."""
    if not _copied:
        return ctypes.CDLL(str(path))
    with tempfile.TemporaryDirectory(prefix="finalist-loaded-") as folder:
        return ctypes.CDLL(shutil.copy(path, folder))
