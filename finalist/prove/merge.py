"""Bits of hardware that are bits of the definition in another form: found at random, proved by a solver.

A mapper moves XORs through logic, so that its bits are products of others. All sums that the definition has
made are evaluated at random; a bit that only the circuit has, and that agrees with one of them there, is
asked about. What a few layers below both are made of is left open: bits that are the same whatever these are,
are the same (Kuehlmann and others 2002). From then on the definition's stands for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from finalist.prove.cone import made_of
from finalist.prove.local import Cases, Local, Tables, TooManyError
from finalist.prove.points import Points
from finalist.prove.solver import Answer, NoSolverError, solve
from finalist.prove.words import Words

#: Levels of the definition's atoms that are taken apart, one attempt after the other; atoms that there may be
#: of them, and conflicts after which an attempt ends.
LEVELS, MOST, CONFLICTS = (1, 2), 400, 1_000
#: What is not taken apart.
_WHOLE = ("input", "product", "multiple", "remainder")


class Merger:
    """The bits of a store that a definition has made, and those that are found to be the same."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.own = len(words.store.atoms)
        self.sets = len(words.store.sets)
        self.asked = 0
        self.merged: dict[int, int] = {}
        #: Of the definition's atoms how many are made of one another below each, and itself.
        self._levels: list[int] = []
        for atom in range(self.own):
            below = (self._levels[one] for one in made_of(words, atom))
            self._levels.append(1 + max(below, default=0))
        self.points = Points(words)
        #: By their values, complemented so that the first is 0, the definition's sets of atoms.
        self._known: dict[int, int] = {}
        for number in range(self.sets):
            self._known.setdefault(self._plain(self.points.bit(2 * number)), number)

    def same(self, bit: int) -> int:
        """The definition's bit that is the same as one, or that one."""
        number = bit >> 1
        if number < self.sets:
            return bit
        found = self.merged.get(number)
        if found is None:
            found = self.merged[number] = self._same(number)
        return found ^ bit & 1

    def _same(self, number: int) -> int:
        values = self.points.bit(2 * number)
        other = self._known.get(self._plain(values))
        if other is None:
            return 2 * number
        candidate = 2 * other | (values ^ self.points.bit(2 * other)) & 1
        return candidate if self._equal(2 * number, candidate) else 2 * number

    def _plain(self, values: int) -> int:
        return values ^ self.points.ones if values & 1 else values

    # -- proved ---------------------------------------------------------------------------------

    def _equal(self, a: int, b: int) -> bool:
        """Whether two bits are the same whatever those are that lie some levels below them."""
        difference = self.words.store.xor(a, b)
        if difference >> 1 == 0:
            return difference == 0
        top = max((self._levels[atom] for atom in self.words.store.sets[b >> 1]), default=0)
        for levels in LEVELS:
            parts = self._parts(self.words.store.sets[difference >> 1], top - levels)
            if parts is None:
                return False
            answer = self._answer(parts, difference)
            if answer is not Answer.MODEL:
                return answer is Answer.NEVER
        return False

    def _answer(self, parts: Sequence[int], difference: int) -> Answer:
        """Whether a bit can be true: all values of what it is made of are tried, or of an index that chooses
        among the rest, or else a solver is asked."""
        with suppress(TooManyError):
            return Answer.MODEL if Tables(self.words, parts, [difference]).bit(difference) else Answer.NEVER
        for index in self._indices(parts):
            with suppress(TooManyError):
                return Answer.NEVER if Cases(self.words, parts, index).never(difference) else Answer.MODEL
        clauses = Local(self.words, parts)
        clauses.clauses.append([clauses.literal(difference)])
        try:
            answer = solve(clauses.clauses, (), CONFLICTS)[0]
        except NoSolverError:
            return Answer.OPEN
        self.asked += 1
        return answer

    def _indices(self, parts: Iterable[int]) -> Iterable[Sequence[int]]:
        """The indices at which a column is read."""
        atoms = (self.words.store.atoms[atom] for atom in parts)
        spaces = dict.fromkeys(space for kind, space, *_ in atoms if kind == "read")
        return [self.words.spaces.indices[space] for space in spaces]

    def _parts(self, atoms: Iterable[int], least: int) -> list[int] | None:
        """The atoms that are taken apart: all that only the circuit has, and of the definition's those that
        lie above a level. None where there are too many."""
        waiting = list(atoms)
        opened: set[int] = set()
        while waiting:
            atom = waiting.pop()
            if atom in opened or self.words.store.atoms[atom][0] in _WHOLE:
                continue
            if atom < self.own and self._levels[atom] <= least:
                continue
            opened.add(atom)
            if len(opened) > MOST:
                return None
            waiting += made_of(self.words, atom)
        return sorted(opened)
