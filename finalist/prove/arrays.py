"""Arrays that are written at unknown positions, entry by entry, and what is read out of them.

A store of v at an index x makes of each entry ``e[p]`` the choice of v where x is p. What a read gives that
the entries alone do not show is taken from how the array was made (McCarthy 1962): at the index of the last
store what was stored; at x after ``e[x], e[y] = e[y], e[x]`` what was at y, whether or not x and y are the
same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from finalist.prove.bits import Word, bits_of, known
from finalist.prove.reads import Reads
from finalist.prove.store import TRUE


@dataclass(frozen=True, slots=True)
class Index:
    """An unknown position in an array: at each point of a space the entry that is meant."""

    space: int
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """How an array was made: of which one, by storing what at which index."""

    before: tuple[Word, ...]
    index: Index
    value: Word


#: Entries of an array, and their bits.
_Array = tuple[tuple[Word, ...], int]


class Arrays:
    """The arrays of a store that something was written to at an unknown position."""

    def __init__(self, reads: Reads) -> None:
        self.reads, self.spaces, self.store = reads, reads.spaces, reads.store
        self.made: dict[_Array, Stored] = {}
        #: The inverse: what the second side stores is there already.
        self._after: dict[tuple[Stored, int], tuple[Word, ...]] = {}
        self._ways: dict[Index, list[tuple[int, list[int]]]] = {}
        self._indices: dict[tuple[int, tuple[int, ...]], tuple[Index, tuple[int, ...]]] = {}

    def index(self, space: int, places: tuple[int, ...]) -> tuple[Index, tuple[int, ...]]:
        """An index that is at one of some places at each point of a space, and those places in order: the
        entries of the array that it is a position in."""
        found = self._indices.get((space, places))
        if found is None:
            ordered = tuple(sorted(set(places)))
            ranks = {place: rank for rank, place in enumerate(ordered)}
            index = Index(space, tuple(ranks[place] for place in places))
            found = self._indices[space, places] = index, ordered
        return found

    def write(self, array: Sequence[Word], index: Index, value: Word, width: int) -> tuple[Word, ...]:
        """The entries after a word of ``width`` bits is stored at an index."""
        before, new = tuple(array), known(bits_of(value, width))
        last = self.made.get((before, width))
        if last is not None and last.index == index:
            before = last.before  # what was stored there is overwritten
        if self._plain(before, index, width) == new:
            return before
        stored = Stored(before, index, new)
        found = self._after.get((stored, width))
        if found is None:
            found = self._after[stored, width] = self._entries(stored, width)
            self.made.setdefault((found, width), stored)
        return found

    def _entries(self, stored: Stored, width: int) -> tuple[Word, ...]:
        new, space = bits_of(stored.value, width), stored.index.space
        after: list[Word] = []
        for old, (way, points) in zip(stored.before, self._chosen(stored.index), strict=True):
            pairs = zip(new, bits_of(old, width), strict=True)
            after.append(known(tuple(self._either(space, way, points, *pair) for pair in pairs)))
        return tuple(after)

    def read(self, array: tuple[Word, ...], index: Index, width: int) -> Word | None:
        """The entry at an index, where that is known of how the array was made; else None."""
        last = self.made.get((array, width))
        if last is None:
            return None
        if last.index == index:
            return last.value
        first = self.made.get((last.before, width))
        if first is None or first.index != index:
            return None
        swapped = self._plain(first.before, index, width) == last.value
        swapped &= self._plain(first.before, last.index, width) == first.value
        return first.value if swapped else None

    def _plain(self, array: tuple[Word, ...], index: Index, width: int) -> Word:
        """The entry at an index, whatever it is made of."""
        found = self.read(array, index, width)
        if found is not None:
            return found
        columns = self.reads.columns(index.space, [array[k] for k in index.positions], width)
        return known(self.reads.read(index.space, columns))

    def _chosen(self, index: Index) -> list[tuple[int, list[int]]]:
        """For each position the bit that says whether it is meant, and the points at which it is."""
        found = self._ways.get(index)
        if found is None:
            points: list[list[int]] = [[] for _ in range(max(index.positions) + 1)]
            for point, position in enumerate(index.positions):
                points[position].append(point)
            found = self._ways[index] = [
                (self.spaces.function(index.space, sum(1 << point for point in own), whole=True), own)
                for own in points
            ]
        return found

    def _either(self, space: int, way: int, points: Iterable[int], new: int, old: int) -> int:
        """A bit of an entry: the new one if the entry is meant, else the old one; as one atom."""
        if new == old:
            return old
        entries = self.reads.entries(space, old) if old > TRUE else None
        if entries is not None and all(entries[point] == new for point in points):
            return old  # of what was read at this index: there it is the new one itself
        return self.store.named(self.store.choose(way, new, old), 1)
