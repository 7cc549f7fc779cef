"""Words whose bits come from here and there: gathered bit by bit where that is cheaper than masks and shifts.

    (x & 4) << 2 | (y & 16) >> 3 | ...    ->    0 << 1 | x >> 2 & 1, << 1 | y >> 4 & 1, ...    brset, rola

A bit permutation of several words, such as DES's, is that; what costs less is known when both are covered.
"""

from __future__ import annotations

from collections.abc import Callable

from finalist.ir.ops import Op
from finalist.isa.target.meaning import Leaf, Term, constant

#: For each bit of a word, the lowest first, the word that it is of and its place there; None for 0.
Wires = tuple[tuple[Term, int] | None, ...]


def gathered(term: Term, width: int, cost: Callable[[Term], int]) -> Term:
    """The term, with those parts gathered bit by bit that cost less then."""
    if isinstance(term.op, Leaf):
        return term
    found = wires(term, width)
    if found is not None and not _is_plain(found):
        other = _bit_by_bit(found)
        return other if cost(other) < cost(term) else term
    args = tuple(gathered(arg, width, cost) if arg.width <= width else arg for arg in term.args)
    same = all(a is b for a, b in zip(args, term.args, strict=True))
    return term if same else Term(term.op, args, term.attr, term.lane, term.width)


def wires(term: Term, width: int) -> Wires | None:
    """Where the bits of a word come from, if each is one of a word in memory, or 0."""
    if term.op is Leaf.REGISTER and not isinstance(term.attr, str):
        return tuple((term, place) for place in range(width))
    if term.op not in (Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR):
        return None
    a, b = term.args
    one = wires(a, width)
    if one is None:
        return None
    if term.op in (Op.OR, Op.XOR):
        other = wires(b, width)
        both = other is not None and any(x and y for x, y in zip(one, other, strict=True))
        return None if other is None or both else tuple(x or y for x, y in zip(one, other, strict=True))
    if b.number is None:
        return None
    if term.op is Op.AND:
        return tuple(x if b.number >> place & 1 else None for place, x in enumerate(one))
    none = (None,) * min(b.number, width)
    return (*none, *one)[:width] if term.op is Op.SHL else (*one[b.number :], *none)


def _is_plain(found: Wires) -> bool:
    """Whether all bits are of one word, and move together."""
    return len({(word, place - k) for k, wire in enumerate(found) if wire for word, place in [wire]}) < 2


def _bit_by_bit(found: Wires) -> Term:
    total = constant(0)
    for wire in reversed(found):
        total = total << 1
        if wire is not None:
            word, place = wire
            total = total | (word >> place & 1 if place else word & 1)
    return total
