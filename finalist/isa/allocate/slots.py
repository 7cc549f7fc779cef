"""Words of memory for what has no register."""

from __future__ import annotations

from dataclasses import dataclass, field

from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.target.memory import Memory, Place


@dataclass(slots=True)
class Slots:
    """Words of ``size`` bytes, handed out one after the other.

    ``areas``: first ``count`` words that every program has, so that tables and arrays lie behind them; once
    these are taken, as many again behind all else, as long as a displacement of ``reach`` bytes spans them.
    ``values``: by address what a word holds before the program runs.
    """

    cipher: str
    memory: Memory
    size: int
    count: int
    reach: int
    areas: list[Place] = field(default_factory=list)
    values: dict[int, int] = field(default_factory=dict)
    #: Words that were handed out; what is made anew can begin with fewer.
    taken: int = 0

    def __post_init__(self) -> None:
        self._another()

    def take(self) -> int:
        """The address of a word that nothing has yet. Raises NoRoomError."""
        area, at = divmod(self.taken, max(self.count, 1))
        if area == len(self.areas) and self._room():
            self._another()
        if area >= len(self.areas) or at >= self.count:
            raise NoRoomError(f"{self.cipher} needs more than {self.taken} words beside the registers")
        self.taken += 1
        return self.areas[area].address + at * self.size

    def _room(self) -> bool:
        begin = -(-self.memory.top // self.size) * self.size
        return self.count > 0 and begin + self.size * self.count <= self.reach

    def _another(self) -> None:
        self.areas.append(self.memory.place("slots", self.size, self.count))
