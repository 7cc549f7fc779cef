"""Reads at an unknown index out of large tables of unknown entries, as opaque (uninterpreted) columns.

Where the entries are made by products, as those of a table that a cipher fills by encrypting, there is
nothing to gain from them as functions of the index (`finalist.prove.spaces`), and that would be as many
coordinates as they have atoms. A bit of such a read is one atom: the index, and the column of the table's
entries that it is taken from. The same column at the same index is the same bit, whatever else is not known
of it. A column is stored once for all indices that differ by complements: with its greatest bit first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from finalist.prove.bits import Bits, Word, bits_of
from finalist.prove.spaces import Spaces
from finalist.prove.store import FALSE, TRUE

#: Entries from which on a table is large.
LARGE = 32


@dataclass(frozen=True, slots=True)
class Opaque:
    """A column that is opaque, by its number."""

    number: int


#: Of a word that is read one bit: a function of a space as a vector, or a column that is opaque.
Column: TypeAlias = int | Opaque


class Reads:
    """The columns that are read as a whole."""

    def __init__(self, spaces: Spaces) -> None:
        self.spaces, self.store = spaces, spaces.store
        #: By number the index of a column among those stored, and what is added to a point for its bit there.
        self.opaque: list[tuple[int, int]] = []
        #: Whether any table was, and not words alone that were moved.
        self.tables = False
        self._numbers: dict[tuple[int, int], int] = {}
        self.stored: list[Bits] = []
        #: Those with their greatest bit at several points.
        self._fixed: set[int] = set()
        #: By column as it is stored its index among them; None where it is not opaque.
        self._indices: dict[Bits, int | None] = {}
        #: By name of a table, positions in it, and width.
        self._tables: dict[object, list[Column]] = {}
        #: By contents the name of a table that has none; and by identity, of those that were named, so that
        #: the words of each are gone through once.
        self._names: dict[tuple[Word, ...], object] = {}
        self._named: dict[int, tuple[tuple[Word, ...], object]] = {}
        #: By atom, and by space below 0, whether it is made by products.
        self._found: dict[int, bool] = {}

    def columns(self, space: int, words: Iterable[Word], width: int) -> list[Column]:
        """Words, one for each point of a space, as columns, one for each bit."""
        entries = list(words)
        if len(entries) < LARGE or all(isinstance(word, int) for word in entries):
            return list(self.spaces.columns(space, entries, width))
        numbers = list(map(self._number, zip(*(bits_of(word, width) for word in entries), strict=True)))
        self.tables |= any(number is not None for number in numbers)
        rest = self.spaces.columns(space, _without(entries, numbers), width) if None in numbers else []
        return [rest[k] if number is None else Opaque(number) for k, number in enumerate(numbers)]

    def name(self, table: tuple[Word, ...]) -> object:
        """A name for what a table holds: equal ones have the same."""
        found = self._named.get(id(table))
        if found is None:
            name = self._names.setdefault(table, ("contents", len(self._names)))
            found = self._named[id(table)] = table, name
        return found[1]

    def table(
        self, space: int, at: Callable[[int], Word], positions: tuple[int, ...], width: int, key: object
    ) -> list[Column]:
        """The columns of the words at some positions, one for each point; ``key``: a name for what is there,
        which is looked at only if it is new; None for what has none."""
        if key is None:
            return self.columns(space, map(at, positions), width)
        whole = key, positions, width
        if whole not in self._tables:
            found = self._of_first(space, at, positions, width, key) if self.tables else None
            self._tables[whole] = found or self.columns(space, map(at, positions), width)
        return self._tables[whole]

    def _of_first(
        self, space: int, at: Callable[[int], Word], positions: tuple[int, ...], width: int, key: object
    ) -> list[Column] | None:
        """The same of an opaque table at an index that differs by complements from the one that reads the
        least position first: that one's columns, shifted."""
        shift = positions.index(min(positions))
        if not shift:
            return None
        first = tuple([positions[point ^ shift] for point in range(len(positions))])
        return self.shifted(self.table(space, at, first, width, key), shift)

    def column(self, number: int) -> Bits:
        """The bits of a column that is opaque, one for each point."""
        index, shift = self.opaque[number]
        return _shifted(self.stored[index], shift)

    def entry(self, number: int, point: int) -> int:
        """The bit of such a column at one point."""
        index, shift = self.opaque[number]
        return self.stored[index][point ^ shift]

    def shifted(self, columns: Sequence[Column], shift: int) -> list[Column] | None:
        """The columns with a number added to each point, over GF(2); None where one is not opaque, or
        would be by another name."""
        found: list[Column] = []
        for column in columns:
            if not isinstance(column, Opaque):
                return None
            index, own = self.opaque[column.number]
            if index in self._fixed:
                return None
            found.append(Opaque(self._numbered(index, own ^ shift)))
        return found

    def read(self, space: int, columns: Sequence[Column]) -> Bits:
        """The word whose bits are these columns at the index that a space is of."""
        return tuple(
            self.store.atom(("read", space, column.number))
            if isinstance(column, Opaque)
            else (self.spaces.function(space, column) if column else FALSE)
            for column in columns
        )

    def whole(self, space: int, column: Bits) -> int | None:
        """The bit of a column at the index that a space is of; None where the column is not opaque."""
        number = self._number(column)
        return None if number is None else self.store.atom(("read", space, number))

    def entries(self, space: int, bit: int) -> Bits | None:
        """The bits at each point that one is read from; None where it is no read at the index of a space."""
        if bit <= TRUE:
            return (bit,) * (1 << len(self.spaces.indices[space]))
        atoms = self.store.sets[bit >> 1]
        if len(atoms) == 1:
            (atom,) = atoms
            kind, *rest = self.store.atoms[atom]
            if kind == "read" and rest[0] == space:
                column = self.column(rest[1])
                return tuple(one ^ 1 for one in column) if bit & 1 else column
        return None

    def _number(self, column: Bits) -> int | None:
        """The number of a column of bits; None where it is not opaque."""
        top = max(column)
        once = column.count(top) == 1
        shift = column.index(top) if once else 0
        stored = _shifted(column, shift)
        if stored not in self._indices:
            self._indices[stored] = self._new(stored, once) if self._made_by_products(stored) else None
        index = self._indices[stored]
        return None if index is None else self._numbered(index, shift)

    def _new(self, column: Bits, once: bool) -> int:
        """The index of a column that is stored from now on; ``once``: it has its greatest bit once."""
        index = len(self.stored)
        self.stored.append(column)
        if not once:
            self._fixed.add(index)
        return index

    def _numbered(self, index: int, shift: int) -> int:
        """The number of a column as it is stored, at points with a number added to them."""
        if (index, shift) not in self._numbers:
            self._numbers[index, shift] = len(self.opaque)
            self.opaque.append((index, shift))
        return self._numbers[index, shift]

    def _made_by_products(self, bits: Sequence[int]) -> bool:
        """Whether any of these bits is more than a function of inputs by tables and sums over GF(2)."""
        return any(self._by_products(atom) for bit in set(bits) for atom in self.store.sets[bit >> 1])

    def _by_products(self, atom: int) -> bool:
        """The same of an atom: of those that it is made of first, without recursion, which could be deep."""
        found, waiting = self._found, [atom]
        while waiting:
            parts = self._parts(waiting[-1])
            if waiting[-1] in found or parts is None or any(found.get(part) for part in parts):
                found.setdefault(waiting.pop(), True)
            elif open_ := [part for part in parts if part not in found]:
                waiting += open_
            else:
                found[waiting.pop()] = False
        return found[atom]

    def _parts(self, node: int) -> Iterable[int] | None:
        """The atoms that a name stands for; of a function its space, below 0; of a space the atoms of the
        index; of a product None. A function with an entry that is made by products is of a small table, or
        the entries would be opaque."""
        if node < 0:
            return {one for bit in self.spaces.indices[~node] for one in self.store.sets[bit >> 1]}
        kind, *rest = self.store.atoms[node]
        if kind == "function":
            return (~rest[0],)
        if kind == "named":
            named: int = rest[0]
            return self.store.sets[named >> 1]
        return () if kind == "input" else None


def _shifted(column: Bits, shift: int) -> Bits:
    """A column with a number added to each point, over GF(2)."""
    return tuple([column[point ^ shift] for point in range(len(column))]) if shift else column


def _without(entries: Sequence[Word], numbers: Sequence[int | None]) -> list[Word]:
    """The words with 0 in the columns that have a number."""
    return [
        word
        if isinstance(word, int)
        else tuple(
            bit if number is None else FALSE
            for bit, number in zip(bits_of(word, len(numbers)), numbers, strict=True)
        )
        for word in entries
    ]
