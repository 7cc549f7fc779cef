"""Notes: small JSON documents among the entries, found again by what they are about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from finalist.cache.entries import discard, find, keep
from finalist.cache.folder import cache_folder
from finalist.cache.origin import changed_meanwhile, code_digest

_FILE = "note.json"


def note(kind: str, about: tuple[str, ...], make: Callable[[], Any], files: Sequence[Path] = ()) -> Any:
    """The document of this kind about something, as it was noted, or else as ``make`` gives it now.

    It is noted for these files of Finalist alone, or for these ``files`` alone where nothing else of Finalist
    has a part in it; not at all where files were changed while this process ran, or where it is None.
    Raises CacheError, and what ``make`` raises.
    """
    name = _name(kind, about, files)
    found = _read(name)
    if found is not None:
        return found
    made = make()
    if made is not None and not changed_meanwhile():
        keep(name, lambda folder: _write(folder, made))
    return made


def noted(kind: str, about: tuple[str, ...]) -> bool:
    """Whether `note` finds the document."""
    return _read(_name(kind, about)) is not None


def _name(kind: str, about: tuple[str, ...], files: Sequence[Path] = ()) -> str:
    code = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files] or [code_digest()]
    digest = hashlib.sha256("\0".join((*code, *about)).encode()).hexdigest()[:24]
    return f"{kind}-{digest}"


def _read(name: str) -> Any:
    entry = find(name)
    try:
        return None if entry is None else json.loads((entry / _FILE).read_text("utf-8"))
    except (OSError, ValueError):  # gone since it was found
        return None


def _write(folder: Path, document: Any) -> None:
    (folder / _FILE).write_text(json.dumps(document), "utf-8")


def forget(kind: str, about: tuple[str, ...]) -> None:
    """Remove a document: what it tells of is no longer there."""
    discard(cache_folder() / _name(kind, about))
