"""A cache between a processor and its data in memory, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DataCache:
    """``size`` bytes in lines of ``line`` bytes, ``ways`` of them in a set; the least recently used one makes
    room. Stores bring lines in as loads do (write-back, write-allocate). A line that is not there keeps the
    whole processor waiting for ``penalty`` cycles; an access that crosses lines asks for each."""

    size: int
    line: int
    ways: int
    penalty: int

    @property
    def sets(self) -> int:
        """How many; a line's address modulo this is its own."""
        return self.size // (self.line * self.ways)

    def __str__(self) -> str:
        return f"{self.size}/{self.line}/{self.ways}/{self.penalty}"


ACCEPTED = "SIZE/LINE/WAYS/PENALTY, as in 8192/32/2/20: bytes and ways powers of 2, at least one set"


def parsed(text: str) -> DataCache | None:
    """A cache from ``SIZE/LINE/WAYS/PENALTY``; None for what is none."""
    numbers = [int(part) if part.isdecimal() else 0 for part in text.split("/")]
    if len(numbers) != 4 or min(numbers) < 1 or numbers[0] > 1 << 24 or numbers[3] > 1 << 16:
        return None
    found = DataCache(*numbers)
    powers = all(n & n - 1 == 0 for n in numbers[:3])
    return found if powers and found.sets >= 1 and found.line >= 4 else None
