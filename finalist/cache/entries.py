"""Entries: folders of files that are there whole or not at all, and used only as they were made.

An entry is filled beside its place, synced and renamed into it. With its files lies a list of their SHA-256
digests (the format of sha256sum), which is held against them before they are used: an entry that a full
disk, a power cut or anything else has damaged is made anew.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from finalist.cache import bound
from finalist.cache.folder import VARIABLE, cache_folder, check_private, private
from finalist.errors import CacheError, CompilerError
from finalist.notice import notice

SUMS = "SHA256SUMS"
#: Fills an empty folder.
Make = Callable[[Path], None]

#: Where nothing can be written, or no more: what is made then lives as long as this process.
_NOT_WRITABLE = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT}
#: A file system with less room than this is full, whatever error a tool gave.
_FULL = 1 << 20
#: Seconds after which an entry's time of last use is set anew.
_HOUR = 3600
#: What the entries looked like when their digests were found right in this process.
_verified: dict[Path, tuple[tuple[int, ...], ...]] = {}


def find(name: str, folder: Path | None = None) -> Path | None:
    """The entry of this name, in the cache folder or another one, if it is whole and undamaged.

    Raises CacheError where others may write to the folder.
    """
    base = folder or cache_folder()
    entry = base / name
    if not entry.is_dir():
        return _own().get(name) if folder is None else None
    check_private(base)
    if not _undamaged(entry):
        return None
    with contextlib.suppress(OSError):
        if time.time() - entry.stat().st_mtime > _HOUR:
            os.utime(entry)
    return entry


def keep(name: str, make: Make, folder: Path | None = None) -> Path:
    """The entry as `find` has it, or else as ``make`` fills it now.

    Several processes may do so at once: the first one's is kept. Where the folder can't be written, or its
    file system is full, the entry goes with this process. Raises CacheError, and what ``make`` raises.
    """
    found = find(name, folder)
    if found:
        return found
    base = folder or cache_folder()
    try:
        return _filled(private(base), name, make)
    except (OSError, CompilerError) as error:
        if not _lacks_room(base, error):
            if isinstance(error, OSError):
                raise CacheError(_cannot(base, error)) from error
            raise
        notice(f"{_cannot(base, error)}; what is compiled now is not kept")
    _own()[name] = _filled(_scratch(), name, make)
    return _own()[name]


def discard(entry: Path) -> None:
    """Remove an entry, in one step for whoever looks for it."""
    _verified.pop(entry, None)
    with contextlib.suppress(OSError):
        gone = Path(tempfile.mkdtemp(prefix=".gone-", dir=entry.parent))
        try:
            entry.rename(gone / entry.name)
        finally:
            shutil.rmtree(gone, ignore_errors=True)


def _cannot(base: Path, error: Exception) -> str:
    # A tool on a full file system says only that it failed: the words are those of an OSError then, too.
    told = (error.strerror if isinstance(error, OSError) else None) or os.strerror(errno.ENOSPC)
    return f"the cache folder {base} can't be written ({told}); set {VARIABLE}"


def _lacks_room(base: Path, error: Exception) -> bool:
    if isinstance(error, OSError) and error.errno in _NOT_WRITABLE:
        return True
    with contextlib.suppress(OSError):
        return shutil.disk_usage(base).free < _FULL
    return False


@cache
def _own() -> dict[str, Path]:
    """The entries that go with this process."""
    return {}


@cache
def _scratch() -> Path:
    """A folder that goes with this process."""
    import atexit

    try:
        folder = Path(tempfile.mkdtemp(prefix="finalist-"))
    except OSError as error:
        raise CacheError(
            f"no folder for temporary files can be written ({error.strerror}); set TMPDIR"
        ) from error
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


# -- making -------------------------------------------------------------------------------------------


def _filled(base: Path, name: str, make: Make) -> Path:
    part = Path(tempfile.mkdtemp(prefix=".part-", dir=base))
    try:
        make(part)
        seal(part)
        entry = _put(part, base / name)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    bound.now_and_then(base)
    return entry


def seal(part: Path) -> None:
    """List the files' digests, and have all of them on the disk."""
    files = sorted(path for path in part.iterdir() if path.is_file() and path.name != SUMS)
    sums = "".join(f"{_digest(path)}  {path.name}\n" for path in files)
    (part / SUMS).write_text(sums, "utf-8")
    for path in (*files, part / SUMS):
        with path.open("rb") as file:
            os.fsync(file.fileno())


def _put(part: Path, entry: Path) -> Path:
    """Rename the folder to its place; an undamaged entry that another process has put there stays."""
    for _ in range(3):
        try:
            part.rename(entry)
        except OSError:
            if entry.is_dir() and _undamaged(entry):
                return entry
            discard(entry)
            if entry.exists():
                entry.unlink(missing_ok=True)  # a file in the way
        else:
            return entry
    raise CacheError(f"{entry} can't be put in its place; remove it, or set {VARIABLE}")


# -- checking -----------------------------------------------------------------------------------------


def _undamaged(entry: Path) -> bool:
    """Whether the files are those that were listed, byte by byte."""
    try:
        looks = _looks(entry)
        if _verified.get(entry) == looks:
            return True
        lines = [line.split("  ", 1) for line in (entry / SUMS).read_text("utf-8").splitlines()]
        listed = {name: digest for digest, name in lines}
        names = {path.name for path in entry.iterdir()} - {SUMS}
        good = bool(listed) and names == set(listed) and all(_digest(entry / f) == listed[f] for f in listed)
    except (OSError, ValueError):
        return False
    if good:
        _verified[entry] = looks
    return good


def _looks(entry: Path) -> tuple[tuple[int, ...], ...]:
    told = [path.stat() for path in sorted(entry.iterdir())]
    return tuple((one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for one in told)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
