"""What a definition leaves open, as its publication does: word sizes, rounds, block sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from finalist.errors import UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from finalist.language.cipher import Cipher

_Values = tuple[tuple[str, int], ...]
#: The variants there are, so that what is known of one is known of it wherever it is named.
_MADE: dict[tuple[type[Cipher], _Values], type[Cipher]] = {}
_GIVEN = re.compile(r"(?P<name>.*?):(?P<values>[^:=/\\]+=[^/\\]*)", re.DOTALL)


def split(text: str) -> tuple[str, str]:
    """Name or file, and values of parameters: ``rc6:w=64,r=24`` -> ``rc6``, ``w=64,r=24``."""
    found = _GIVEN.fullmatch(text)
    return (found["name"], found["values"]) if found else (text, "")


def parse(cipher: type[Cipher], text: str) -> dict[str, int]:
    """``block-bits=256`` as numbers by the names that the definition has. Raises UnknownNameError."""
    values = {}
    for part in text.split(",") if text else ():
        name, _, value = part.partition("=")
        if not re.fullmatch(r"[0-9]{1,9}", value, re.ASCII):
            raise UnknownNameError(f"{cipher.own_name()}: {part!r}; accepted: a parameter such as w=64")
        values[name.strip().replace("-", "_")] = int(value)
    return values


def variant(cipher: type[Cipher], values: Mapping[str, int]) -> type[Cipher]:
    """The definition with these values of its parameters; the class itself where all are its own.

    Raises UnknownNameError for a parameter or a value that it does not have.
    """
    for name, value in values.items():
        _check(cipher, name, value)
    own = {name: getattr(cipher, name) for name in cipher.parameters}
    other = tuple((name, values[name]) for name in own if values.get(name, own[name]) != own[name])
    if other and (cipher, other) not in _MADE:
        _MADE[cipher, other] = _made(cipher, other)
    return _MADE[cipher, other] if other else cipher


def _check(cipher: type[Cipher], name: str, value: int) -> None:
    spelt = {one: one.replace("_", "-") for one in cipher.parameters}
    if name not in spelt:
        known = ", ".join(spelt.values()) or "none"
        close = did_you_mean(name, spelt.values())
        what = f"{cipher.own_name()} has no parameter {name.replace('_', '-')}{close}"
        raise UnknownNameError(f"{what}; accepted: {known}")
    allowed = cipher.parameters[name]
    if value not in allowed:
        told = accepted(allowed)
        raise UnknownNameError(f"{cipher.own_name()}: {spelt[name]}={value}; accepted: {told}")


def accepted(allowed: Sequence[int]) -> str:
    """The values of a parameter as text: ``8, 16, 32, 64``, or ``1 to 255``."""
    return f"{allowed[0]} to {allowed[-1]}" if isinstance(allowed, range) else ", ".join(map(str, allowed))


def _made(cipher: type[Cipher], values: _Values) -> type[Cipher]:
    """A class of these values."""
    written = ",".join(f"{name.replace('_', '-')}={value}" for name, value in values)
    own = {
        "__doc__": cipher.__doc__,
        "__module__": cipher.__module__,
        "called": f"{cipher.own_name()}:{written}",
        "source": f"{cipher.source}:{written}" if cipher.source else "",
        "shown": "",
        "aliases": (),
        # These are of the parameters that the definition has by itself.
        "vectors": None,
        "own_vectors": None,
        "intermediate": None,
        "base": cipher,
    }
    made: type[Cipher] = type(cipher.__name__, (cipher,), {**own, **dict(values)})
    for name, value in made.shape().items():
        setattr(made, name, value)
    return made
