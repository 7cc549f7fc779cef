"""Where things lie in a simulated processor's memory: tables, arrays of the expanded key, single words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from finalist.errors import GraphError
from finalist.ir.graph import TableData
from finalist.ir.types import ArrayType, storage_bits
from finalist.names import unused

#: Bytes that tables and arrays are aligned to.
_ALIGN = 4


@dataclass(frozen=True, slots=True)
class Place:
    """An array in memory: ``length`` entries of ``bytes`` bytes from ``address`` on, one behind the other, or
    ``apart`` bytes from one to the next."""

    name: str
    address: int
    bytes: int
    length: int
    apart: int = 0

    @property
    def step(self) -> int:
        """Bytes from one entry to the next."""
        return self.apart or self.bytes

    @property
    def size(self) -> int:
        """Bytes of all entries."""
        return self.bytes * self.length

    @property
    def end(self) -> int:
        """The address behind the last entry."""
        return self.address + self.step * max(self.length - 1, 0) + self.bytes * min(self.length, 1)


@dataclass(frozen=True, slots=True)
class Interleaved:
    """Memory in ``count`` banks, interleaved by words of ``bytes`` bytes; each serves one access a
    cycle.

    Each ``block`` bytes have banks of their own, 0 for one set of banks in all; ``together``: whether
    accesses to one word are served together.
    """

    bytes: int
    count: int
    block: int = 0
    together: bool = False


@dataclass(slots=True)
class Memory:
    """Hands out places, one after the other; ``contents`` are what memory holds before a program runs.

    ``end``: the address behind the last byte that there is; 0 where programs never come to it.
    """

    top: int = 0
    #: Whether of words side by side the first is in the lowest bits of a wide one.
    ascending: bool = True
    end: int = 0
    places: list[Place] = field(default_factory=list)
    contents: dict[Place, tuple[int, ...]] = field(default_factory=dict)
    _tables: dict[tuple[TableData, int], Place] = field(default_factory=dict)
    _copies: dict[tuple[Place, int], Place] = field(default_factory=dict)

    def place(self, name: str, size: int, length: int, align: int = 0) -> Place:
        """Room for an array, aligned to its entries or to ``align`` bytes. Raises GraphError."""
        step = align or size
        self.top = -(-self.top // step) * step
        made = Place(unused(name, {place.name for place in self.places}), self.top, size, length)
        self.top += made.size
        if 0 < self.end < self.top:
            raise GraphError(
                f"memory ends at {self.end:#x}, and the table or array {made.name!r} ends at {self.top:#x}"
            )
        self.places.append(made)
        return made

    def interleaved(self, names: Sequence[str], type_: ArrayType) -> list[Place]:
        """Room for arrays of bytes whose entries of one index lie side by side."""
        whole = self.place(names[0], len(names), type_.length, align=_ALIGN)
        self.places.remove(whole)
        return [
            self.put(Place(name, whole.address + k, 1, type_.length, len(names)))
            for k, name in enumerate(names)
        ]

    def put(self, place: Place) -> Place:
        """An array that has its place already."""
        self.places.append(place)
        return place

    def array(self, name: str, type_: ArrayType) -> Place:
        """Room for an array of the graph."""
        return self.place(name, storage_bits(type_.width) // 8, type_.length, align=_ALIGN)

    def table(self, table: TableData) -> Place:
        """A fixed table, once however often it is asked for."""
        size = storage_bits(table.width) // 8
        key = (table, size)
        if key not in self._tables:
            made = self.place(table.name, size, len(table.values), align=_ALIGN)
            self._tables[key] = made
            self.contents[made] = table.values
        return self._tables[key]

    def copy(self, table: Place, address: int) -> Place | None:
        """A copy of what lies before ``address`` behind it, no further from it than memory reaches before it,
        so that both lie in blocks of that size; once however often it is asked for. None without room."""
        key = (table, address)
        if key not in self._copies:
            begin = -(-max(self.top, address) // _ALIGN) * _ALIGN
            if table.end > address or begin + table.size > 2 * address:
                return None
            self.top = begin
            made = self.place(table.name, table.bytes, table.length, align=_ALIGN)
            self._copies[key] = made
            self.contents[made] = self.contents[table]
        return self._copies[key]
