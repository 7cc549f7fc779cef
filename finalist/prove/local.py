"""A few layers of atoms on what is left open below them, for all that this can be.

What is left open are bits that may be anything. Their sums, of which the atoms above are made, are taken as
variables, as many as are independent. Of a few variables all values are gone through; a solver is given more,
and is no good at sums of hundreds of bits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain
from operator import xor

from finalist.netlist.tables import over
from finalist.prove.basis import linear
from finalist.prove.clauses import Clauses
from finalist.prove.cone import entries, operands
from finalist.prove.words import Words

#: Variables all of whose values are gone through: of an index and a key of eight bits each, and one more.
VARIABLES = 17


class Open:
    """Sums of open atoms as sums of variables, which are numbered as they come."""

    def __init__(self) -> None:
        self.count = 0
        #: By atom a sum of open atoms in which it is, and the variables whose sum that is.
        self._rows: dict[int, tuple[frozenset[int], frozenset[int]]] = {}

    def variables(self, atoms: frozenset[int]) -> frozenset[int]:
        """The variables whose sum a sum of open atoms is; one of its own, if it is none of those there."""
        rest, found = atoms, frozenset[int]()
        while (pivot := next((atom for atom in rest if atom in self._rows), None)) is not None:
            rest, found = rest ^ self._rows[pivot][0], found ^ self._rows[pivot][1]
        if not rest:
            return found
        own = frozenset((self.count,))
        self.count += 1
        self._rows[max(rest)] = rest, found | own
        return own


class TooManyError(Exception):
    """More variables than are gone through."""


class Tables:
    """The truth tables of bits over all values of the variables; ``made``: the atoms that are not open, an
    atom after those that it is made of; ``asked``: the bits. Raises TooManyError."""

    def __init__(self, words: Words, made: Collection[int], asked: Iterable[int]) -> None:
        self.words = words
        self._made, self._open = frozenset(made), Open()
        #: By set of atoms the variables of what is open of it.
        self._variables: dict[int, frozenset[int]] = {}
        for bit in chain(asked, chain.from_iterable(operands(words, atom) for atom in made)):
            self._count(bit >> 1)
        self._ones = (1 << (1 << self._open.count)) - 1
        self._atoms: dict[int, int] = {}
        for atom in made:
            self._atoms[atom] = self._atom(atom)

    def _count(self, number: int) -> None:
        if number not in self._variables:
            open_ = frozenset(self.words.store.sets[number]) - self._made
            self._variables[number] = self._open.variables(open_)
        if self._open.count > VARIABLES:
            raise TooManyError

    def bit(self, bit: int) -> int:
        """The truth table of a bit that was asked for."""
        tables = [linear(self._open.count, k) for k in self._variables[bit >> 1]]
        tables += [self._atoms[atom] for atom in self.words.store.sets[bit >> 1] if atom in self._made]
        return reduce(xor, tables, self._ones if bit & 1 else 0)

    def _atom(self, atom: int) -> int:
        kind, *rest = self.words.store.atoms[atom]
        tables = tuple(map(self.bit, operands(self.words, atom)))
        if kind == "named":
            return tables[0]
        if kind == "and":
            return tables[0] & tables[1]
        if kind == "majority":
            a, b, c = tables
            return a & b | a & c | b & c
        space, element = rest
        if kind == "read":
            size = len(self.words.spaces.indices[space])
            return self._read(tables[:size], tables[size:])
        vector = self.words.spaces.bases[space].vectors[element]
        if any(True for _ in entries(self.words, space, vector)):
            raise TooManyError
        return over(vector, tables, self._ones)

    def _read(self, index: Sequence[int], entries: Sequence[int]) -> int:
        """Of entries the one at an index: halved by a bit of it after the other."""
        for bit in index:
            pairs = zip(entries[::2], entries[1::2], strict=True)
            entries = [high & bit | low & ~bit for low, high in pairs]
        return entries[0]


class Cases:
    """Bits for each value of an index, as sums of the variables that are left; ``made``: as of `Tables`."""

    def __init__(self, words: Words, made: Collection[int], index: Sequence[int]) -> None:
        self.words, self.made, self.index = words, made, index
        self._opened, self._open = frozenset(made), Open()
        #: By bit of the index its variable; these come first.
        self._chosen = [self._open.variables(self._below(bit)) for bit in index]
        self._sums: dict[int, int] = {}

    def never(self, bit: int) -> bool:
        """Whether a bit is 0 at all values of the index. Raises TooManyError where products of variables are
        left at any."""
        if self._open.count < len(self.index) or any(self._taken_apart(one) for one in self.index):
            raise TooManyError
        return all(self._at(point, bit) == 0 for point in range(1 << len(self.index)))

    def _below(self, bit: int) -> frozenset[int]:
        return frozenset(self.words.store.sets[bit >> 1]) - self._opened

    def _taken_apart(self, bit: int) -> bool:
        return not self._opened.isdisjoint(self.words.store.sets[bit >> 1])

    def _at(self, point: int, bit: int) -> int:
        """The sum that a bit is where the index has a value: bit 0 is added, bit k + 1 is variable k."""
        known = sum(((point >> k ^ one) & 1) * (2 << k) for k, one in enumerate(self.index))
        atoms: dict[int, int] = {}
        for atom in self.made:
            atoms[atom] = self._atom(known, atoms, atom)
        return self._sum(known, atoms, bit)

    def _sum(self, known: int, atoms: Mapping[int, int], bit: int) -> int:
        number, chosen = bit >> 1, (2 << len(self.index)) - 2
        if number not in self._sums:
            self._sums[number] = sum(2 << k for k in self._open.variables(self._below(bit)))
        found = self._sums[number]
        found = found & ~chosen ^ (found & known).bit_count() & 1
        some = (atoms[atom] for atom in self.words.store.sets[number] if atom in self._opened)
        return reduce(xor, some, found) ^ bit & 1

    def _atom(self, known: int, atoms: Mapping[int, int], atom: int) -> int:
        kind, *rest = self.words.store.atoms[atom]
        if kind == "read":
            space, column = rest
            bits = [self._sum(known, atoms, bit) for bit in self.words.spaces.indices[space]]
            return self._sum(known, atoms, self.words.reads.column(column)[_number(bits)])
        values = [self._sum(known, atoms, bit) for bit in operands(self.words, atom)]
        if kind == "named":
            return values[0]
        if kind == "and":
            return _both(values[0], values[1])
        if kind == "majority":
            a, b, c = values
            return _both(a, b) ^ _both(a, c) ^ _both(b, c)
        space, element = rest
        vector, at = self.words.spaces.bases[space].vectors[element], _number(values)
        found: int = vector >> at & 1
        for value, one in entries(self.words, space, vector):
            found ^= self._sum(known, atoms, self.words.store.alone(one)) if value == at else 0
        return found


def _number(bits: Sequence[int]) -> int:
    """The number of bits that are known; raises TooManyError where one is not."""
    if any(bit > 1 for bit in bits):
        raise TooManyError
    return sum(bit << k for k, bit in enumerate(bits))


def _both(a: int, b: int) -> int:
    """The product of two sums, if it is one; raises TooManyError."""
    if a > 1 and b > 1 and a ^ b > 1:
        raise TooManyError
    if a > 1 and b > 1:
        return 0 if a ^ b else a
    return (b if a else 0) if a <= 1 else (a if b else 0)


class Local(Clauses):
    """Clauses that hold for the atoms ``made``, of which the others are open."""

    def __init__(self, words: Words, made: Iterable[int]) -> None:
        super().__init__(words)
        self._below = Open()
        self._variables: list[int] = []
        for atom in made:
            self._include(atom)

    def _total(self, atoms: Iterable[int]) -> int:
        """A literal that is the sum of atoms; of what is open a variable, or a sum of some that are there."""
        atoms = frozenset(atoms)
        some = [self.atoms[atom] for atom in sorted(atoms) if atom in self.atoms]
        below = sorted(self._below.variables(atoms.difference(self.atoms)))
        self._variables += [self._variable() for _ in range(len(self._variables), self._below.count)]
        some += [self._variables[k] for k in below]
        return self._sum(some) if some else -self.true
