"""Bits added up by columns, as multiplier trees are (Dadda 1965): one result for a multiset of bits.

A column of weight 2^k has all bits that count so much, and the carries out of the column below. Three of
them, in the order of their numbers, become one and a carry, until one is left. The lowest k columns alone
decide the lowest k bits; so a sum in limbs, each with the carry of the one below, ends in the same bits as
the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from finalist.ir.recoding import signed_digits
from finalist.prove.store import FALSE, TRUE, Store

#: Atoms of a bit of a sum that has no name of its own; of the lowest bit, which other code may make by XORs.
_LONG, _LONGEST = 3, 24
#: Partial products of a multiple; of signed digits one more.
_FEW = 2


def added(store: Store, columns: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The bits of the sum of columns, the lowest first, as many as there are columns."""
    found: list[int] = []
    carries: list[int] = []
    for column in columns:
        if not carries and len(column) < 2:
            found.append(*column or (FALSE,))
            continue
        bits, carries = _sorted([*column, *carries])
        alone = len(bits) < 2
        while len(bits) > 1:
            x, y, z, *rest = (*bits, FALSE) if len(bits) == 2 else bits
            carries.append(store.majority(x, y, z))
            bits = [*rest, store.total((x, y, z)) if z else store.xor(x, y)]
        total = bits[0] if bits else FALSE
        found.append(total if alone else store.named(total, _LONG if found else _LONGEST))
    return tuple(found)


def _sorted(bits: Iterable[int]) -> tuple[list[int], list[int]]:
    """The bits of a column in order, and the carries of those that are there twice, or with a complement:
    ``x + x = 2x``, ``x + ~x = 1``."""
    found = sorted(bits)
    if found and found[0] > TRUE and len({bit >> 1 for bit in found}) == len(found):
        return found, []
    counts: dict[int, int] = {}
    ones = 0
    for bit in found:
        if bit <= TRUE:
            ones += bit
        else:
            counts[bit] = counts.get(bit, 0) + 1
    carries: list[int] = []
    for bit in [bit for bit in counts if bit & 1 and bit ^ 1 in counts]:
        both = min(counts[bit], counts[bit ^ 1])
        ones += both
        counts[bit] -= both
        counts[bit ^ 1] -= both
    for bit, count in counts.items():
        carries += [bit] * (count // 2)
    carries += [TRUE] * (ones // 2)
    odd = sorted(bit for bit, count in counts.items() if count & 1)
    return ([TRUE, *odd] if ones & 1 else odd), carries


def side_by_side(words: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """A sum of words no two of which have bits of one weight is these bits, as of a rotation's parts; None
    where two have."""
    columns = [[bit for bit in column if bit != FALSE] for column in zip(*words, strict=True)]
    if any(len(column) > 1 for column in columns):
        return None
    return tuple(column[0] if column else FALSE for column in columns)


@lru_cache(maxsize=1 << 12)
def partial_products(times: int) -> tuple[tuple[int, int], ...]:
    """The shift and the sign of each row that a multiple is the sum of; none if there are too many.

    One row for each digit 1 of the absolute value where these are few, else for each signed digit where those
    are: modulo a smaller power of two they are the same rows but for the highest, so limbs have the bits of
    the whole.
    """
    sign, most = (1, times) if times > 0 else (-1, -times)
    rows = tuple((k, sign) for k in range(most.bit_length()) if most >> k & 1)
    digits = signed_digits(times)
    if len(rows) <= _FEW:
        return rows
    return digits if len(digits) <= min(_FEW + 1, len(rows) - 1) else ()
