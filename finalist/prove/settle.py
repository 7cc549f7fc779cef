"""What a SAT solver says of outputs that the store could not make the same bits."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from finalist.prove.bits import Word, bits_of
from finalist.prove.clauses import Clauses
from finalist.prove.cone import cone
from finalist.prove.evaluate import Valuation
from finalist.prove.solver import Answer, solve
from finalist.prove.store import FALSE
from finalist.prove.words import Words

#: Atoms that the differences of all outputs may have for a solver to be asked about them.
MOST = 20_000
#: Of a condition that is rarely met: atoms it may have, and how many of the first atoms that the program has
#: for itself are looked at; at how many points they are evaluated, how many are then asked for, and for how
#: many conflicts.
SMALL, LOOKED_AT, POINTS, ASKED, SHORTLY = 3_000, 4_000, 24, 48, 5_000

#: A key and data.
Found = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Sides:
    """The outputs of a definition and a program over one store; ``own``: the first atom that the definition
    has not; ``sizes``: the bytes of the key and of the data."""

    words: Words
    wanted: Sequence[Word]
    made: Sequence[Word]
    own: int
    sizes: tuple[int, int]

    @property
    def differences(self) -> list[int]:
        """Bits that are true where an output is not what it should be; none where all are the same."""
        xor = self.words.store.xor
        pairs = zip(self.wanted, self.made, strict=True)
        found = (xor(x, y) for a, b in pairs for x, y in zip(bits_of(a, 8), bits_of(b, 8), strict=True))
        return [bit for bit in dict.fromkeys(found) if bit != FALSE]

    # -- the whole ------------------------------------------------------------------------------

    def settle(self, shown: Callable[[Found], bool]) -> tuple[Answer, Found | None]:
        """Whether the outputs can differ; with a key and data on which they do, as ``shown`` says.

        Raises NoSolverError.
        """
        wrong = self.differences
        clauses = Clauses(self.words)
        if clauses.include(wrong, MOST):
            clauses.clauses.append([clauses.literal(bit) for bit in wrong])
            for assumed in (clauses.nothing_left(), []):
                answer, model = self._solved(clauses, assumed)
                found = self._read(clauses, model)
                if answer is Answer.MODEL and shown(found):
                    return answer, found
            if answer is Answer.NEVER:
                return answer, None
        rare = next(filter(shown, self._rare(wrong)), None)
        return (Answer.OPEN, None) if rare is None else (Answer.MODEL, rare)

    def _solved(self, clauses: Clauses, assumed: Sequence[int]) -> tuple[Answer, set[int]]:
        """A solver's answer, within the time that is left."""
        start = time.monotonic()
        found = solve(clauses.clauses, assumed, seconds=self.words.left)
        self.words.spend(time.monotonic() - start)
        return found

    def _read(self, clauses: Clauses, model: set[int]) -> Found:
        """Key and data of a model; what it says nothing of is 0."""
        found = {name: bytearray(size) for name, size in zip(("key", "data"), self.sizes, strict=True)}
        for atom, literal in clauses.atoms.items():
            kind, name, *rest = self.words.store.atoms[atom]
            if kind == "input" and name[0] in found and literal in model:
                found[name[0]][name[1]] |= 1 << rest[0]
        return bytes(found["key"]), bytes(found["data"])

    # -- conditions that are rarely met ---------------------------------------------------------

    def _rare(self, wrong: Sequence[int]) -> Iterator[Found]:
        """Keys and data on which a bit that only the program has is for once what it is not at random."""
        atoms = cone(self.words, wrong)
        assert atoms is not None
        first = [atom for atom in atoms if atom >= self.own][:LOOKED_AT]
        clauses = Clauses(self.words)
        small = [atom for atom in first if clauses.include([self._bit(atom)], SMALL)]
        for atom, usual in reversed(self._constant(small)[-ASKED:]):
            if self.words.left == 0:
                return
            literal = clauses.literal(self._bit(atom))
            assumed = [*clauses.nothing_left(), -literal if usual else literal]
            answer, model = solve(clauses.clauses, assumed, SHORTLY)
            if answer is Answer.MODEL:
                yield self._read(clauses, model)

    def _bit(self, atom: int) -> int:
        return self.words.store.alone(atom)

    def _constant(self, atoms: Sequence[int]) -> list[tuple[int, int]]:
        """The atoms that are one bit at all points tried, with that bit."""
        source = random.Random(1)
        rows = [self._point(source) for _ in range(POINTS)]
        values = [{row.bit(self._bit(atom)) for row in rows} for atom in atoms]
        return [(atom, min(found)) for atom, found in zip(atoms, values, strict=True) if len(found) == 1]

    def _point(self, source: random.Random) -> Valuation:
        key, data = map(source.randbytes, self.sizes)
        inputs = {("key", k): byte for k, byte in enumerate(key)}
        return Valuation(self.words, _Zeros(inputs | {("data", k): byte for k, byte in enumerate(data)}))


class _Zeros(dict[object, int]):
    """Inputs of which those that are neither key nor data are 0, as a simulator begins."""

    def __missing__(self, name: object) -> int:
        return 0
