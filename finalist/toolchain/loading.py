"""Shared libraries, loaded into this process."""

from __future__ import annotations

import ctypes
import shutil
import tempfile
from pathlib import Path

_copies: Path | None = None


def from_copies(folder: Path) -> None:
    """From now on this process loads a copy of each library, which it leaves in ``folder``.

    Which pages of memory a file has is drawn once, when it is written, and is the same for all processes that
    load it: code of some 50 KB can take twice as long for that alone. A copy is drawn anew, from pages that
    are free: those of a copy that was removed are the next to be given again. So ``folder`` should last until
    all processes are done whose figures are to be compared.
    """
    global _copies
    _copies = folder


def loaded(path: Path) -> ctypes.CDLL:
    """The library of a file. Raises OSError where there is none."""
    if _copies is None:
        return ctypes.CDLL(str(path))
    return ctypes.CDLL(shutil.copy(path, tempfile.mkdtemp(dir=_copies)))
