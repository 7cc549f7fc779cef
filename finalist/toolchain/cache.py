"""Where what was made once, and can be made again, is kept on this computer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_VARIABLE = "FINALIST_CACHE"
#: The folders in whose place temporary ones are now.
_replaced: list[Path] = []


def cache_folder() -> Path:
    """The folder: ``$FINALIST_CACHE``, else finalist/ in the user's cache folder."""
    chosen = os.environ.get(_VARIABLE)
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "finalist"


def lasting_folder() -> Path:
    """The same, but never a temporary one: for what serves many programs."""
    return _replaced[0] if _replaced else cache_folder()


@contextmanager
def temporary_cache() -> Iterator[Path]:
    """Another folder for a while, which goes with all that is in it; not for several threads at once."""
    before = os.environ.get(_VARIABLE)
    with TemporaryDirectory(prefix="finalist-") as folder:
        _replaced.append(cache_folder())
        os.environ[_VARIABLE] = folder
        try:
            yield Path(folder)
        finally:
            _replaced.pop()
            del os.environ[_VARIABLE]
            if before is not None:
                os.environ[_VARIABLE] = before
