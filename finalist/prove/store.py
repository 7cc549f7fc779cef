"""Bits as sums of atoms over GF(2): equal bits, so far as hashing can tell, are one number.

A bit is a *literal*: twice the number of a set of atoms, plus 1 where it is complemented; 0 is false, 1 true.
An atom is an input, a product of two bits, a majority of three, a function of an index (see
`finalist.prove.spaces`), or a bit of a word that is opaque (`finalist.prove.reads`). Sets of atoms are
what makes XORs, and with them all linear maps, canonical whatever their order; products take complements
apart (``a & ~b = a ^ (a & b)``), so that gates of any kind are sums of products of positive bits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

#: Two bits that are known.
FALSE, TRUE = 0, 1
#: Atoms of a set that it takes longer to add than to find what was made of it.
_LONG = 32


class Store:
    """All bits made so far, of both sides of a proof."""

    def __init__(self) -> None:
        #: The atoms of a sum, in order: tuples take a fifth of the memory of sets.
        self.sets: list[tuple[int, ...]] = [()]
        self.ids: dict[tuple[int, ...], int] = {(): 0}
        #: What each atom is: a kind, and what that is made of.
        self.atoms: list[tuple[Any, ...]] = []
        self.made: dict[tuple[Any, ...], int] = {}
        #: For a set of atoms the spaces that it is a function of, and its truth table there.
        self.members: dict[int, dict[int, int]] = {}
        #: Makes a bit of a space of its truth table; set by `finalist.prove.spaces.Spaces`.
        self.function: Callable[[int, int], int] | None = None
        self.products: dict[tuple[int, int], int] = {}
        self.names: dict[int, int] = {}
        #: Sums of two sets of many atoms, by their numbers: the program after a pass adds most of them again.
        self.long: dict[tuple[int, int], int] = {}
        #: Whether circuits of gates are carried out, which make sums bit by bit.
        self.gates = False
        #: By set of atoms the name that stands for it wherever it comes up.
        self.aliases: dict[int, int] = {}

    # -- making bits ----------------------------------------------------------------------------

    def atom(self, key: tuple[Any, ...]) -> int:
        """The bit that is this atom alone."""
        known = self.made.get(key)
        if known is None:
            number = len(self.atoms)
            self.atoms.append(key)
            known = self.made[key] = 2 * self.interned((number,))
        return known

    def alone(self, atom: int) -> int:
        """The bit that is the atom of a number alone."""
        return 2 * self.ids[atom,]

    def interned(self, atoms: tuple[int, ...]) -> int:
        """The number of a set, of its atoms in order."""
        number = self.ids.get(atoms)
        if number is None:
            number = self.ids[atoms] = len(self.sets)
            self.sets.append(atoms)
        return number

    def xor(self, a: int, b: int) -> int:
        """The sum of two bits."""
        i, j, odd = a >> 1, b >> 1, (a ^ b) & 1
        if i == j:
            return odd
        if not i or not j:
            return 2 * (i | j) | odd
        number = self._added(i, j)
        if number in self.aliases:
            return self.aliases[number] | odd
        if i in self.members and j in self.members:
            self._join(number, self.members[i], self.members[j])
        return 2 * number | odd

    def _added(self, i: int, j: int) -> int:
        """The number of the set of what is in one of two."""
        a, b = self.sets[i], self.sets[j]
        if len(a) < _LONG or len(b) < _LONG:
            return self.interned(_difference(a, b))
        key = (i, j) if i < j else (j, i)
        number = self.long.get(key)
        if number is None:
            number = self.long[key] = self.interned(_difference(a, b))
        return number

    def named(self, bit: int, most: int) -> int:
        """A bit as one atom if it is the sum of more than ``most``: so that what is made of sums of words
        stays short. Whatever has a name keeps it."""
        number = bit >> 1
        name = self.names.get(number)
        if name is None:
            short = len(self.sets[number]) <= most or number in self.members
            name = self.names[number] = 2 * number if short else self.atom(("named", 2 * number))
        return name | bit & 1

    def alias(self, bit: int, most: int) -> int:
        """The same, and the name stands from now on for every sum that comes out as this bit: so that what is
        stored and taken up again, over and over, stays short whichever side makes it."""
        name = self.named(bit, most)
        if name != bit:
            self.aliases[bit >> 1] = name & ~1
        return name

    def total(self, bits: Iterable[int]) -> int:
        """The sum of any number of bits."""
        odd, atoms, numbers = 0, set[int](), []
        for bit in bits:
            odd ^= bit & 1
            numbers.append(bit >> 1)
            atoms.symmetric_difference_update(self.sets[bit >> 1])
        number = self.interned(tuple(sorted(atoms)))
        if number and number not in self.members:
            self._join_all(number, numbers)
        return self.aliases.get(number, 2 * number) | odd

    def _join_all(self, number: int, parts: Iterable[int]) -> None:
        """Note that a sum of functions of a space is one."""
        found: dict[int, int] | None = None
        for part in parts:
            if part:
                own = self.members.get(part, {})
                found = (
                    dict(own) if found is None else {s: found[s] ^ own[s] for s in found.keys() & own.keys()}
                )
                if not found:
                    return
        if found:
            self.members[number] = found

    def _join(self, number: int, first: Mapping[int, int], second: Mapping[int, int]) -> None:
        """Note that a sum of two functions of a space is one."""
        for space in first.keys() & second.keys():
            self.members.setdefault(number, {}).setdefault(space, first[space] ^ second[space])

    def both(self, a: int, b: int) -> int:
        """The product of two bits."""
        i, j = a & ~1, b & ~1
        if not i or not j:
            return (b if a else 0) if not i else (a if b else 0)
        if i == j:
            return a if a == b else FALSE
        found = self._product(i, j) if i < j else self._product(j, i)
        if b & 1:
            found = self.xor(found, i)
        if a & 1:
            found = self.xor(found, j)
        return found ^ (a & b & 1)

    def _product(self, a: int, b: int) -> int:
        """The product of two positive bits, the lesser first."""
        known = self.products.get((a, b))
        if known is None:
            known = self._as_function(a >> 1, b >> 1)
            self.products[a, b] = known = self.atom(("and", a, b)) if known is None else known
        return known

    def exclude(self, a: int, b: int) -> None:
        """Note that two bits are never both true: their product is 0."""
        i, j = a & ~1, b & ~1
        if i and j and i != j:
            # The product of the positive bits, as `both` takes complements apart.
            table = {(0, 0): FALSE, (1, 0): j, (0, 1): i, (1, 1): self.xor(self.xor(i, j), TRUE)}
            self.products.setdefault((min(i, j), max(i, j)), table[a & 1, b & 1])

    def multiply(self, a: int, b: int, product: int) -> None:
        """Note what the product of two bits is."""
        i, j = a & ~1, b & ~1
        if i and j and i != j:  # of positive bits, as `both` takes complements apart
            product = self.xor(product, i) if b & 1 else product
            product = self.xor(product, j) if a & 1 else product
            self.products[min(i, j), max(i, j)] = product ^ (a & b & 1)

    def _as_function(self, i: int, j: int) -> int | None:
        """The product of two functions of one space, if they share any."""
        first, second = self.members.get(i), self.members.get(j)
        if first is None or second is None or self.function is None:
            return None
        shared = first.keys() & second.keys()
        if not shared:
            return None
        space = min(shared)
        table = first[space] & second[space]
        return self.function(space, table) if table else FALSE

    def either(self, a: int, b: int) -> int:
        """Whether one of two bits is true."""
        return self.both(a ^ 1, b ^ 1) ^ 1

    def choose(self, c: int, a: int, b: int) -> int:
        """``a`` if ``c``, else ``b``."""
        if a == b:
            return a
        return self.xor(b, self.both(c, self.xor(a, b)))

    def majority(self, a: int, b: int, c: int) -> int:
        """Whether two of three are true, whatever their order: an atom where nothing is known of them."""
        a, b, c = sorted((a, b, c))
        if a <= TRUE:
            return self.either(b, c) if a else self.both(b, c)
        odd = (a & 1) + (b & 1) + (c & 1) > 1  # of the complements of three it is the complement
        key = "majority", a ^ odd, b ^ odd, c ^ odd
        found = self.made.get(key)
        if found is not None:
            return found ^ odd
        if self._is_known(a, b) or self._is_known(b, c) or self._is_known(a, c):
            return self.xor(self.xor(self.both(a, b), self.both(b, c)), self.both(a, c))
        if not self.gates:
            return self.atom(key) ^ odd
        made = self._made_of_gates(key[1:])
        if made is None:
            made = self.atom(key)
            self._note_products(made, key[1:])
        return made ^ odd

    # -- circuits -------------------------------------------------------------------------------

    def find_majorities(self) -> None:
        """From now on, majorities are found that are made of gates, too."""
        self.gates = True
        for kind, *rest in list(self.atoms):
            if kind == "majority":
                self._note_products(self.made[kind, *rest], rest)

    def _note_products(self, majority: int, bits: Sequence[int]) -> None:
        """Note the products that a majority is with one of its bits added."""
        for x, i, j in self._pivots(bits):
            whole = self.xor(majority, x)
            whole = self.xor(whole, j & ~1) if i & 1 else whole
            whole = self.xor(whole, i & ~1) if j & 1 else whole
            if i > TRUE and j > TRUE and i >> 1 != j >> 1:
                self.products.setdefault((min(i, j) & ~1, max(i, j) & ~1), whole ^ (i & j & 1))

    def _made_of_gates(self, bits: Sequence[int]) -> int | None:
        """A majority of which such a product is there."""
        for x, i, j in self._pivots(bits):
            if (min(i, j) & ~1, max(i, j) & ~1) in self.products:
                return self.xor(x, self.both(i, j))
        return None

    def _pivots(self, bits: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """Of three bits each x, and two sums, by which the majority is ``x ^ ((x ^ y) & (x ^ z))``."""
        a, b, c = bits
        for x, y, z in ((a, b, c), (b, a, c), (c, a, b)):
            yield x, self.xor(x, y), self.xor(x, z)

    def _is_known(self, a: int, b: int) -> bool:
        """Whether the product of two positive bits is something else than an atom of its own."""
        i, j = a & ~1, b & ~1
        if i == j:
            return True
        known = self.products.get((i, j))
        if known is not None:
            return known != self.made.get(("and", i, j))
        first = self.members.get(i >> 1)
        second = None if first is None else self.members.get(j >> 1)
        return first is not None and second is not None and not first.keys().isdisjoint(second)


def _difference(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The atoms that are in one of two sums, in order; most often one of these is an atom alone."""
    if len(a) == 1:
        a, b = b, a
    if len(b) > 1:
        return tuple(sorted(set(a).symmetric_difference(b)))
    at = bisect_left(a, b[0])
    if at < len(a) and a[at] == b[0]:
        return a[:at] + a[at + 1 :]
    return a[:at] + b + a[at:]
