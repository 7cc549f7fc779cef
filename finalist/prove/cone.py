"""The atoms that bits are made of."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any

from finalist.prove.words import Words


def cone(
    words: Words, bits: Iterable[int], most: int | None = None, done: Container[int] = ()
) -> list[int] | None:
    """All atoms that some bits depend on, an atom after those that it is made of; None where there are more
    than ``most``. ``done``: those that are left out, and what they depend on."""
    seen = {atom for bit in bits for atom in words.store.sets[bit >> 1] if atom not in done}
    waiting = list(seen)
    while waiting:
        if most is not None and len(seen) > most:
            return None
        for atom in made_of(words, waiting.pop()):
            if atom not in seen and atom not in done:
                seen.add(atom)
                waiting.append(atom)
    return sorted(seen)


def made_of(words: Words, atom: int) -> Iterator[int]:
    """The atoms that one is made of. All of them have lower numbers."""
    kind, *rest = words.store.atoms[atom]
    if kind == "function":
        space, element = rest
        vector = words.spaces.bases[space].vectors[element]
        yield from (entry for _, entry in entries(words, space, vector))
    for bit in operands(words, atom):
        yield from words.store.sets[bit >> 1]


def operands(words: Words, atom: int) -> Iterable[int]:
    """The bits that an atom is made of, but for entries that are not known."""
    kind, *rest = words.store.atoms[atom]
    return _BITS[kind](words, rest)


#: By kind of an atom the bits that it is made of.
_BITS: dict[str, Callable[[Words, Sequence[Any]], Iterable[int]]] = {
    "input": lambda words, rest: (),
    "named": lambda words, rest: rest,
    "and": lambda words, rest: rest,
    "majority": lambda words, rest: rest,
    "function": lambda words, rest: words.spaces.indices[rest[0]],
    "read": lambda words, rest: (*words.spaces.indices[rest[0]], *words.reads.column(rest[1])),
    "product": lambda words, rest: (*rest[0][0], *rest[0][1]),
    "multiple": lambda words, rest: rest[0],
    "remainder": lambda words, rest: (*rest[0], *rest[1]),
}


def entries(words: Words, space: int, vector: int) -> Iterator[tuple[int, int]]:
    """Of a function the points at which its entry is not known, each with an atom of the entry."""
    over = words.spaces.bases[space].over
    above = vector >> over.size
    while above:
        low = above & -above
        yield over.meanings[low.bit_length() - 1]
        above ^= low
