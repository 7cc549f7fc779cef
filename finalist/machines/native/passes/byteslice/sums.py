"""Sums of moved words with as few operations as a greedy search finds: XORs, and moves.

As `finalist.passes.xors`, but what two sums have in common may be moved in one of them: a pair
of terms that lie equally far apart everywhere is added once, and the sum is moved. (C. Paar's algorithm,
"Optimized Arithmetic for Reed-Solomon Encoders", ISIT 1997, on words that move.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from finalist.machines.native.passes.byteslice.moves import Move, composed, inverse

#: A word, by its number, and how it is moved.
Term = tuple[int, Move]
Sum = frozenset[Term]
#: How many pairs that equally many sums have in common are tried, for the one that leaves the fewest moves.
_TRIED = 32


@dataclass(frozen=True, slots=True)
class Plan:
    """Words made one after the other, ``a ^ moved(b)``, numbered on from those given; then the sums."""

    steps: tuple[tuple[int, Term], ...]
    sums: tuple[Sum, ...]

    @property
    def cost(self) -> int:
        """XORs and moves."""
        taken = {term for _, term in self.steps} | {term for total in self.sums for term in total}
        moved = sum(1 for _, move in taken if move != tuple(range(len(move))))
        return len(self.steps) + sum(max(0, len(total) - 1) for total in self.sums) + moved


@lru_cache(maxsize=256)
def plan(sums: tuple[Sum, ...], words: int) -> Plan:
    """A plan for sums of ``words`` words."""
    search = _Search(sums, words)
    best = search.plan()
    while search.share():
        best = min(best, search.plan(), key=lambda made: made.cost)
    return best


class _Search:
    def __init__(self, sums: tuple[Sum, ...], words: int) -> None:
        self.sums = [set(total) for total in sums]
        self.words = words
        self.steps: list[tuple[int, Term]] = []

    def plan(self) -> Plan:
        """What there is by now."""
        return Plan(tuple(self.steps), tuple(frozenset(total) for total in self.sums))

    def share(self) -> bool:
        """Make the pair that most sums have in common a word; False if none has two of one."""
        found: dict[tuple[int, Term], dict[int, list[tuple[Term, Term]]]] = {}
        for number, total in enumerate(self.sums):
            for one, other in combinations(sorted(total), 2):
                for pair, terms in _pairs(one, other):
                    found.setdefault(pair, {}).setdefault(number, []).append(terms)
        counts = {pair: sum(_apart(terms) for terms in places.values()) for pair, places in found.items()}
        most = max(counts.values(), default=0)
        if most < 2:
            return False
        alike = sorted((pair for pair, count in counts.items() if count == most), key=_rank)
        best = min(alike[:_TRIED], key=lambda pair: len(self._after(pair, found[pair])._moves()))
        after = self._after(best, found[best])
        self.sums, self.words, self.steps = after.sums, after.words, after.steps
        return True

    def _after(self, pair: tuple[int, Term], places: dict[int, list[tuple[Term, Term]]]) -> _Search:
        """The search with that pair a word."""
        after = _Search((), self.words)
        after.sums, after.steps = [set(total) for total in self.sums], list(self.steps)
        after._replace(pair, places)
        return after

    def _moves(self) -> set[Term]:
        """All that is moved now."""
        terms = {term for total in self.sums for term in total} | {term for _, term in self.steps}
        return {term for term in terms if term[1] != tuple(range(len(term[1])))}

    def _replace(self, pair: tuple[int, Term], places: dict[int, list[tuple[Term, Term]]]) -> None:
        new = self.words
        self.words += 1
        self.steps.append(pair)
        for number, choices in places.items():
            total = self.sums[number]
            while left := [terms for terms in choices if total.issuperset(terms)]:
                one, other = min(left, key=lambda terms: self._moves_after(number, terms, new))
                total -= {one, other}
                total.add((new, one[1]))

    def _moves_after(self, number: int, terms: tuple[Term, Term], new: int) -> int:
        """How many words have to be moved if these terms are made of the new word."""
        total = self.sums[number]
        self.sums[number] = total - set(terms) | {(new, terms[0][1])}
        count = len(self._moves())
        self.sums[number] = total
        return count


def _pairs(one: Term, other: Term) -> Iterator[tuple[tuple[int, Term], tuple[Term, Term]]]:
    """The words ``a ^ moved(b)`` that two terms may be, moved as the first is."""
    for (a, move), (b, second) in ((one, other), (other, one)):
        back = inverse(move)
        if back is not None:
            # Moved by `move`, slot t is slot `move[t]` before: there has to be what `second` takes.
            yield (a, (b, composed(back, second))), ((a, move), (b, second))


def _apart(pairs: Iterable[tuple[Term, Term]]) -> int:
    """How many of the pairs have no term in common, taken as they come."""
    seen: set[Term] = set()
    count = 0
    for pair in pairs:
        if seen.isdisjoint(pair):
            seen.update(pair)
            count += 1
    return count


def _rank(pair: tuple[int, Term]) -> tuple[int, ...]:
    """Something to decide by, the same for the bits of a byte."""
    a, (b, move) = pair
    return abs(a - b), *move, a
