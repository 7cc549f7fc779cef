"""The published tables, as data: one file a paper, unchanged from print."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def paper(name: str) -> dict[str, Any]:
    """The tables of one paper; ``name`` is its file's, less the ending."""
    text = (resources.files("finalist.papers") / "data" / f"{name}.json").read_text("utf-8")
    tables: dict[str, Any] = json.loads(text)
    return tables
