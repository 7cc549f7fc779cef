"""The machines by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from finalist.errors import UnknownNameError, unknown
from finalist.machines.base import Configurable, Machine

#: Of each machine its folder and what it is called in its module; imported when first asked for.
_MACHINES = {
    "native": ("native", "MACHINE"),
    "fpga": ("fpga", "MACHINE"),
    "interpreter": ("interpreter", "MACHINE"),
    "plx": ("plx", "MACHINE"),
    "c62x": ("c6x", "C62X"),
    "c64x": ("c6x", "C64X"),
    "hc05": ("hc05", "MACHINE"),
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
    "fpga": ("lookup", "key-schedule", "architecture", "optimise", "language", "directions"),
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
    return tuple(_MACHINES)


def schedule_words(name: str) -> tuple[str, ...]:
    """The schedule words that a machine has; of one with parameters, whatever they are."""
    return _WORDS.get(name.partition(":")[0], ())


def machine(name: str) -> Machine:
    """The machine of this name; of one with parameters those after a colon, as in ``NAME:word=64``.

    Raises UnknownNameError.
    """
    kind, colon, parameters = name.partition(":")
    if kind not in _MACHINES:
        raise UnknownNameError(unknown("machine", name, _MACHINES))
    folder, attribute = _MACHINES[kind]
    found: Machine = getattr(import_module(f"finalist.machines.{folder}.machine"), attribute)
    if not colon:
        return found
    if not isinstance(found, Configurable):
        raise UnknownNameError(f"machine {name!r}: {kind} has no parameters; accepted: {kind}")
    return found.configured(parameters)
