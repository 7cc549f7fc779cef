"""Which moves of slots take bytes of packs to where sums of them are made.

A move says of each slot which one it takes, or -1 for none. Bits of a byte may take different ones: where
the matrices of a sum's terms differ from slot to slot, as CRYPTON's masks do, its bits have more in common.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cache
from typing import TypeVar

from finalist.ir.graph import Matrix

Move = tuple[int, ...]
Source = TypeVar("Source", bound=Hashable)
Terms = Sequence[Sequence[tuple[Source, int, Matrix]] | None]
NONE = -1
#: Up to so many known moves are tried one after another, too: of a dense linear layer there are hundreds.
FEW = 100


def composed(outer: Move, inner: Move) -> Move:
    """The move that is ``inner``, then ``outer``."""
    return tuple(NONE if at == NONE else inner[at] for at in outer)


def inverse(move: Move) -> Move | None:
    """The move back; None if there is none."""
    if sorted(move) != list(range(len(move))):
        return None
    return tuple(move.index(at) for at in range(len(move)))


def sums_of(terms: Terms[Source], bits: int) -> list[set[tuple[Source, int, Move]]]:
    """For each of ``bits`` bits the sum of (source, bit, move) that gives each slot its terms' sum.

    ``terms``: of each slot (source, slot, matrix); a slot with None is free: what it takes is of no account.
    As few different moves are taken as are found.
    """
    search = _Search([slot is None for slot in terms])
    search.known += _of_matrices(terms)
    wanted: dict[tuple[Source, int, int], list[set[int]]] = {}
    for to, slot in enumerate(terms):
        for source, at, matrix in slot or ():
            for j, column in enumerate(matrix):
                for i in range(bits):
                    if column >> i & 1:
                        wanted.setdefault((source, i, j), [set() for _ in terms])[to].add(at)
    found: list[set[tuple[Source, int, Move]]] = [set() for _ in range(bits)]
    # What leaves no choice first: it says which choices are alike.
    for (source, i, j), slots in sorted(wanted.items(), key=lambda item: max(map(len, item[1]))):
        found[i] |= {(source, j, move) for move in search.moves(tuple(map(frozenset, slots)))}
    return found


def _of_matrices(terms: Terms[Source]) -> Iterator[Move]:
    """The moves of what every slot takes one of, by the same matrix."""
    classes: dict[tuple[Source, Matrix], dict[int, list[int]]] = {}
    for to, slot in enumerate(terms):
        for source, at, matrix in slot or ():
            classes.setdefault((source, matrix), {}).setdefault(to, []).append(at)
    for slots in classes.values():
        if all(len(ats) == 1 for ats in slots.values()):
            yield completed(tuple(slots[to][0] if to in slots else NONE for to in range(len(terms))))


class _Search:
    """Moves that take to each slot what it wants; where there is a choice, like others."""

    def __init__(self, free: Sequence[bool]) -> None:
        self.free = free
        self.known: list[Move] = []
        self.made: dict[tuple[frozenset[int], ...], list[Move]] = {}

    def moves(self, wanted: tuple[frozenset[int], ...]) -> list[Move]:
        """The moves by which each slot takes all that it wants, and no other."""
        if wanted not in self.made:
            self.made[wanted], left = [], [set(slot) for slot in wanted]
            while any(left):
                move = self._next(left)
                for slot, at in zip(left, move, strict=True):
                    slot.discard(at)
                self.made[wanted].append(move)
        return self.made[wanted]

    def _next(self, wanted: Sequence[set[int]]) -> Move:
        """A move that takes something to each slot that still wants it."""
        fitting = (move for move in _alike(self.known, len(wanted)) if _fits(move, wanted))
        chosen = next(fitting, None) or tuple(min(slot, default=NONE) for slot in wanted)
        move = tuple(at if slot else NONE for at, slot in zip(chosen, wanted, strict=True))
        if all(at != NONE or spare for at, spare in zip(move, self.free, strict=True)):
            move = completed(move)
        if move not in self.known:
            self.known.append(move)
        return move


def _alike(known: Sequence[Move], size: int) -> Iterator[Move]:
    """No move, known ones, those back, and one after another; then turns of all slots, or of some."""
    yield tuple(range(size))
    backs = [back for move in known if (back := inverse(move)) is not None]
    firsts = list(dict.fromkeys([*known, *backs]))
    yield from firsts
    if len(firsts) <= FEW:
        yield from (composed(a, b) for a in firsts for b in firsts)
    yield from _turns(size)


@cache
def _turns(size: int) -> tuple[Move, ...]:
    """Each digit of the slots' numbers turned, written to any bases that are powers of two."""
    powers = [1 << k for k in range(1, size.bit_length()) if not size % (1 << k)]
    strides = (1, *powers)
    return tuple(
        tuple(to + ((to // stride + by) % length - to // stride % length) * stride for to in range(size))
        for stride in strides
        for length in powers
        if not size % (stride * length)
        for by in range(1, length)
    )


def _fits(move: Move, wanted: Iterable[set[int]]) -> bool:
    return all(not slot or at in slot for at, slot in zip(move, wanted, strict=True))


def completed(move: Move) -> Move:
    """The move with the slots that take nothing filled: a permutation of all slots if it can be one."""
    taken = [at for at in move if at != NONE]
    if len(set(taken)) < len(taken):
        return move
    left = [at for at in range(len(move)) if at not in taken]
    filled = list(move)
    for to, at in enumerate(move):
        if at == NONE and to in left:
            filled[to] = to
            left.remove(to)
    return tuple(left.pop(0) if at == NONE else at for at in filled)
