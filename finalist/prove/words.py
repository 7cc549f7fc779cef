"""The operations of the graph on words that may not be known.

A word is a number where all of its bits are known, else a tuple of literals, lowest first. One method an
operation; definitions and instructions both come here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import ClassVar
from weakref import ReferenceType, ref

from finalist.errors import FinalistError
from finalist.ir.ops import Op
from finalist.prove.amounts import Amounts
from finalist.prove.arrays import Arrays
from finalist.prove.bits import Bits, Word, bits_of, chosen, complement, known, unknown_bits
from finalist.prove.circuits import Circuits
from finalist.prove.collector import ask_back, give_back
from finalist.prove.comparisons import Comparisons
from finalist.prove.products import Products
from finalist.prove.reads import Column, Reads
from finalist.prove.spaces import WIDEST, Parts, Spaces
from finalist.prove.store import FALSE, TRUE, Store
from finalist.prove.sums import Sums

#: Operations from one look at the clock to the next: to read it costs as much as several of them.
_CALLS = 64


class Words:
    """Words over one store; ``seconds``: of the CPU until `check` ends it; ``choices``: of `Spaces`."""

    #: The store that was made last.
    _last: ClassVar[ReferenceType[Store] | None] = None

    def __init__(self, seconds: float | None = None, choices: bool = True) -> None:
        ask_back(Words._last)
        self._calls = 0
        self.begin(seconds)
        self.store = Store()
        Words._last = ref(self.store)
        self.circuits = Circuits(self.store)
        self.spaces = Spaces(self.store, choices)
        self.spaces.composed = self._composed
        self.sums = Sums(self.store)
        self.products = Products(self.sums)
        self.reads = Reads(self.spaces)
        self.amounts = Amounts(self.reads)
        self.arrays = Arrays(self.reads)
        #: By truth table, and what its index is read from, the functions of that one's index.
        self._compositions: dict[object, int] = {}
        #: The values of sums: by the values of their terms' bits, the terms, the constant, and the width.
        self._totals: dict[object, tuple[int, ...]] = {}
        #: By word that was shifted by a word: what was, how far to the left, or else to the right.
        self._shifts: dict[Bits, tuple[Bits, Bits, bool]] = {}
        self.comparisons = Comparisons(self.sums, self._gate)
        self.operations: dict[Op, Callable[[Sequence[Word], int], Word]] = {
            Op.AND: lambda v, n: self._gate(Op.AND, v, n),
            Op.OR: lambda v, n: (
                self._rotated(v, n, either=True) or self.comparisons.matched(v, n) or self._gate(Op.OR, v, n)
            ),
            Op.XOR: lambda v, n: self._rotated(v, n) or self._xor(v, n),
            Op.NOT: lambda v, n: complement(bits_of(v[0], n)),
            Op.ADD: lambda v, n: self._rotated(v, n) or self.sums.add([(v[0], 1), (v[1], 1)], 0, n),
            Op.SUB: lambda v, n: self.sums.add([(v[0], 1), (v[1], -1)], 0, n),
            Op.MUL: self._product,
            Op.MULHI: lambda v, n: self.sums.limbs.part(bits_of(self._product(v, 2 * n), 2 * n), n, n),
            Op.REM: self._rem,
            Op.SHL: lambda v, n: self._moved(v, n, _left),
            Op.SHR: lambda v, n: self._moved(v, n, _right),
            Op.ROL: lambda v, n: self._rotate(v, n, 1),
            Op.ROR: lambda v, n: self._rotate(v, n, -1),
            Op.EQ: lambda v, n: (self.equal(bits_of(v[0], n), bits_of(v[1], n)),),
            Op.LT: lambda v, n: (self.sums.limbs.less(bits_of(v[0], n), bits_of(v[1], n)),),
            Op.SELECT: lambda v, n: self.select(bits_of(v[0], 1)[0], v[1], v[2], n),
            Op.EXTEND: lambda v, n: bits_of(v[0], n),
            Op.SLICE: lambda v, n: bits_of(v[0], n),  # of meanings, which take the lowest bits alone
        }

    def apply(self, op: Op, values: Sequence[Word], width: int) -> Word:
        """An operation on words; ``width``: of the result, or for comparisons of what is compared."""
        made = known(self.operations[op](values, width))
        self.circuits.note(op, values, made, width)
        self.comparisons.note(op, values, made, width)
        return made

    def begin(self, seconds: float | None) -> None:
        """Give another proof over the same store so many seconds of the CPU from now on; None is no end."""
        self.seconds = seconds
        self._end = math.inf if seconds is None else time.process_time() + seconds

    def close(self) -> None:
        """Give memory back. Nothing works after it."""
        give_back(self.store, (self.spaces, self.sums.limbs, self.sums, self))

    def check(self) -> None:
        """Raises OutOfTimeError where the time is over; the clock is read at every so manieth call."""
        self._calls += 1
        if self._calls % _CALLS == 0 and time.process_time() > self._end:
            raise OutOfTimeError(f"not done within {self.seconds:g} seconds of the CPU")

    @property
    def left(self) -> float | None:
        """Seconds that are left; None where there is no end."""
        return None if self.seconds is None else max(0.0, self._end - time.process_time())

    def spend(self, seconds: float) -> None:
        """Count what another process took."""
        self._end -= seconds

    def symbol(self, name: object, width: int) -> Bits:
        """A word that nothing is known of."""
        return tuple(self.store.atom(("input", name, k)) for k in range(width))

    # -- bits -----------------------------------------------------------------------------------

    def _bitwise(self, function: Callable[[int, int], int], values: Sequence[Word], width: int) -> Bits:
        a, b = (bits_of(value, width) for value in values)
        return self.amounts.together(function, a, b) or tuple(map(function, a, b))

    def _xor(self, values: Sequence[Word], width: int) -> Bits:
        return self.circuits.named(self._bitwise(self.store.xor, values, width))

    def chosen(self, values: Sequence[Word], width: int) -> Bits | None:
        """What an XOR is if it is ``((a ^ b) & m) ^ b``, m the same bit everywhere and a and b functions of
        one index: a choice; None if not. Whatever carries out the same AND later finds its part of that."""
        a, b = (bits_of(value, width) for value in values)
        return self._chosen(a, b) or self._chosen(b, a)

    def _chosen(self, masked: Bits, b: Bits) -> Bits | None:
        found = self.sums.choices.masked.get(masked)
        for differing, mask in () if found is None else (found, found[::-1]):
            if len(set(mask)) == 1:
                made = self.spaces.choice(mask[0], tuple(map(self.store.xor, differing, b)), b)
                if made is not None:
                    return made
        return None

    def _gate(self, op: Op, values: Sequence[Word], width: int) -> Bits:
        """AND or OR, bit by bit."""
        a, b = (bits_of(value, width) for value in values)
        made = self.sums.choices.joined(a, b) if op is Op.OR else None
        if made is None and isinstance(values[1], int):
            made = chosen(a, b, int(op is Op.AND))
        made = made or self._bitwise(self.store.both if op is Op.AND else self.store.either, values, width)
        self.comparisons.gates.setdefault((op, made), (a, b))
        if op is Op.AND:
            self.sums.choices.masked.setdefault(made, (a, b))
        return made

    def _product(self, values: Sequence[Word], width: int) -> Word:
        return self.products.multiply(values[0], values[1], width)

    def _rem(self, values: Sequence[Word], width: int) -> Word:
        a, b = (known(bits_of(value, width)) for value in values)
        if isinstance(a, int) and isinstance(b, int):
            return a % b if b else a
        key = bits_of(a, width), bits_of(b, width)
        return tuple(self.store.atom(("remainder", *key, k)) for k in range(width))

    def equal(self, a: Bits, b: Bits) -> int:
        """Whether two words are equal."""
        return self.nonzero(tuple(map(self.store.xor, a, b))) ^ 1

    def nonzero(self, bits: Bits) -> int:
        """Whether any bit is true."""
        bits = tuple(bit for bit in dict.fromkeys(bits) if bit != FALSE)
        if TRUE in bits:
            return TRUE
        if bits and len({bit >> 1 for bit in bits}) <= 8:
            found = self.spaces.points(bits)
            if found is not None:
                space, values = found
                vector = sum(1 << point for point, value in enumerate(values) if value)
                return self.spaces.function(space, vector) if vector else FALSE
        total = FALSE
        for bit in sorted(bits):
            total = self.store.either(total, bit)
        return total

    def select(self, condition: int, a: Word, b: Word, width: int) -> Word:
        """One of two words: of two that differ by a constant, that constant or nothing is added."""
        choose = self.amounts.select
        made = self.spaces.choice(condition, bits_of(a, width), bits_of(b, width))
        if made is not None:
            return made
        if not isinstance(a, int) and not isinstance(b, int) and condition > TRUE:
            more = self.sums.add([(a, 1), (b, -1)], 0, width)
            if isinstance(more, int):
                if more >> width - 1:
                    condition, b, more = condition ^ 1, a, -more & (1 << width) - 1
                added = tuple(condition if more >> k & 1 else FALSE for k in range(width))
                return self.sums.add([(b, 1), (added, 1)], 0, width)
        return tuple(
            choose(condition, x, y) for x, y in zip(bits_of(a, width), bits_of(b, width), strict=True)
        )

    # -- shifts ---------------------------------------------------------------------------------

    def _moved(self, values: Sequence[Word], width: int, place: Callable[[int, int], int]) -> Word:
        """Shifted; past the width there is nothing."""
        amount = known(values[1])
        wide = max(width, len(values[0]) if not isinstance(values[0], int) else width)
        source = bits_of(values[0], wide)
        if isinstance(amount, int):
            if place is _right and amount < wide:
                return bits_of(self.sums.limbs.part(source, amount, len(source) - amount), width)
            return _moved_by(source, width, place, amount)
        low = (width - 1).bit_length() + 1
        whole = amount
        over, amount = self.nonzero(amount[low:]), known(amount[:low])
        if isinstance(amount, int):
            made = _moved_by(source, width, place, amount)
        else:
            made = self._by_amount(source, amount, width, width, place)
        shifted = tuple(self.store.both(over ^ 1, bit) for bit in made)
        self._shifts.setdefault(shifted, (source, whole, place is _left))
        return shifted

    def _rotated(self, values: Sequence[Word], width: int, either: bool = False) -> Word | None:
        """A word shifted to the left by n, with itself shifted to the right by ``width - n``: rotated; by
        ``-n`` modulo the width, if the two meet in an OR, to which it is one word where n is 0."""
        shifts = [self._shifts.get(word) for word in values if not isinstance(word, int)]
        if len(shifts) != 2 or shifts[0] is None or shifts[1] is None:
            return None
        (source, n, left), (other, m, too) = shifts[0], shifts[1]
        if source != other or left == too or len(source) != width or width & (width - 1):
            return None  # another word, both to one side, or a width whose amounts are no whole bits
        size = max(len(n), len(m))
        least = (width - 1).bit_length()
        high = any(n[least:]), any(m[least:])
        if self.sums.add([(n, 1), (m, 1)], 0, size) != width or all(high):
            wraps = self.sums.add([(n[:least], 1), (m[:least], 1)], 0, least) == 0
            if not either or any(high) or not wraps:
                return None
        return self._rotate((source, n if left else m), width, 1)

    def _rotate(self, values: Sequence[Word], width: int, sign: int) -> Word:
        """Rotated, to the left or with sign -1 to the right."""
        source, amount = bits_of(values[0], width), known(values[1])
        if isinstance(amount, int):
            left = sign * amount
            return _picked(source, width, lambda k: (k - left) % width)
        if width & (width - 1) == 0:
            size = (width - 1).bit_length()
            amount = known(amount[:size])
            back = self.sums.add([(amount, -1)], 0, size)
            if isinstance(amount, int) or isinstance(back, int):
                return self._rotate((source, amount), width, sign)
            if back < amount:  # of the ways to the left and to the right the one whose amount came first
                amount, sign = back, -sign
        return self._by_amount(source, amount, width, None, lambda k, n: (k - sign * n) % width)

    def _by_amount(
        self, source: Bits, amount: Bits, width: int, end: int | None, place: Callable[[int, int], int]
    ) -> Bits:
        """Moved by an amount that is not known: the sum over its values, each times the word moved so."""
        found = self.spaces.points(amount)
        if found is None:
            raise TooWideError(f"an amount of more than {WIDEST} bits that are not known")
        space, values = found
        if end is None:
            amounts: list[int | None] = [value % width for value in values]
        else:
            amounts = [value if value < end else None for value in values]
        return self.amounts.move(source, space, amounts, place, width)

    # -- tables ---------------------------------------------------------------------------------

    def lookup(self, table: Sequence[Word], index: Word, width: int, key: object = None) -> Word:
        """An entry of a table, whose length the index is taken modulo; ``key``: a name for its contents."""
        position = self._position(len(table), index)
        if isinstance(position, int):
            return known(bits_of(table[position], width))
        space, positions = position
        if self.arrays.made:
            place, places = self.arrays.index(space, positions)
            written = self.arrays.read(tuple(table[one] for one in places), place, width)
            if written is not None:
                return written
        return self.entries(space, table.__getitem__, positions, width, key)

    def stored(self, table: Sequence[Word], index: Word, value: Word, width: int) -> tuple[Word, ...]:
        """The entries of a table after a word is stored at an index, which its length wraps around."""
        entries, position = list(table), self._position(len(table), index)
        if isinstance(position, int):
            entries[position] = value
            return tuple(entries)
        place, places = self.arrays.index(*position)
        written = self.arrays.write([table[one] for one in places], place, value, width)
        for one, word in zip(places, written, strict=True):
            entries[one] = word
        return tuple(entries)

    def _position(self, length: int, index: Word) -> int | tuple[int, tuple[int, ...]]:
        """An index modulo a length; one that is not known as a space and what it is at each point there."""
        index = known(index)
        if not isinstance(index, int) and length & (length - 1) == 0:
            index = known(index[: (length - 1).bit_length()])
        if isinstance(index, int):
            return index % length
        found = self.values(index, fewer=True)
        if found is None:
            raise TooWideError(f"an index of more than {WIDEST} bits that are not known")
        space, values = found
        return space, values if 1 << len(index) <= length else tuple(value % length for value in values)

    def values(self, word: Bits, fewer: bool = False) -> tuple[int, tuple[int, ...]] | None:
        """A space that a word is a function of, and its values there: of a sum by those of its terms; with
        ``fewer`` only if these have fewer bits."""
        found = self.spaces.shared(word)
        parts = None if found else self.sums.parts(word)
        if parts is None or (fewer and unknown_bits(parts[0]) >= unknown_bits(word)):
            return found or self.spaces.points(word)
        bits, terms, constant = parts
        found = self.spaces.points(bits)
        if found is None:
            return None
        key = found[1], terms, constant, len(word)
        if key not in self._totals:
            top = (1 << len(word)) - 1
            self._totals[key] = tuple(
                constant + sum((value >> at & (1 << size) - 1) * times for at, size, times in terms) & top
                for value in found[1]
            )
        return found[0], self._totals[key]

    def _composed(self, table: int, space: int, parts: Parts) -> int:
        """The bit of a truth table whose index is read from another table, of entries that are not known: for
        each of those what it leads to. So a function is the same that was tabulated before its last step."""
        key = table, parts
        if key not in self._compositions:
            digits = [table >> value & 1 for value in range(1 << len(parts))]
            words = [
                self.lookup(digits, word, 1, ("digits", table, len(parts)))
                for word in self.spaces.at_points(space, parts)
            ]
            (self._compositions[key],) = self.spaces.columns(space, words, 1)
        return self.spaces.function(space, self._compositions[key])

    def entries(
        self, space: int, at: Callable[[int], Word], positions: tuple[int, ...], width: int, key: object
    ) -> Word:
        """The word that is at one of some positions, at each point of a space; ``key``: a name for what is
        there, which is looked at only if it is new; None for what has none."""
        columns = self.reads.table(space, at, positions, width, key)
        return known(self.reads.read(*self._on_support(space, columns)))

    def _on_support(self, space: int, columns: Sequence[Column]) -> tuple[int, Sequence[Column]]:
        """The columns over the bits of an index that they depend on."""
        tables = [column for column in columns if isinstance(column, int)]
        if len(tables) < len(columns) or max(tables, default=0) > self.spaces.bases[space].over.ones:
            return space, columns
        return self.spaces.on_support(space, tables)

    def linear(self, matrices: Sequence[Sequence[int]], values: Sequence[Word], width: int) -> Word:
        """Matrices over GF(2), each times a word, added up."""
        columns: list[list[int]] = [[] for _ in range(width)]
        for matrix, value in zip(matrices, values, strict=True):
            for bit, column in zip(bits_of(value, len(matrix)), matrix, strict=True):
                while bit and column:
                    low = column & -column
                    columns[low.bit_length() - 1].append(bit)
                    column ^= low
        return known(tuple(map(self.store.total, columns)))


class NotCoveredError(FinalistError):
    """What a proof does not reach, such as a place that depends on a secret where it may not."""


class TooWideError(NotCoveredError):
    """A word of too many unknown bits to go through its values."""


class OutOfTimeError(NotCoveredError):
    """A proof that takes longer than it may."""


def _left(k: int, amount: int) -> int:
    return k - amount


def _right(k: int, amount: int) -> int:
    return k + amount


def _moved_by(source: Bits, width: int, place: Callable[[int, int], int], amount: int) -> Bits:
    return _picked(source, width, lambda k: place(k, amount))


def _picked(source: Bits, width: int, place: Callable[[int], int]) -> Bits:
    places = map(place, range(width))
    return tuple(source[at] if 0 <= at < len(source) else FALSE for at in places)
