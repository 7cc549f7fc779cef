"""The block before each block of a call, which chains are undone by: at `chain`, and for others in the input.

Blocks are written in ascending order of address, as calls go on, and in place that is where the blocks before
the next ones lie. So what a store overwrites is read first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Previous:
    """Where they lie. ``block``: bytes of a block; ``unit``: of what is read and written at once."""

    block: int
    unit: int

    @property
    def chain_bytes(self) -> int:
        """Bytes at `chain`: the block before the first one, and what is read together with it."""
        return -(-self.block // self.unit) * self.unit

    def place(self, at: int) -> tuple[str, int]:
        """Pointer and offset of what stands a block before `in` + ``at``."""
        return ("chain", at) if at < self.chain_bytes else ("in", at - self.block)


class ReadAhead:
    """Reads in time. ``total``: bytes of a call; ``read``: declares a name for what lies before an offset."""

    def __init__(self, previous: Previous, total: int, read: Callable[[int], tuple[str, str]]) -> None:
        self._unit, self._read = previous.unit, read
        self._lag = previous.chain_bytes // previous.unit
        self._names: list[str] = []
        self._units = total // previous.unit

    def before(self, at: int) -> tuple[list[str], str]:
        """Statements that go before the store at an offset, and the name of what that is XORed with."""
        return list(self._missing(at // self._unit + self._lag)), self._names[at // self._unit]

    def _missing(self, last: int) -> Iterator[str]:
        for unit in range(len(self._names), min(last + 1, self._units)):
            name, statement = self._read(unit * self._unit)
            self._names.append(name)
            yield statement
