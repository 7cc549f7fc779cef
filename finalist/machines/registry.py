"""The machines by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from typing import Any, cast

from finalist import plugins
from finalist.errors import PackageError, UnknownNameError, UsageError, unknown
from finalist.machines.base import Configurable, Machine
from finalist.machines.words import names_of

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
#: What a machine of another package must have to be one.
_PARTS = ("name", "summary", "words", "compile", "program", "describe")


def machine_names() -> tuple[str, ...]:
    """Finalist's own machines."""
    return tuple(_MACHINES)


def installed_names() -> tuple[str, ...]:
    """The machines that other packages offer, by name; see `finalist.plugins`."""
    return plugins.names(plugins.MACHINES, _MACHINES)


def installed() -> Iterator[Machine | PackageError]:
    """These machines; in place of one that is not as it should be what is wrong with it."""
    return plugins.everything(plugins.MACHINES, _MACHINES, _installed)


def is_own(name: str) -> bool:
    """Whether a machine, with parameters or without, is one of Finalist's own."""
    return name.partition(":")[0] in _MACHINES


def schedule_words(name: str) -> tuple[str, ...]:
    """The schedule words that a machine has; of one with parameters, whatever they are."""
    kind = name.partition(":")[0]
    if is_own(kind):  # of a machine that has any from its words alone: help needs no more of it
        return () if kind == "interpreter" else names_of(_module(kind, "words").WORDS)
    found = _installed(kind)
    return names_of(found.words) if found else ()


def machine(name: str) -> Machine:
    """The machine of this name; of one with parameters those after a colon, as in ``NAME:word=64``.

    Finalist's own, or one that another package offers. Raises UnknownNameError or PackageError.
    """
    kind, colon, parameters = name.partition(":")
    found = _own(kind) if is_own(kind) else _installed(kind)
    if found is None:
        raise UnknownNameError(unknown("machine", name, (*_MACHINES, *installed_names())))
    if not colon:
        return found
    if not isinstance(found, Configurable):
        raise UnknownNameError(f"machine {name!r}: {kind} has no parameters; accepted: {kind}")
    return found.configured(parameters)


def _own(kind: str) -> Machine:
    found: Machine = getattr(_module(kind, "machine"), _MACHINES[kind][1])
    return found


def _module(kind: str, name: str) -> Any:
    return import_module(f"finalist.machines.{_MACHINES[kind][0]}.{name}")


@cache
def _installed(kind: str) -> Machine | None:
    """The machine that a package offers by a name; None where none does. Raises PackageError."""
    return plugins.load(plugins.MACHINES, kind, lambda: _MACHINES, partial(_as_offered, kind))


def _as_offered(kind: str, found: object) -> Machine:
    """What an entry point of this name is, if that is a machine of this name. Raises UsageError."""
    lacking = [part for part in _PARTS if not hasattr(found, part)]
    if isinstance(found, type) or lacking:
        told = "is a class" if isinstance(found, type) else f"lacks {', '.join(lacking)}"
        raise UsageError(f"{found!r} {told}; accepted: an object with {', '.join(_PARTS)}")
    one = cast(Machine, found)
    if one.name != kind:
        told = f"the machine calls itself {one.name!r}"
        raise UsageError(f"{told}; accepted: name = {kind!r}, or an entry point of that name")
    return one
