"""The machines by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from finalist.errors import UnknownNameError, unknown
from finalist.machines.base import Configurable, Machine

#: Name of each machine and the module whose MACHINE it is; imported when first asked for.
_MODULES = {
    "native": "finalist.machines.native.machine",
    "fpga": "finalist.machines.fpga.machine",
    "interpreter": "finalist.machines.interpreter.machine",
    "plx": "finalist.machines.plx.machine",
    "c62x": "finalist.machines.c62x.machine",
    "c64x": "finalist.machines.c64x.machine",
    "hc05": "finalist.machines.hc05.machine",
}
#: The schedule words that each has, as its MACHINE says too: help is to be had without importing it.
_SIGNAL_PROCESSOR = (
    *("blocks", "lookup", "fuse", "keyed-tables", "rounds"),
    *("key-schedule", "subkeys", "pipeline"),
)
_WORDS: Mapping[str, tuple[str, ...]] = {
    "native": (
        *("blocks", "width", "planes", "skew", "lookup", "fuse", "keyed-tables", "rounds"),
        *("key-schedule", "subkeys", "word", "optimise", "constant-time"),
    ),
    "fpga": ("lookup", "key-schedule", "architecture", "language", "directions"),
    "plx": (
        *("blocks", "width", "lookup", "fuse", "keyed-tables", "rounds"),
        *("key-schedule", "subkeys", "optimise"),
    ),
    "c62x": _SIGNAL_PROCESSOR,
    "c64x": _SIGNAL_PROCESSOR,
    "hc05": (
        *("fuse", "keyed-tables", "rounds", "key-schedule", "subkeys", "optimise", "constant-time"),
        *("directions", "map-tables", "byte-worth"),
    ),
}


def machine_names() -> tuple[str, ...]:
    """All machines."""
    return tuple(_MODULES)


def schedule_words(name: str) -> tuple[str, ...]:
    """The schedule words that a machine has; of one with parameters, whatever they are."""
    return _WORDS.get(name.partition(":")[0], ())


def machine(name: str) -> Machine:
    """The machine of this name; of one with parameters those after a colon, as in ``NAME:word=64``.

    Raises UnknownNameError.
    """
    kind, colon, parameters = name.partition(":")
    if kind not in _MODULES:
        raise UnknownNameError(unknown("machine", name, _MODULES))
    found: Machine = import_module(_MODULES[kind]).MACHINE
    if not colon:
        return found
    if not isinstance(found, Configurable):
        raise UnknownNameError(f"machine {name!r}: {kind} has no parameters; accepted: {kind}")
    return found.configured(parameters)
