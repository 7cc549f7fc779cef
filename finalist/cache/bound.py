"""How much is kept: at most so many bytes, of which those not used for longest go first."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: Bytes that the folder may hold.
LIMIT = 2 << 30
#: Seconds between two looks at how much there is, by whichever process.
_BETWEEN = 3600
#: Seconds after which a folder that was being filled has been left behind by a process that was killed.
_LEFT_BEHIND = 86400
_STAMP = ".bounded"


@dataclass(frozen=True, slots=True)
class Item:
    """Something in the cache folder: ``bytes`` of its files, and when it was last used, in seconds (Unix)."""

    path: Path
    bytes: int
    used: float


def items(folder: Path) -> list[Item]:
    """All that is kept, that which was not used for longest first; none where there is no such folder."""
    with contextlib.suppress(OSError):
        return sorted(filter(None, map(_item, _paths(folder))), key=lambda item: (item.used, item.path.name))
    return []


def bound(folder: Path, limit: int = LIMIT) -> list[Item]:
    """Remove what was not used for longest, until at most ``limit`` bytes are left. Returns what has gone."""
    kept = items(folder)
    total, gone = sum(item.bytes for item in kept), []
    for item in kept:
        if total <= limit:
            break
        _remove(item.path)
        total -= item.bytes
        gone.append(item)
    return gone


def now_and_then(folder: Path) -> None:
    """`bound`, unless it was done within the hour; never an error."""
    stamp = folder / _STAMP
    with contextlib.suppress(OSError):
        if stamp.exists() and time.time() - stamp.stat().st_mtime < _BETWEEN:
            return
        stamp.touch()
        os.utime(stamp)
        for path in folder.glob(".*-*"):
            if time.time() - path.stat().st_mtime > _LEFT_BEHIND:
                shutil.rmtree(path, ignore_errors=True)
        bound(folder)


def _paths(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if not path.name.startswith("."))


def _item(path: Path) -> Item | None:
    with contextlib.suppress(OSError):
        inside = [one.stat().st_size for one in path.rglob("*") if one.is_file()] if path.is_dir() else []
        told = path.stat()
        return Item(path, sum(inside) if path.is_dir() else told.st_size, told.st_mtime)
    return None  # another process has removed it


def _remove(path: Path) -> None:
    """In one step for whoever looks for it."""
    with contextlib.suppress(OSError):
        gone = Path(tempfile.mkdtemp(prefix=".gone-", dir=path.parent))
        path.rename(gone / path.name)
        shutil.rmtree(gone, ignore_errors=True)
