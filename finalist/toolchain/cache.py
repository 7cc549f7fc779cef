"""Where what was made once, and can be made again, is kept on this computer."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder: ``$FINALIST_CACHE``, else finalist/ in the user's cache folder."""
    chosen = os.environ.get("FINALIST_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "finalist"
