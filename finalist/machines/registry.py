"""The machines by name."""

from __future__ import annotations

from importlib import import_module

from finalist.errors import UnknownNameError
from finalist.machines.base import Configurable, Machine

#: Name of each machine and the module whose MACHINE it is; imported when first asked for.
_MODULES = {
    "native": "finalist.machines.native.machine",
    "fpga": "finalist.machines.fpga.machine",
    "interpreter": "finalist.machines.interpreter.machine",
    "plx": "finalist.machines.plx.machine",
}


def machine_names() -> tuple[str, ...]:
    """All machines."""
    return tuple(_MODULES)


def machine(name: str) -> Machine:
    """The machine of this name; of one with parameters those after a colon, as in ``NAME:word=64``.

    Raises UnknownNameError.
    """
    kind, colon, parameters = name.partition(":")
    if kind not in _MODULES:
        raise UnknownNameError(f"unknown machine {name!r}; accepted: {', '.join(_MODULES)}")
    found: Machine = import_module(_MODULES[kind]).MACHINE
    if not colon:
        return found
    if not isinstance(found, Configurable):
        raise UnknownNameError(f"machine {name!r}: {kind} has no parameters; accepted: {kind}")
    return found.configured(parameters)
