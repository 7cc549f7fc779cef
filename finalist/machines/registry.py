"""The machines by name."""

from __future__ import annotations

from importlib import import_module

from finalist.errors import UnknownNameError
from finalist.machines.base import Machine

#: Name of each machine and the module whose MACHINE it is; imported when first asked for.
_MODULES = {
    "native": "finalist.machines.native.machine",
    "fpga": "finalist.machines.fpga.machine",
    "interpreter": "finalist.machines.interpreter.machine",
}


def machine_names() -> tuple[str, ...]:
    """All machines."""
    return tuple(_MODULES)


def machine(name: str) -> Machine:
    """The machine of this name. Raises UnknownNameError."""
    if name not in _MODULES:
        raise UnknownNameError(f"unknown machine {name!r}; accepted: {', '.join(_MODULES)}")
    found: Machine = import_module(_MODULES[name]).MACHINE
    return found
