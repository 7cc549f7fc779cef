"""The ciphers: one file each, nothing but its definition. Called, ``finalist.ciphers()``: their names."""

from __future__ import annotations

import sys
from types import ModuleType


class _Names(ModuleType):
    def __call__(self) -> tuple[str, ...]:
        """The names of all built-in ciphers."""
        from finalist.ciphers.catalogue import cipher_names

        return cipher_names()


sys.modules[__name__].__class__ = _Names
