"""The ciphers: one file each, nothing but its definition. Called, ``finalist.ciphers()``: their names."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType


def is_path(name: str | Path) -> bool:
    """Whether a cipher is named by its file: anything that ends in .py or holds a path separator."""
    return str(name).endswith(".py") or "/" in str(name) or "\\" in str(name)


class _Names(ModuleType):
    def __call__(self) -> tuple[str, ...]:
        """The names of all built-in ciphers, and of those that other packages offer."""
        from finalist.ciphers.catalogue import cipher_names, installed_names

        return (*cipher_names(), *installed_names())


sys.modules[__name__].__class__ = _Names
