"""Gates of up to three inputs, as the gates of two inputs that they stand for.

A function of three bits is that of one bit and of a function of the other two where it can be; a majority; a
choice between two bits by the third; else the sum of products of its inputs.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from finalist.netlist.tables import halves, monomials
from finalist.prove.store import FALSE, TRUE, Store

#: Inputs of the widest gate; a function of more is one of an index.
GATE = 3
#: The products of a majority of three, each as the set of its factors.
MAJORITY = frozenset({0b011, 0b101, 0b110})


def gate(store: Store, table: int, bits: tuple[int, ...]) -> int:
    """The bit that a truth table gives; bit k of an entry's number is ``bits[k]``. Two bits, or three."""
    if len(bits) < 3:
        return _sum(store, monomials(table, len(bits)), bits)
    found = _in_two_steps(store, table, bits)
    if found is None:
        found = _majority(store, table, bits)
    if found is None:
        found = _choice(store, table, bits)
    return _sum(store, monomials(table, 3), bits) if found is None else found


def _sum(store: Store, terms: Iterable[int], bits: tuple[int, ...]) -> int:
    total = FALSE
    for term in terms:
        factors = sorted(bit for k, bit in enumerate(bits) if term >> k & 1)
        total = store.xor(total, reduce(store.both, factors, TRUE))
    return total


def _in_two_steps(store: Store, table: int, bits: tuple[int, ...]) -> int | None:
    """A function of a bit and of a function of the others."""
    for k, last in enumerate(bits):
        low, high = halves(table, k, 3)
        inner = low if low not in (0, 15) else high
        if any(half not in (0, 15, inner, inner ^ 15) for half in (low, high)):
            continue
        first = _sum(store, monomials(inner, 2), (*bits[:k], *bits[k + 1 :]))
        outer = sum(
            ((half == 15 or half == (inner if value else inner ^ 15)) and half != 0) << (value | side << 1)
            for side, half in enumerate((low, high))
            for value in (0, 1)
        )
        return _sum(store, monomials(outer, 2), (first, last))
    return None


def _majority(store: Store, table: int, bits: tuple[int, ...]) -> int | None:
    """A majority; of one complement it is maj(~a, b, c) = maj(a, b, c) ^ b ^ c."""
    terms = frozenset(monomials(table, 3))
    linear = {k for k in range(3) if 1 << k in terms}
    if not terms >= MAJORITY or 0b111 in terms or len(linear) not in (0, 2):
        return None
    odd = next(iter({0, 1, 2} - linear)) if linear else None
    return store.majority(*(bit ^ (k == odd) for k, bit in enumerate(bits))) ^ (0 in terms)


def _choice(store: Store, table: int, bits: tuple[int, ...]) -> int | None:
    """One of two bits, each perhaps complemented, by the third."""
    single = {0b1010: (0, 0), 0b0101: (0, 1), 0b1100: (1, 0), 0b0011: (1, 1)}
    for k, condition in enumerate(bits):
        chosen = [single.get(half) for half in halves(table, k, 3)]
        others = (*bits[:k], *bits[k + 1 :])
        if None not in chosen:
            low, high = (others[which] ^ odd for which, odd in filter(None, chosen))
            return store.choose(condition, high, low)
    return None
