"""Bits of a store as clauses, for a SAT solver (Tseitin 1968).

Each atom is a variable, each sum of atoms a chain of XORs. Products are multiplied out, with the store's own
gates. A remainder is left open: whatever holds with any word for it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from finalist.prove.bits import Bits, bits_of
from finalist.prove.columns import added
from finalist.prove.cone import cone, entries
from finalist.prove.words import Words

#: Inputs of an XOR that is written out as clauses.
_TOGETHER = 4
#: Inputs that a processor finds there.
_LEFT = ("register", "memory", "bank", "wire")


class Clauses:
    """Clauses that hold for the values of bits, in DIMACS literals."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.clauses: list[list[int]] = []
        self.variables = 0
        #: By atom and by set of atoms the variable that it is.
        self.atoms: dict[int, int] = {}
        self.sets: dict[int, int] = {}
        self.true = self._variable()
        self.clauses.append([self.true])

    def _variable(self) -> int:
        self.variables += 1
        return self.variables

    def literal(self, bit: int) -> int:
        """The literal of a bit, whose atoms have to be there."""
        number = bit >> 1
        if not number:
            found = -self.true
        elif number in self.sets:
            found = self.sets[number]
        else:
            found = self.sets[number] = self._total(self.words.store.sets[number])
        return -found if bit & 1 else found

    def _total(self, atoms: Iterable[int]) -> int:
        """A literal that is the sum of atoms."""
        return self._sum([self.atoms[atom] for atom in sorted(atoms)])

    def _sum(self, literals: Sequence[int]) -> int:
        """A literal that is the XOR of some."""
        waiting = list(literals)
        while len(waiting) > 1:
            some, waiting = waiting[:_TOGETHER], waiting[_TOGETHER:]
            made = self._variable()
            self.clauses += even([*some, made])
            waiting.append(made)
        return waiting[0]

    def nothing_left(self) -> list[int]:
        """That whatever is neither key nor data is 0: registers and memory before the program."""
        inputs = ((self.words.store.atoms[atom], literal) for atom, literal in self.atoms.items())
        return [-literal for (kind, *rest), literal in inputs if kind == "input" and rest[0][0] in _LEFT]

    # -- atoms ----------------------------------------------------------------------------------

    def include(self, bits: Iterable[int], most: int | None = None) -> bool:
        """Add what some bits depend on; false, and nothing added, where that is more than ``most`` atoms."""
        atoms = cone(self.words, bits, most, self.atoms)
        for atom in atoms or ():
            self._include(atom)
        return atoms is not None

    def _include(self, atom: int) -> None:
        kind, *rest = self.words.store.atoms[atom]
        if kind == "product":
            self.atoms[atom] = self._by_columns(rest[0][0], rest[0][1], rest[1])
        elif kind == "multiple":
            self.atoms[atom] = self._by_columns(rest[0], bits_of(rest[1], rest[2] + 1), rest[2])
        elif kind == "named":
            self.atoms[atom] = self.literal(rest[0])
        else:
            made = self.atoms[atom] = self._variable()
            if kind == "and":
                a, b = map(self.literal, rest)
                self.clauses += conjunction(made, a, b)
            elif kind == "majority":
                a, b, c = map(self.literal, rest)
                self.clauses += majority(made, a, b, c)
            elif kind == "function":
                self._function(made, *rest)
            elif kind == "read":
                self._read(made, *rest)

    def _function(self, made: int, space: int, element: int) -> None:
        """For each value of the index the entry."""
        words = self.words
        index = [self.literal(bit) for bit in words.spaces.indices[space]]
        vector = words.spaces.bases[space].vectors[element]
        unknown: dict[int, list[int]] = {}
        for point, atom in entries(words, space, vector):
            unknown.setdefault(point, []).append(atom)
        for point in range(1 << len(index)):
            other = [-one if point >> k & 1 else one for k, one in enumerate(index)]
            odd = vector >> point & 1
            if point not in unknown:
                self.clauses.append([*other, made if odd else -made])
                continue
            entry = self._total(unknown[point])
            entry = -entry if odd else entry
            self.clauses += [[*other, -made, entry], [*other, made, -entry]]

    def _read(self, made: int, space: int, number: int) -> None:
        """For each value of the index the entry of a column that is opaque."""
        index = [self.literal(bit) for bit in self.words.spaces.indices[space]]
        for point, bit in enumerate(self.words.reads.column(number)):
            other = [-one if point >> k & 1 else one for k, one in enumerate(index)]
            entry = self.literal(bit)
            self.clauses += [[*other, -made, entry], [*other, made, -entry]]

    def _by_columns(self, a: Bits, b: Bits, k: int) -> int:
        """Bit ``k`` of a product, its partial products added by columns."""
        store = self.words.store
        columns: list[list[int]] = [[] for _ in range(k + 1)]
        for i, x in enumerate(a[: k + 1]):
            for j, y in enumerate(b[: k + 1 - i]):
                columns[i + j].append(store.both(x, y))
        bit = added(store, columns)[k]
        self.include([bit])
        return self.literal(bit)


def conjunction(made: int, a: int, b: int) -> list[list[int]]:
    """That a literal is the AND of two."""
    return [[-made, a], [-made, b], [made, -a, -b]]


def majority(made: int, a: int, b: int, c: int) -> list[list[int]]:
    """That a literal is the majority of three."""
    return [clause for x, y in ((a, b), (b, c), (a, c)) for clause in ([-x, -y, made], [x, y, -made])]


def even(literals: Sequence[int]) -> list[list[int]]:
    """That the XOR of some literals is 0: no assignment of odd parity."""
    return [
        [-one if point >> k & 1 else one for k, one in enumerate(literals)]
        for point in range(1 << len(literals))
        if point.bit_count() & 1
    ]
