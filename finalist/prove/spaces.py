"""Functions of an index: the bits that a table gives, whatever else is made of the same index.

A *space* is an index, a few bits; functions of it are vectors over GF(2), one coordinate for each value of
the index. Entries that are not known add coordinates: one for each value and atom. All functions are written
in one basis for each number of bits, made of those that came first; so an S-box, a table of its entries
times a matrix, and a circuit of gates on the same bits end in the same atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from finalist.prove.basis import Basis, Coordinates, linear
from finalist.prove.store import FALSE, TRUE, Store

#: Bits of the widest index whose values are gone through one by one.
WIDEST = 13
#: Atoms of a sum of which it is looked at whether it is a function of one index.
_SUMMED = 64
#: Bits that an element of an array of NumPy holds.
_DIGITS = 64


#: Bits, each as a function of a space and a bit that is no function of it.
Parts: TypeAlias = tuple[tuple[int, int], ...]


def numbers(tables: Sequence[int], points: int) -> tuple[int, ...]:
    """The number at each point whose bits have these truth tables; inverse of `vectors`."""
    digits = [_digits(table, points) for table in tables]
    found = [0] * points
    for start in range(0, len(digits), _DIGITS):
        some = np.zeros(points, np.uint64)
        for k, digit in enumerate(digits[start : start + _DIGITS]):
            some |= digit.astype(np.uint64) << np.uint64(k)
        found = [a | b << start for a, b in zip(found, some.tolist(), strict=True)]
    return tuple(found)


def vectors(numbers: Sequence[int], width: int) -> list[int]:
    """The truth tables of the lowest bits of numbers, one at each point."""
    found: list[int] = []
    top = (1 << _DIGITS) - 1
    for start in range(0, width, _DIGITS):
        some = np.array([number >> start & top for number in numbers], np.uint64)
        for k in range(min(_DIGITS, width - start)):
            found.append(_packed((some >> np.uint64(k) & np.uint64(1)).astype(np.uint8)))
    return found


def independent(tables: Iterable[int], bits: int) -> list[int]:
    """The bits of an index that are in the support of no function of these truth tables."""
    found, whole = list(range(bits)), (1 << (1 << bits)) - 1
    for table in set(tables):
        found = [k for k in found if not (table >> (1 << k) ^ table) & (linear(bits, k) ^ whole)]
    return found


def cofactor(table: int, bits: int, k: int) -> int:
    """The truth table over the other bits of an index where bit ``k`` is 0: the negative cofactor."""
    return _packed(_digits(table, 1 << bits).reshape(-1, 2, 1 << k)[:, 0])


def widened(table: int, at: Sequence[int]) -> int:
    """The truth table over an index of one bit more, whose bit ``at[k]`` is bit k of the narrower one."""
    points = np.arange(2 << len(at))
    own = sum((points >> bit & 1) << k for k, bit in enumerate(at))
    return _packed(_digits(table, 1 << len(at))[own])


def _digits(table: int, points: int) -> npt.NDArray[np.uint8]:
    """A truth table, an element for each point."""
    row = np.frombuffer(table.to_bytes(-(-points // 8), "little"), np.uint8)
    return np.unpackbits(row, count=points, bitorder="little")


def _packed(digits: npt.NDArray[np.uint8]) -> int:
    return int.from_bytes(np.packbits(digits, bitorder="little").tobytes(), "little")


def places(vector: int) -> list[int]:
    """The places of the ones of a vector."""
    digits = np.frombuffer(vector.to_bytes(-(-vector.bit_length() // 8), "little"), np.uint8)
    found: list[int] = np.flatnonzero(np.unpackbits(digits, bitorder="little")).tolist()
    return found


def _vector(ones: set[int]) -> int:
    """The number with these bits."""
    found = bytearray(max(ones, default=0) // 8 + 1)
    for one in ones:
        found[one >> 3] |= 1 << (one & 7)
    return int.from_bytes(found, "little")


class Spaces:
    """The indices of a store."""

    def __init__(self, store: Store, choices: bool = True) -> None:
        self.store = store
        #: Whether a choice between two functions of an index is made one function.
        self.choices = choices
        self.coordinates: dict[int, Coordinates] = {}
        self.bases: list[Basis] = []
        self.indices: list[tuple[int, ...]] = []
        self.found: dict[frozenset[int], int] = {}
        self.values: dict[tuple[int, tuple[int, ...]], tuple[int, ...]] = {}
        #: By space whose index is read from entries that are not known, what they are functions of; and what
        #: makes such a function one of those.
        self.decompositions: dict[int, tuple[int, Parts]] = {}
        self.composed: Callable[[int, int, Parts], int] | None = None
        store.function = self.function
        self._looked_at: set[int] = set()
        #: By the positions of an index's bits in a wider one, and truth table: that over the wider index.
        self._wider: dict[tuple[tuple[int, ...], int], int] = {}

    def over(self, bits: int) -> Coordinates:
        """The coordinates of indices of so many bits."""
        if bits not in self.coordinates:
            over = self.coordinates[bits] = Coordinates(bits)
            over.start = Basis(over)
        return self.coordinates[bits]

    def space(self, bits: Sequence[int]) -> int:
        """The space of different bits that are not known, complements aside."""
        ids = dict.fromkeys(bit >> 1 for bit in bits)
        key = frozenset(ids)
        space = self.found.get(key)
        if space is None:
            space = self.found[key] = len(self.indices)
            self.indices.append(tuple(2 * number for number in ids))
            self.bases.append(Basis(self.over(len(ids))))
            inner = self.decomposed(self.indices[space])
            if inner is not None:
                self.decompositions[space] = inner
            for k, number in enumerate(ids):
                self.store.members.setdefault(number, {})[space] = linear(len(ids), k)
        return space

    def function(self, space: int, vector: int, whole: bool = False) -> int:
        """The bit that a function of a space is; ``whole``: of this index, also where it is read from entries
        that are not known."""
        index = self.indices[space]
        basis = self.bases[space]
        bits = [self._element(space, index, k, whole) for k in basis.elements(vector)]
        found = bits[0] if len(bits) == 1 else self.store.total(bits)
        if vector <= basis.over.ones and found > TRUE:
            table = vector ^ basis.over.ones if found & 1 else vector
            self.store.members.setdefault(found >> 1, {}).setdefault(space, table)
        return found

    def _element(self, space: int, index: tuple[int, ...], number: int, whole: bool) -> int:
        if number == 0:
            return TRUE
        if number <= len(index):
            return index[number - 1]
        basis, inner = self.bases[space], self.decompositions.get(space)
        if number in basis.adopted:
            return basis.adopted[number]
        if whole or inner is None or self.composed is None or basis.vectors[number] > basis.over.ones:
            return self.store.atom(("function", space, number))
        return self.composed(basis.vectors[number], *inner)

    def find(self, bit: int) -> None:
        """Note of a sum of functions of one index that it is one, however it was added up."""
        number = bit >> 1
        if number in self.store.members or number in self._looked_at:
            return
        self._looked_at.add(number)
        whole = self.store.sets[number]
        kinds = [self.store.atoms[atom] for atom in whole] if len(whole) <= _SUMMED else []
        for space in dict.fromkeys(kind[1] for kind in kinds if kind[0] == "function"):
            table = self._table(space, whole)
            if table is not None:
                self.store.members.setdefault(number, {})[space] = table

    def _table(self, space: int, atoms: Iterable[int]) -> int | None:
        """The truth table of a sum of atoms, if all are functions of a space or bits of its index."""
        basis, table, rest = self.bases[space], 0, set[int]()
        for atom in atoms:
            kind, *made = self.store.atoms[atom]
            if kind == "function" and made[0] == space and basis.vectors[made[1]] <= basis.over.ones:
                table ^= basis.vectors[made[1]]
            else:
                rest.add(atom)
        for k, index in enumerate(self.indices[space]):
            own = self.store.sets[index >> 1]
            if rest.issuperset(own):
                rest.difference_update(own)
                table ^= linear(len(self.indices[space]), k)
        return None if rest else table

    # -- entries that are not known ---------------------------------------------------------------

    def decomposed(self, bits: Sequence[int]) -> tuple[int, Parts] | None:
        """The space that bits are functions of with entries that are not known, such as of a table that the
        key schedule has filled; and each bit as a function of it and a bit that is no function of it. None
        where there is no such space of all of them, or several."""
        atoms = [self.store.sets[bit >> 1] for bit in bits]
        own: set[int] | None = None
        for some in atoms:
            spaces = {space for atom in some for space in self._unknown(atom)}
            if len(spaces) != 1 or (own is not None and own != spaces):
                return None
            own = spaces
        assert own is not None
        (space,) = own
        return space, tuple(self._split(space, bit & 1, some) for bit, some in zip(bits, atoms, strict=True))

    def _unknown(self, atom: int) -> tuple[int, ...]:
        """The space of a function with an entry that is not known."""
        kind, *made = self.store.atoms[atom]
        if kind != "function":
            return ()
        basis = self.bases[made[0]]
        return (made[0],) if basis.vectors[made[1]] > basis.over.ones else ()

    def _split(self, space: int, odd: int, atoms: Iterable[int]) -> tuple[int, int]:
        """A sum of atoms as a function of a space and the rest."""
        basis, index = self.bases[space], self.indices[space]
        vector, rest = basis.over.ones * odd, set(atoms)
        for atom in atoms:
            kind, *made = self.store.atoms[atom]
            if kind == "function" and made[0] == space:
                vector ^= basis.vectors[made[1]]
                rest.discard(atom)
        for k, bit in enumerate(index):
            own = self.store.sets[bit >> 1]
            if rest.issuperset(own):
                rest.difference_update(own)
                vector ^= linear(len(index), k)
        return vector, 2 * self.store.interned(tuple(sorted(rest)))

    def at_points(self, space: int, parts: Parts) -> list[tuple[int, ...]]:
        """Bits that are a function of a space and a rest, at each point of it."""
        over = self.bases[space].over
        columns = []
        for vector, rest in parts:
            found: list[list[int]] = [[rest, vector >> point & 1] for point in range(over.size)]
            for place in places(vector >> over.size):
                point, atom = over.meanings[place]
                found[point].append(self.store.alone(atom))
            columns.append([self.store.total(some) for some in found])
        return list(zip(*columns, strict=True))

    # -- words as functions ---------------------------------------------------------------------

    def points(self, bits: Sequence[int]) -> tuple[int, tuple[int, ...]] | None:
        """A space that a word is a function of, and its value at each point; None where it has too many
        bits that are not known."""
        found = self.shared(bits)
        if found is None:
            open_ = [bit for bit in bits if bit > TRUE]
            if len({bit >> 1 for bit in open_}) <= WIDEST:
                found = self._points(self.space(open_), bits)
        return found

    def shared(self, bits: Sequence[int]) -> tuple[int, tuple[int, ...]] | None:
        """The same where there is such a space already."""
        space = self._common([bit for bit in bits if bit > TRUE])
        return None if space is None else self._points(space, bits)

    def tables(self, bits: Sequence[int]) -> tuple[int, list[int], int] | None:
        """A space that there is already and that bits that are not known are functions of, their truth tables
        there, and the one that is always 1; None where there is none."""
        space = self._common(bits)
        if space is None:
            return None
        ones = self.bases[space].over.ones
        found = [self.store.members[bit >> 1][space] for bit in bits]
        return (
            space,
            [table ^ ones if bit & 1 else table for bit, table in zip(bits, found, strict=True)],
            ones,
        )

    def on_support(self, space: int, tables: Sequence[int]) -> tuple[int, list[int]]:
        """The space of the bits of the index that are in the support of any of these truth tables, and
        their tables there: what a table repeats for bits that come along above an index is of the index.
        A space stays that has functions of its own, which these may be added to; and has those that came
        before among its own."""
        index, found, basis = list(self.indices[space]), list(tables), self.bases[space]
        if basis.own:
            return space, found
        for k in reversed(independent(found, len(index))):
            found = [cofactor(table, len(index), k) for table in found]
            del index[k]
        if not index or len(index) == len(self.indices[space]):
            return space, list(tables)
        narrow = self.space(index)
        for table, new in zip(tables, found, strict=True):
            self._adopt(space, table, self.function(narrow, new))
        return narrow, found

    def choice(self, condition: int, a: Sequence[int], b: Sequence[int]) -> tuple[int, ...] | None:
        """``a`` if the condition is true, else ``b``, two functions of an index, as functions of that and the
        condition (Shannon's expansion), as of a table in pages: ``c ? T1[x] : T0[x]`` -> ``T[c, x]``.
        None where they are no such functions, or the index is too wide then."""
        open_ = [bit for bit in (*a, *b) if bit > TRUE]
        narrow = self._common(open_) if condition > TRUE and self.choices else None
        if narrow is None or not self.bases[narrow].own or narrow in self.decompositions:
            return None
        index, chooses = self.indices[narrow], condition & ~1
        if len(index) >= WIDEST or narrow in self.store.members.get(condition >> 1, {}):
            return None
        space = self.space((*index, chooses))
        wide, ones = self.indices[space], self.bases[space].over.ones
        at = tuple(map(wide.index, index))
        true = linear(len(wide), wide.index(chooses)) ^ ones * (condition & 1)
        made = []
        for x, y in zip(a, b, strict=True):
            table = self._lifted(narrow, space, at, x) & true | self._lifted(narrow, space, at, y) & ~true
            made.append(self.function(space, table) if table else FALSE)
            self.store.multiply(condition, self.store.xor(x, y), self.store.xor(made[-1], y))
        return tuple(made)

    def _lifted(self, narrow: int, wide: int, at: tuple[int, ...], bit: int) -> int:
        """The truth table over a wider index, where bit k of the narrower is bit ``at[k]``, of a function of
        that; which is noted to be one of the wider, too."""
        ones = self.bases[wide].over.ones
        if bit <= TRUE:
            return ones * bit
        table = self.store.members[bit >> 1][narrow]
        found = self._wider.get((at, table))
        if found is None:
            found = self._wider[at, table] = widened(table, at)
        table = found ^ ones * (bit & 1)
        self._adopt(wide, table, bit)
        return table

    def _adopt(self, space: int, table: int, bit: int) -> None:
        """Have a function of a smaller space for one of this space as well."""
        if bit > TRUE:
            basis = self.bases[space]
            basis.adopt(table, bit)
            members = self.store.members.setdefault(bit >> 1, {})
            members.setdefault(space, table ^ basis.over.ones * (bit & 1))

    def _points(self, space: int, bits: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        ones = self.bases[space].over.ones
        tables = []
        for bit in bits:
            table = self.store.members[bit >> 1][space] if bit > TRUE else 0
            tables.append(table ^ ones if bit & 1 else table)
        return space, self._values(len(self.indices[space]), tuple(tables))

    def _common(self, bits: Sequence[int]) -> int | None:
        """The smallest space that all of some bits are functions of."""
        spaces: set[int] | None = None
        for bit in bits:
            mine = self.store.members.get(bit >> 1)
            if mine is None:
                return None
            spaces = set(mine) if spaces is None else spaces & mine.keys()
            if not spaces:
                return None
        return min(spaces or (), key=lambda space: (len(self.indices[space]), space), default=None)

    def _values(self, width: int, tables: tuple[int, ...]) -> tuple[int, ...]:
        known = self.values.get((width, tables))
        if known is None:
            known = self.values[width, tables] = numbers(tables, 1 << width)
        return known

    def columns(self, space: int, entries: Iterable[int | tuple[int, ...]], width: int) -> list[int]:
        """Words, one for each point, as vectors, one for each bit."""
        words = list(entries)
        columns = vectors([word if isinstance(word, int) else 0 for word in words], width)
        unknown = [(point, word) for point, word in enumerate(words) if not isinstance(word, int)]
        if unknown:
            over = self.bases[space].over
            for k in range(width):
                ones = self._ones(over, ((point, word[k]) for point, word in unknown if k < len(word)))
                columns[k] ^= _vector(ones)
        return columns

    def _ones(self, over: Coordinates, bits: Iterable[tuple[int, int]]) -> set[int]:
        """The coordinates of a bit at each of some points."""
        ones: set[int] = set()
        for point, bit in bits:
            if bit & 1:
                ones.add(point)
            ones.update(over.coordinate(point, atom) for atom in self.store.sets[bit >> 1])
        return ones
