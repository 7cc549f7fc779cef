"""Which Finalist something was made with."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from finalist.cache.entries import find, keep
from finalist.errors import CacheError, CompilerError

_PACKAGE = Path(__file__).parents[1]
_DIGEST = "digest"
_STARTED = time.time()


@cache
def code_digest() -> str:
    """A digest of all files of the package, 16 hex digits.

    To read them takes some time in a process that else takes little: a digest is kept by what the files look
    like from outside (path, bytes, times of change).
    """
    looks = hashlib.sha256("\n".join(sorted(_looks())).encode()).hexdigest()[:24]
    name = f"code-{looks}"
    with contextlib.suppress(CacheError, CompilerError, OSError):
        known = ((find(name) or keep(name, _write)) / _DIGEST).read_text("utf-8")
        if re.fullmatch("[0-9a-f]{16}", known):
            return known
    return _digest()


def changed_meanwhile() -> bool:
    """Whether files of the package were changed while this process ran: what it makes is of no one digest."""
    return any(os.stat(path).st_mtime > _STARTED for path in _files(str(_PACKAGE)))


def _write(folder: Path) -> None:
    (folder / _DIGEST).write_text(_digest(), "utf-8")


def _digest() -> str:
    found = hashlib.sha256()
    for path in sorted(_files(str(_PACKAGE))):
        data = Path(path).read_bytes()
        found.update(f"{os.path.relpath(path, _PACKAGE)} {len(data)} ".encode() + data)
    return found.hexdigest()[:16]


def _looks() -> Iterator[str]:
    for path in _files(str(_PACKAGE)):
        told = os.stat(path)
        yield f"{path} {told.st_size} {told.st_mtime_ns} {told.st_ctime_ns}"


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                yield entry.path
