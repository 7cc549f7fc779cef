"""The published tables: each a JSON file in ``data``, as the paper has it, units in the names of its fields.

What Finalist has to say of a paper's table (which of its names are which definitions, why a result of
ours differs) is in a file of the same name in ``notes``.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from finalist.errors import UnknownNameError

FOLDER = files("finalist.papers")


def paper_names() -> tuple[str, ...]:
    """All papers."""
    return tuple(sorted(entry.name.removesuffix(".json") for entry in (FOLDER / "data").iterdir()))


def paper(name: str) -> dict[str, Any]:
    """A paper's tables; ``paper`` in it is the publication. Raises UnknownNameError."""
    return _read("data", name)


def notes_on(name: str) -> dict[str, Any]:
    """Our notes on a paper's tables, empty where there are none. Raises UnknownNameError."""
    if name in paper_names() and not (FOLDER / "notes" / f"{name}.json").is_file():
        return {}
    return _read("notes", name)


def _read(folder: str, name: str) -> dict[str, Any]:
    # Compared with what is there, never joined to a path unseen.
    if name not in paper_names():
        raise UnknownNameError(f"unknown paper {name!r}; accepted: {', '.join(paper_names())}")
    content: dict[str, Any] = json.loads((FOLDER / folder / f"{name}.json").read_text("utf-8"))
    return content
