"""What can be chosen of the card, and how it is written: ``ram=64,rom=1024``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from finalist.errors import UnknownNameError, unknown


@dataclass(frozen=True, slots=True)
class Parameters:
    """A card; of each budget 0 is as much as the addresses reach.

    ``ram``: bytes that the work on a block may take, with the block itself and the deepest stack; ``key``:
    bytes of key memory; ``rom``: bytes of code and fixed tables; ``stack``: bytes kept for the stack;
    ``beyond``: bytes of memory behind page zero that words may be in.
    """

    ram: int = 0
    key: int = 0
    rom: int = 0
    stack: int = 16
    beyond: int = 1024

    def __str__(self) -> str:
        """As `parsed` takes it; what is as in the base is left out."""
        base = Parameters()
        told = [(name, getattr(self, name)) for name in _LIMITS if getattr(self, name) != getattr(base, name)]
        return ",".join(f"{name}={value}" for name, value in told)


#: The largest value of each.
_LIMITS = {"ram": 4096, "key": 16384, "rom": 49152, "stack": 64, "beyond": 4096}


def parsed(text: str) -> Parameters:
    """Parameters from ``name=value,name=value``. Raises UnknownNameError, saying what is accepted."""
    found = Parameters()
    for item in filter(None, text.split(",")):
        name, _, value = item.partition("=")
        if name not in _LIMITS:
            raise UnknownNameError(unknown("parameter", item, _LIMITS))
        number = int(value) if value.isascii() and value.isdecimal() else -1
        if not 0 <= number <= _LIMITS[name]:
            raise UnknownNameError(f"{name}={value}; accepted: 0 to {_LIMITS[name]}")
        found = replace(found, **{name: number})
    return found
