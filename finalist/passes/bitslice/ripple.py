"""Arithmetic on words that are lists of bits, the lowest first: carries ripple from bit to bit.

Five operations a bit: the carry out of ``a + b + c`` is ``a ^ ((a ^ b) & (a ^ c))``, the sum ``a ^ b ^ c``.
(D. E. Knuth, "The Art of Computer Programming" vol. 4A, 7.1.2.)
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.recoding import signed_digits

Bits = list[Node]


class Ripple:
    """Operations on bits; ``make`` must simplify, so that what constants decide goes away.

    ``width``: how many bits, of as many words, each node has side by side.
    """

    def __init__(self, make: Builder, width: int = 1) -> None:
        self.make = make
        self.width = width

    # -- bits -----------------------------------------------------------------------------------

    def bit(self, value: int) -> Node:
        """A constant, the same for all words."""
        return self.make.const(-value, self.width)

    def const(self, value: int, width: int) -> Bits:
        """The bits of a constant."""
        return [self.bit(value >> place & 1) for place in range(width)]

    def both(self, a: Node, b: Node) -> Node:
        """a and b."""
        return self.make.make(Op.AND, (a, b))

    def either(self, a: Node, b: Node) -> Node:
        """a or b."""
        return self.make.make(Op.OR, (a, b))

    def xor(self, a: Node, b: Node) -> Node:
        """a and b differ."""
        return self.make.make(Op.XOR, (a, b))

    def inverted(self, a: Node) -> Node:
        """Not a."""
        return self.make.make(Op.NOT, (a,))

    def choice(self, condition: Node, a: Node, b: Node) -> Node:
        """a where the condition holds, else b."""
        if a is b:
            return a
        return self.xor(b, self.both(condition, self.xor(a, b)))

    # -- sums -----------------------------------------------------------------------------------

    def add(self, a: Bits, b: Bits) -> Bits:
        """a + b modulo 2^n."""
        total, carry = [], self.bit(0)
        for place, (x, y) in enumerate(zip(a, b, strict=True)):
            total.append(self.xor(self.xor(x, y), carry))
            if place + 1 < len(a):
                carry = self._carry(x, y, carry)
        return total

    def sub(self, a: Bits, b: Bits) -> Bits:
        """a - b modulo 2^n."""
        return self._difference(a, b, last=False)[0]

    def less(self, a: Bits, b: Bits) -> Node:
        """Whether a < b: the borrow of a - b."""
        return self._difference(a, b, last=True)[1]

    def _difference(self, a: Bits, b: Bits, last: bool) -> tuple[Bits, Node]:
        """a - b and, if ``last``, its borrow."""
        total, borrow = [], self.bit(0)
        for place, (x, y) in enumerate(zip(a, b, strict=True)):
            total.append(self.xor(self.xor(x, y), borrow))
            if last or place + 1 < len(a):
                borrow = self._borrow(x, y, borrow)
        return total, borrow

    def _carry(self, x: Node, y: Node, carry: Node) -> Node:
        """Whether two of three bits are 1."""
        for a, b, known in ((x, y, carry), (y, carry, x), (x, carry, y)):
            if known.op is Op.CONST:
                return self.either(a, b) if known.attr else self.both(a, b)
        return self.xor(x, self.both(self.xor(x, y), self.xor(x, carry)))

    def _borrow(self, x: Node, y: Node, borrow: Node) -> Node:
        """Whether x - y - borrow is below zero: two of the three bits ~x, y, borrow are 1."""
        if x.op is Op.CONST:
            return self.both(y, borrow) if x.attr else self.either(y, borrow)
        for a, known in ((y, borrow), (borrow, y)):
            if known.op is Op.CONST:
                other = self.inverted(x)
                return self.either(other, a) if known.attr else self.both(other, a)
        return self.xor(borrow, self.both(self.xor(x, y), self.xor(y, borrow)))

    def equal(self, a: Bits, b: Bits) -> Node:
        """Whether no bit differs."""
        differ = self.bit(0)
        for x, y in zip(a, b, strict=True):
            differ = self.either(differ, self.xor(x, y))
        return self.inverted(differ)

    def multiple(self, a: Bits, factor: int) -> Bits:
        """a * factor modulo 2^n, as sums and differences, one for each non-zero digit of 1, 0, -1."""
        total = self.const(0, len(a))
        for place, digit in signed_digits(factor):
            if place < len(a):
                step = self.sub if digit < 0 else self.add
                total = step(total, self.shifted(a, place))
        return total

    # -- moves ----------------------------------------------------------------------------------

    def shifted(self, a: Bits, left: int) -> Bits:
        """a moved ``left`` places up (down if negative); zeros come in."""
        places = range(-left, len(a) - left)
        return [a[place] if 0 <= place < len(a) else self.bit(0) for place in places]

    def rotated(self, a: Bits, left: int) -> Bits:
        """a rotated ``left`` places up."""
        return [a[(place - left) % len(a)] for place in range(len(a))]

    def moved(self, op: Op, a: Bits, amount: Sequence[Node]) -> Bits:
        """a shifted or rotated by a word: a barrel of choices, one for each bit of the amount that counts."""
        step = self.rotated if op in (Op.ROL, Op.ROR) else self.shifted
        sign = 1 if op in (Op.SHL, Op.ROL) else -1
        for place, bit in enumerate(amount):
            distance = 1 << place
            if step == self.rotated and distance % len(a) == 0:
                continue
            far = step(a, sign * distance)
            a = [self.choice(bit, x, y) for x, y in zip(far, a, strict=True)]
        return a
