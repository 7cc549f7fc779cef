"""The ciphers: one file each, and nothing in it but the definition."""

from __future__ import annotations

from pathlib import Path


def is_path(name: str | Path) -> bool:
    """Whether a cipher is named by its file: anything that ends in .py or holds a path separator."""
    return str(name).endswith(".py") or "/" in str(name) or "\\" in str(name)
