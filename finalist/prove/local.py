"""A few layers of atoms on what is left open below them, for all that this can be.

What is left open are bits that may be anything. Their sums, of which the atoms above are made, are taken as
variables, as many as are independent. Of a few variables all values are gone through; a solver is given more,
and is no good at sums of hundreds of bits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import reduce
from operator import xor

from finalist.netlist.tables import over
from finalist.prove.clauses import Clauses
from finalist.prove.cone import entries
from finalist.prove.spaces import linear
from finalist.prove.words import Words

#: Variables all of whose values are gone through.
VARIABLES = 14
_ONES = (1 << (1 << VARIABLES)) - 1


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
    atom after those that it is made of. Raises TooManyError."""

    def __init__(self, words: Words, made: Collection[int]) -> None:
        self.words, self.open = words, Open()
        self.atoms: dict[int, int] = {}
        for atom in made:
            self.atoms[atom] = self._atom(atom)

    def bit(self, bit: int) -> int:
        """The truth table of a bit."""
        atoms = self.words.store.sets[bit >> 1]
        variables = self.open.variables(frozenset(atom for atom in atoms if atom not in self.atoms))
        if self.open.count > VARIABLES:
            raise TooManyError
        found = reduce(xor, (linear(VARIABLES, k) for k in variables), _ONES if bit & 1 else 0)
        return reduce(xor, (self.atoms[atom] for atom in atoms if atom in self.atoms), found)

    def _atom(self, atom: int) -> int:
        kind, *rest = self.words.store.atoms[atom]
        if kind == "named":
            return self.bit(rest[0])
        if kind == "and":
            return self.bit(rest[0]) & self.bit(rest[1])
        if kind == "majority":
            a, b, c = map(self.bit, rest)
            return a & b | a & c | b & c
        space, element = rest
        vector = self.words.spaces.bases[space].vectors[element]
        if any(True for _ in entries(self.words, space, vector)):
            raise TooManyError
        return over(vector, tuple(map(self.bit, self.words.spaces.indices[space])), _ONES)


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
