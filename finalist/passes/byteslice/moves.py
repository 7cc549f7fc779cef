"""Which moves of slots take bytes of packs to where sums of them are made.

A move says of each slot which one it takes, or -1 for none. Terms by the same matrix share moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from finalist.ir.graph import Matrix

Move = tuple[int, ...]
Source = TypeVar("Source")
NONE = -1


class Moved(NamedTuple, Generic[Source]):
    """All of a pack's bytes moved, then mapped by a matrix."""

    source: Source
    move: Move
    matrix: Matrix


def composed(outer: Move, inner: Move) -> Move:
    """The move that is ``inner``, then ``outer``."""
    return tuple(NONE if at == NONE else inner[at] for at in outer)


def inverse(move: Move) -> Move | None:
    """The move back; None if there is none."""
    if sorted(move) != list(range(len(move))):
        return None
    return tuple(move.index(at) for at in range(len(move)))


def moves_of(terms: Sequence[Sequence[tuple[Source, int, Matrix]] | None]) -> list[Moved[Source]]:
    """The fewest moves that are found for the terms (source, slot, matrix) of each slot's sum.

    A slot with None is free: what it takes is of no account.
    """
    classes: dict[tuple[Source, Matrix], list[set[int]]] = {}
    for to, slot in enumerate(terms):
        for source, at, matrix in slot or ():
            classes.setdefault((source, matrix), [set() for _ in terms])[to].add(at)
    free = [slot is None for slot in terms]
    found: list[Moved[Source]] = []
    # What leaves no choice first: it says which choices are alike.
    for (source, matrix), wanted in sorted(classes.items(), key=lambda item: max(map(len, item[1]))):
        while any(wanted):
            move = _next(wanted, [other.move for other in found])
            for left, at in zip(wanted, move, strict=True):
                left.discard(at)
            fills = all(at != NONE or spare for at, spare in zip(move, free, strict=True))
            found.append(Moved(source, completed(move) if fills else move, matrix))
    return found


def _next(wanted: Sequence[set[int]], known: Sequence[Move]) -> Move:
    """A move that takes a source to each slot that still wants one, if possible like those known."""
    fitting = (move for move in _alike(known, len(wanted)) if _fits(move, wanted))
    chosen = next(fitting, None)
    if chosen is None:
        size = len(wanted)
        chosen = tuple(
            min(slot, key=lambda at, to=to: (at - to) % size) if slot else NONE  # type: ignore[misc]
            for to, slot in enumerate(wanted)
        )
    return tuple(at if slot else NONE for at, slot in zip(chosen, wanted, strict=True))


def _alike(known: Sequence[Move], size: int) -> Iterator[Move]:
    """No move, known ones, those back, and one after another."""
    yield tuple(range(size))
    backs = [back for move in known if (back := inverse(move)) is not None]
    firsts = list(dict.fromkeys([*known, *backs]))
    yield from firsts
    yield from (composed(a, b) for a in firsts for b in firsts)


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
