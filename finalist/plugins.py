"""Ciphers and machines of other packages, by their entry points (PyPA, "Entry points specification").

A package that is installed offers a cipher by a line of its own pyproject.toml, a machine likewise::

    [project.entry-points."finalist.ciphers"]
    tea = "theirs.tea:TEA"

Names are read without importing anything of the package; it is imported when its cipher or machine is asked
for. What is wrong with one package is said of that package, and is in nobody's way who does not ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TypeVar

from finalist.errors import FinalistError, PackageError

#: The groups of entry points, and what is offered in each.
CIPHERS, MACHINES = "finalist.ciphers", "finalist.machines"
WHAT = {CIPHERS: "cipher", MACHINES: "machine"}
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*(?<!\.py)")
_VALUE = re.compile(r"(?P<module>[\w.]+):(?P<attribute>[\w.]+)")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Offer:
    """An entry point: its group, name and value (``module:attribute``), and the package, with its version."""

    group: str
    name: str
    value: str
    package: str

    def __str__(self) -> str:
        return f"package {self.package}: {WHAT[self.group]} {self.name!r}"

    def wrong(self, told: str, accepted: str) -> PackageError:
        """The error that says what is wrong with it."""
        return PackageError(f"{self} {told}; accepted: {accepted}")


@cache
def offers(group: str) -> tuple[Offer, ...]:
    """What installed packages offer in a group, by names in order; nothing of them is imported."""
    from importlib.metadata import entry_points  # which takes a while, and is not needed for Finalist's own

    found = {
        Offer(group, one.name, one.value, f"{one.dist.name} {one.dist.version}" if one.dist else "unknown")
        for one in entry_points(group=group)
    }
    return tuple(sorted(found, key=lambda one: (one.name, one.package)))


def names(group: str, own: Collection[str]) -> tuple[str, ...]:
    """The names that can be asked for beside Finalist's ``own``: of no package that clashes with another."""
    return tuple(one.name for one in offers(group) if _clash(one, own) is None)


def everything(
    group: str, own: Collection[str], find: Callable[[str], T | None]
) -> Iterator[T | PackageError]:
    """All that is offered in a group, as ``find`` has it by its name; in place of what is wrong the error."""
    for offer in offers(group):
        clash = _clash(offer, own)
        if clash:
            yield clash
            continue
        try:
            found = find(offer.name)
        except PackageError as error:
            yield error
        else:
            assert found is not None, "it is on offer"
            yield found


def _clash(offer: Offer, own: Collection[str]) -> PackageError | None:
    if not _NAME.fullmatch(offer.name):
        return offer.wrong("has no name for a command line", "small letters, digits, and - + . between them")
    if offer.name in own:
        return offer.wrong("has the name of one of Finalist's own, which is meant by it", "another name")
    others = [one.package for one in offers(offer.group) if one.name == offer.name and one != offer]
    if others:
        return offer.wrong(f"is offered by {', '.join(others)} as well", "one of these packages installed")
    return None


def load(group: str, name: str, own: Callable[[], Collection[str]], check: Callable[[object], T]) -> T | None:
    """What a package offers by a name, imported and checked; None where none does.

    Nor is it where the name is one of our ``own``. ``check`` returns it, or raises FinalistError where it is
    not what is accepted. Raises PackageError, which names the package.
    """
    found = [one for one in offers(group) if one.name == name]
    if not found or name in own():
        return None
    clash = _clash(found[0], ())
    if clash:
        raise clash
    (offer,) = found
    try:
        return check(_imported(offer))
    except PackageError:
        raise
    except FinalistError as error:
        raise PackageError(f"{offer} = {offer.value}: {error}") from error


def _imported(offer: Offer) -> object:
    """The object itself. Raises PackageError, whatever its module raises."""
    value = _VALUE.fullmatch(offer.value)
    accepted = "module:attribute, of a module that can be imported"
    if not value:
        raise offer.wrong(f"is {offer.value!r}", accepted)
    try:
        found: object = import_module(value["module"])
        for part in value["attribute"].split("."):
            found = getattr(found, part)
    except Exception as error:  # somebody else's module may raise anything
        told = f"can't be imported from {offer.value}: {type(error).__name__}: {error}"
        raise offer.wrong(told, accepted) from error
    return found
