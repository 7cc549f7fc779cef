"""Truth tables of bits that may not be known.

What the bits do to a function by XORs alone is taken out first: a function of n bits is a sum of some of
them, and a function of fewer sums. So a table in which an XOR with a key has gone is the one of the XOR.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce

from finalist.netlist.tables import monomials, needed, over
from finalist.passes.matrices import independent
from finalist.prove.store import FALSE, TRUE
from finalist.prove.words import Words

#: Of three bits: whether two of them are 1.
_MAJORITY = 0xE8
#: Of a function: the mask of inputs that are added to it and whether it is complemented, the masks of inputs
#: whose sums it is a function of, and its truth table over these.
_Split = tuple[int, tuple[int, ...], int]


def table(words: Words, truth: int, bits: Sequence[int]) -> int:
    """The bit that a truth table gives, that of inputs 0 lowest."""
    truth, bits = _distinct(truth, bits)
    if len(bits) < 2:
        return (bits[0] ^ (truth & 1)) if bits else truth & 1
    for bit in bits:
        words.spaces.find(bit)
    found = words.spaces.tables(bits)
    if found is not None:
        space, tables, ones = found
        vector = over(truth, tables, ones)
        return words.spaces.function(space, vector) if vector else FALSE
    made = _reduced(words, truth, bits)
    name = words.store.names.get(made >> 1)
    return made if name is None else name ^ (made & 1)


def _distinct(truth: int, bits: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """The table of bits that are not known, none of them complemented, none there twice, all of which it
    depends on."""
    if len(set(bits)) == len(bits) and not any(bit & 1 or bit == FALSE for bit in bits):
        names, pattern = tuple(bits), tuple(range(2, 2 * len(bits) + 2, 2))
    else:
        names = tuple(dict.fromkeys(bit & ~1 for bit in bits if bit > TRUE))
        place = {name: 2 * k + 2 for k, name in enumerate(names)} | {FALSE: 0}
        pattern = tuple(place[bit & ~1] | bit & 1 for bit in bits)
    made, left = _pattern(truth, pattern)
    return made, names if len(left) == len(names) else tuple(names[k] for k in left)


@lru_cache(maxsize=1 << 16)
def _pattern(truth: int, bits: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The same of bits by numbers: 0 and 1 are known, 2 and 3 the first and its complement, and so on."""
    count = max(bits, default=0) >> 1
    made = 0
    for point in range(1 << count):
        values = [0, *(point >> k & 1 for k in range(count))]
        at = sum((values[bit >> 1] ^ bit & 1) << k for k, bit in enumerate(bits))
        made |= (truth >> at & 1) << point
    return needed(made, range(count))


def _reduced(words: Words, truth: int, bits: Sequence[int]) -> int:
    """A table of at least two bits, as a sum and a function of sums."""
    store = words.store
    if len(bits) == 3:
        for odd in range(1 << 4):
            if truth == _majority(odd):
                return store.majority(*(bit ^ (odd >> k & 1) for k, bit in enumerate(bits))) ^ (odd >> 3)
    added, forms, inner = split(truth, len(bits))
    total = reduce(store.xor, _chosen(bits, added), added >> len(bits))
    # One by one, so that a sum of functions of one index is known to be such a function.
    literals = [reduce(store.xor, _chosen(bits, form)) for form in forms]
    if not forms:
        return total
    if len(forms) < len(bits):
        return store.xor(total, table(words, inner, literals))
    return store.xor(total, _polynomial(words, inner, literals))


def _chosen(bits: Sequence[int], mask: int) -> list[int]:
    return [bit for k, bit in enumerate(bits) if mask >> k & 1]


@lru_cache
def _majority(odd: int) -> int:
    """Whether two of three bits are 1, some of them complemented, or the result."""
    truth = 0
    for point in range(8):
        truth |= ((_MAJORITY >> (point ^ (odd & 7)) & 1) ^ (odd >> 3)) << point
    return truth


@lru_cache(maxsize=1 << 14)
def split(truth: int, bits: int) -> _Split:
    """The sums that a function can be written in.

    The directions in which it changes always or never are a space; what is left depends on the sums that are
    0 in all of these. The mask of what is added has one bit more: that the result is complemented.
    """
    size = 1 << bits
    directions: dict[int, int] = {0: 0}
    for step in range(1, size):
        changes = {(truth >> point ^ truth >> (point ^ step)) & 1 for point in range(size)}
        if len(changes) == 1:
            directions[step] = changes.pop()
    added = next(
        mask
        for mask in sorted(range(size), key=lambda mask: (mask.bit_count(), mask))
        if all((mask & step).bit_count() & 1 == changed for step, changed in directions.items())
    )
    free = [form for form in range(1, size) if all(not (form & step).bit_count() & 1 for step in directions)]
    forms = independent(sorted(free, key=lambda form: (form.bit_count(), form)))
    rest = 0
    for point in range(size):
        rest |= ((truth >> point ^ (point & added).bit_count()) & 1) << point
    inner = 0
    for point in range(size):
        if rest >> point & 1:
            inner |= 1 << sum(((form & point).bit_count() & 1) << k for k, form in enumerate(forms))
    if len(forms) == 0 and inner:
        return added | size, (), 0
    return added, tuple(forms), inner


def _polynomial(words: Words, truth: int, bits: Sequence[int]) -> int:
    """A function as a sum of products of its bits, each product in the order of their numbers."""
    store = words.store
    order = sorted(range(len(bits)), key=lambda k: bits[k])
    terms = []
    for chosen in monomials(truth, len(bits)):
        factors = [bits[k] for k in order if chosen >> k & 1]
        product = TRUE
        for factor in factors:
            product = _both(words, product, factor)
        terms.append(product)
    return store.total(terms)


def _both(words: Words, a: int, b: int) -> int:
    """The product of two bits: of the products of two of ``a``, ``b`` and ``a ^ b``, any of which gives it,
    by one that is there already, else by that of the first."""
    store = words.store
    x, y = a & ~1, b & ~1
    if not x or not y or x == y:
        return store.both(a, b)
    both = store.xor(x, y)
    pairs = (min(x, y), max(x, y)), (min(x, both), max(x, both)), (min(y, both), max(y, both))
    if pairs[0] in store.products:
        return store.both(a, b)
    for beside, pair in ((x, pairs[1]), (y, pairs[2])):
        if pair in store.products:
            store.products[pairs[0]] = store.xor(beside, store.products[pair])
            break
    return store.both(a, b)
