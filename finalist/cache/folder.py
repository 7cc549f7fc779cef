"""The folder: where it is, and that it is nobody else's to write to.

Libraries that lie in it are loaded and run. So it is made for its owner alone (mode 0700), and one that
belongs to another user, or that other users may write to, is refused by name.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from finalist.errors import CacheError

VARIABLE = "FINALIST_CACHE"
_OWNER_ONLY = 0o700
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
#: The folders in whose place temporary ones are now.
_replaced: list[Path] = []


def cache_folder() -> Path:
    """The path: ``$FINALIST_CACHE``, else finalist/ in the user's cache folder (XDG). Nothing is made."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "finalist"


def lasting_folder() -> Path:
    """The same, but never a temporary one: for what serves many programs."""
    return _replaced[0] if _replaced else cache_folder()


def private(path: Path) -> Path:
    """``path``, made if it is not there. Raises CacheError where others may write to it, OSError where it
    can't be made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=_OWNER_ONLY, exist_ok=True)
    check_private(path)
    return path


def check_private(path: Path) -> None:
    """Raise CacheError where another user owns the folder, or may write to it or put another in its place."""
    if not hasattr(os, "geteuid"):
        return
    told = path.stat()
    if told.st_uid != os.geteuid():
        raise _refused(path, f"belongs to another user (id {told.st_uid}, this is {os.geteuid()})", "chown")
    if told.st_mode & _OTHERS_WRITE:
        raise _refused(path, f"can be written by others (mode {told.st_mode & 0o7777:04o})", "chmod 700")
    above = path.resolve().parent.stat().st_mode
    if above & stat.S_IWOTH and not above & stat.S_ISVTX:
        raise _refused(path, f"lies where everybody can write ({path.resolve().parent})", "move")


def _refused(path: Path, reason: str, mend: str) -> CacheError:
    return CacheError(
        f"the cache folder {path} {reason}, and what lies there is run: {mend} it, or set {VARIABLE}"
    )


@contextmanager
def temporary_cache() -> Iterator[Path]:
    """Another folder for a while, which goes with all that is in it; not for several threads at once."""
    before = os.environ.get(VARIABLE)
    with TemporaryDirectory(prefix="finalist-") as folder:
        _replaced.append(cache_folder())
        os.environ[VARIABLE] = folder
        try:
            yield Path(folder)
        finally:
            _replaced.pop()
            del os.environ[VARIABLE]
            if before is not None:
                os.environ[VARIABLE] = before
