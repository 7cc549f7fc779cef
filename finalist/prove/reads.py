"""Reads at an unknown place out of large tables of unknown entries, kept whole.

Where the entries are made by products, as those of a table that a cipher fills by encrypting, there is
nothing to gain from them as functions of the index (`finalist.prove.spaces`), and that would be as many
coordinates as they have atoms. A bit of such a read is one atom: the index, and the column of the table's
entries that it is taken from. The same column at the same index is the same bit, whatever else is not known
of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from finalist.prove.bits import Bits, Word, bits_of
from finalist.prove.spaces import Spaces
from finalist.prove.store import FALSE, TRUE

#: Entries from which on a table is large.
LARGE = 32


@dataclass(frozen=True, slots=True)
class Kept:
    """A column that is kept whole, by its number."""

    number: int


#: Of a word that is read one bit: a function of a space as a vector, or a column that is kept whole.
Column: TypeAlias = int | Kept


class Reads:
    """The columns that are read as a whole."""

    def __init__(self, spaces: Spaces) -> None:
        self.spaces, self.store = spaces, spaces.store
        self.kept: list[tuple[int, ...]] = []
        #: Whether any table was, and not words alone that were moved.
        self.tables = False
        self._numbers: dict[tuple[int, ...], int] = {}
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
        return [rest[k] if number is None else Kept(number) for k, number in enumerate(numbers)]

    def read(self, space: int, columns: Sequence[Column]) -> Bits:
        """The word whose bits are these columns at the index that a space is of."""
        return tuple(
            self.store.atom(("read", space, column.number))
            if isinstance(column, Kept)
            else (self.spaces.function(space, column) if column else FALSE)
            for column in columns
        )

    def whole(self, space: int, column: Bits) -> int | None:
        """The bit of a column at the index that a space is of, kept whole; None where it is not kept so."""
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
                column = self.kept[rest[1]]
                return tuple(one ^ 1 for one in column) if bit & 1 else column
        return None

    def _number(self, column: Bits) -> int | None:
        """The number of a column of bits; None where it is not kept whole."""
        number = self._numbers.get(column)
        if number is None and self._made_by_products(column):
            number = self._numbers[column] = len(self.kept)
            self.kept.append(column)
        return number

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
        the entries would be kept whole."""
        if node < 0:
            return {one for bit in self.spaces.indices[~node] for one in self.store.sets[bit >> 1]}
        kind, *rest = self.store.atoms[node]
        if kind == "function":
            return (~rest[0],)
        if kind == "named":
            named: int = rest[0]
            return self.store.sets[named >> 1]
        return () if kind == "input" else None


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
