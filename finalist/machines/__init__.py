"""The machines, a folder for each or for several of a kind; none imports another.

Called, ``finalist.machines()``: their names.
"""

from __future__ import annotations

import sys
from types import ModuleType


class _Names(ModuleType):
    def __call__(self) -> tuple[str, ...]:
        """The names of all machines, also of those that other packages offer."""
        from finalist.machines.registry import installed_names, machine_names

        return (*machine_names(), *installed_names())


sys.modules[__name__].__class__ = _Names
