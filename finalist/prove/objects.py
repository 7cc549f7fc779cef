"""Memory as C has it: objects apart from each other, and accesses that stay within one."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from finalist.prove.memory import Memory
from finalist.prove.words import NotCoveredError, Words

#: Where the first object lies, and bytes between objects at the least: no small number is an address.
_FIRST, _APART = 1 << 16, 64


@dataclass(frozen=True, slots=True)
class Object:
    """A variable, a buffer or a place on the stack: ``size`` bytes from ``address`` on."""

    name: str
    address: int
    size: int
    constant: bool = False


class Objects(Memory):
    """Hands out objects, and refuses what lies outside of them."""

    def __init__(self, words: Words) -> None:
        super().__init__(words, "little", 1 << 62, aligned=False)
        self.all: list[Object] = []
        self._starts: list[int] = []

    def new(self, name: str, size: int, align: int = 16, constant: bool = False) -> Object:
        """An object whose bytes nobody has set."""
        last = self.all[-1] if self.all else None
        start = _FIRST if last is None else last.address + last.size + _APART
        step = max(align, 16)
        made = Object(name, -(-start // step) * step, size, constant)
        self.all.append(made)
        self._starts.append(made.address)
        return made

    def at(self, size: int, address: int) -> Object:
        """The object that so many bytes from an address on lie in. Raises NotCoveredError."""
        place = bisect_right(self._starts, address) - 1
        if place >= 0:
            found = self.all[place]
            if address + size <= found.address + found.size:
                return found
            raise NotCoveredError(f"{size} bytes at byte {address - found.address} of {found.name}")
        raise NotCoveredError(f"{size} bytes at address {address:#x}, where no object is")

    def _check(self, size: int, at: int) -> None:
        self.at(size, at)

    def put(self, at: int, value: int | tuple[int, ...]) -> None:
        """Sets a byte. Raises NotCoveredError where it is constant."""
        if (found := self.at(1, at)).constant:
            raise NotCoveredError(f"a store to {found.name}, which is constant")
        super().put(at, value)

    def fixed(self, one: Object) -> Object:
        """The object, which is constant from now on."""
        made = Object(one.name, one.address, one.size, constant=True)
        self.all[bisect_right(self._starts, one.address) - 1] = made
        return made
