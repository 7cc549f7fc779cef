"""Where what was made once, and can be made again, is kept on this computer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_VARIABLE = "FINALIST_CACHE"


def cache_folder() -> Path:
    """The folder: ``$FINALIST_CACHE``, else finalist/ in the user's cache folder."""
    chosen = os.environ.get(_VARIABLE)
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "finalist"


@contextmanager
def temporary_cache() -> Iterator[Path]:
    """Another folder for a while, which goes with all that is in it; not for several threads at once."""
    before = os.environ.get(_VARIABLE)
    with TemporaryDirectory(prefix="finalist-") as folder:
        os.environ[_VARIABLE] = folder
        try:
            yield Path(folder)
        finally:
            del os.environ[_VARIABLE]
            if before is not None:
                os.environ[_VARIABLE] = before
