"""Words that circuits make bit by bit: sums, with the carry of the bit below, and rotations by words.

The store adds words whatever their order (`finalist.prove.sums`), and so has other bits for a sum of sums
than the adders one after the other that a circuit is; and what a word is that another one moves it by
(`finalist.prove.amounts`), it has as functions of the amount, a circuit as a choice for each of its bits. Of
each such operation on words it is noted what these were; where a circuit is carried out, their adders and
barrel shifters are made as well, and their bits are called by the names of the words'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of
from finalist.prove.store import FALSE, Store

#: What an adder makes, bit by bit, and a barrel shifter.
RIPPLED, ROTATED = frozenset({Op.ADD, Op.SUB, Op.LT}), frozenset({Op.ROL, Op.ROR})
#: An operation on two words, its result, and how many bits the words have.
_Made: TypeAlias = tuple[Op, Word, Word, Word, int]


class Circuits:
    """The sums and rotations of a store, as circuits make them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._noted: dict[_Made, None] = {}
        #: By sum of atoms, the lowest bit aside, the bit that it is.
        self._names: dict[int, int] = {}

    def note(self, op: Op, values: Sequence[Word], made: Word, width: int) -> None:
        """Note what a word of more than one bit was made of, if circuits make it bit by bit."""
        if width == 1 or all(isinstance(value, int) for value in values):
            return
        by_word = op in ROTATED and not isinstance(values[1], int) and not width & width - 1
        if not (op in RIPPLED or by_word):
            return
        one = op, values[0], values[1], made, width
        if one not in self._noted:
            self._noted[one] = None
            if self.store.gates:
                self._make(*one)

    def begin(self) -> None:
        """From now on, bits are looked for that circuits make."""
        if not self.store.gates:
            self.store.find_majorities()
            for one in list(self._noted):
                self._make(*one)

    def named(self, word: Bits) -> Bits:
        """A word made by XORs, its bits with the names of bits of words that circuits make in the same way. A
        word of one bit is a circuit's."""
        if len(word) == 1:
            self.begin()
        return tuple(map(self._called, word)) if self.store.gates else word

    def _called(self, bit: int) -> int:
        return self._names.get(bit >> 1, bit & ~1) ^ bit & 1

    def _xor(self, a: int, b: int) -> int:
        return self._called(self.store.xor(a, b))

    def _make(self, op: Op, a: Word, b: Word, made: Word, width: int) -> None:
        (self._rotate if op in ROTATED else self._ripple)(op, a, b, made, width)

    def _rotate(self, op: Op, a: Word, amount: Word, made: Word, width: int) -> None:
        """Make the barrel shifter of a word of 2^n bits: choices by the bits of the amount, lowest first."""
        bits, choose = bits_of(a, width), self.store.choose
        for k, moves in enumerate(bits_of(amount, width.bit_length() - 1)):
            far = 1 << k if op is Op.ROL else -1 << k
            bits = tuple(
                self._called(choose(moves, bits[j - far & width - 1], bits[j])) for j in range(width)
            )
        for bit, name in zip(bits, bits_of(made, width), strict=True):
            self._call(bit, name)

    def _ripple(self, op: Op, a: Word, b: Word, made: Word, width: int) -> None:
        """Make the adder of a word: five gates a bit, of a difference with a borrow in place of the carry."""
        less = op is not Op.ADD
        total, carry = bits_of(made, 1 if op is Op.LT else width), FALSE
        for k, (x, y) in enumerate(zip(bits_of(a, width), bits_of(b, width), strict=True)):
            if op is not Op.LT:
                self._call(self.store.xor(self._xor(x, y), carry), total[k])
            carry = self._called(self.store.majority(x ^ less, y, carry))
        if op is Op.LT:
            self._call(carry, total[0])

    def _call(self, bit: int, name: int) -> None:
        if bit >> 1:
            self._names.setdefault(bit >> 1, name ^ bit & 1)
