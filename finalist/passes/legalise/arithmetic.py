"""Arithmetic on limbs: sums with carries, products, comparisons, moves by amounts known at run time only.

(D. E. Knuth, "The Art of Computer Programming" vol. 2, 4.3.1, algorithms A, S and M; the carry of a sum
is that it is less than an addend.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.passes.analysis import greatest
from finalist.passes.legalise.limbs import Cutter, Limbs, bits_of, is_zero


class Arithmetic(Cutter):
    """Operations on words of equal limbs."""

    # -- sums -----------------------------------------------------------------------------------

    def add(self, a: Limbs, b: Limbs) -> Limbs:
        """a + b modulo 2^n."""
        return self._with_carries(self._sum, a, b)

    def sub(self, a: Limbs, b: Limbs) -> Limbs:
        """a - b modulo 2^n."""
        return self._with_carries(self._difference, a, b)

    def _with_carries(
        self, operation: Callable[[Node, Node], tuple[Node, Node]], a: Limbs, b: Limbs
    ) -> Limbs:
        """A sum or difference of limbs, and then with the carry or borrow of those below."""
        total, carry = [], self.make.const(0, 1)
        for x, y in zip(a, b, strict=True):
            part, over = operation(x, y)
            whole, again = operation(part, self.extended(carry, part.width))
            total.append(whole)
            carry = self.make.make(Op.OR, (over, again))
        return tuple(total)

    def _sum(self, x: Node, y: Node) -> tuple[Node, Node]:
        """The sum and its carry."""
        total = self.make.make(Op.ADD, (x, y))
        return total, self.make.make(Op.LT, (total, y))

    def _difference(self, x: Node, y: Node) -> tuple[Node, Node]:
        """The difference and its borrow."""
        return self.make.make(Op.SUB, (x, y)), self.make.make(Op.LT, (x, y))

    # -- products -------------------------------------------------------------------------------

    def mul(self, a: Limbs, b: Limbs) -> Limbs:
        """a * b modulo 2^n."""
        return self.cut(self._product(self.full(a), self.full(b), len(a)), 0, bits_of(a))

    def mulhi(self, a: Limbs, b: Limbs) -> Limbs:
        """The upper half of a * b."""
        bits = bits_of(a)
        product = self._product(self.full(a), self.full(b), -(-2 * bits // self.width))
        return self.cut(product, bits, bits)

    def _product(self, a: Limbs, b: Limbs, count: int) -> list[Node]:
        """The lowest ``count`` limbs of a * b, row by row; what is handed on never passes a limb."""
        make = self.make
        total = [make.const(0, self.width)] * count
        if any(map(is_zero, b)):
            a, b = b, a
        for row, x in enumerate(a):
            if is_zero(x):
                continue
            carry = make.const(0, self.width)
            for place, y in enumerate(b[: count - row], start=row):
                part, over = self._sum(total[place], make.make(Op.MUL, (x, y)))
                total[place], again = self._sum(part, carry)
                carry = make.make(Op.MULHI, (x, y))
                for bit in (over, again):
                    carry = make.make(Op.ADD, (carry, self.extended(bit, self.width)))
            if row + len(b) < count:
                total[row + len(b)] = carry
        return total

    def rem(self, a: Limbs, b: Limbs) -> Limbs:
        """The remainder by long division, bit after bit; ``a`` where ``b`` is zero."""
        bits = bits_of(a)
        rest = self.const(0, bits)
        for place in reversed(range(bits)):
            passed = self.field(rest, bits - 1, 1)  # the bit that the doubling drops
            rest = self.cut((self.field(a, place, 1), *rest), 0, bits)
            enough = self.make.make(Op.OR, (passed, self.make.make(Op.NOT, (self.lt(rest, b),))))
            rest = self.select(enough, self.sub(rest, b), rest)
        return self.select(self.eq(b, self.const(0, bits)), a, rest)

    # -- decisions ------------------------------------------------------------------------------

    def eq(self, a: Limbs, b: Limbs) -> Node:
        """Whether all limbs are equal."""
        same = self.make.const(1, 1)
        for pair in zip(a, b, strict=True):
            same = self.make.make(Op.AND, (same, self.make.make(Op.EQ, pair)))
        return same

    def lt(self, a: Limbs, b: Limbs) -> Node:
        """Whether the highest limbs that differ say less."""
        make = self.make
        less = make.const(0, 1)
        for pair in zip(a, b, strict=True):
            tied = make.make(Op.AND, (make.make(Op.EQ, pair), less))
            less = make.make(Op.OR, (make.make(Op.LT, pair), tied))
        return less

    def select(self, condition: Node, a: Limbs, b: Limbs) -> Limbs:
        """Limb by limb."""
        return tuple(self.make.make(Op.SELECT, (condition, *pair)) for pair in zip(a, b, strict=True))

    def bitwise(self, op: Op, operands: Sequence[Limbs], attr: int | None) -> Limbs:
        """Limb by limb."""
        return tuple(self.make.make(op, parts, attr) for parts in zip(*operands, strict=True))

    # -- moves by words -------------------------------------------------------------------------

    def move(self, op: Op, word: Limbs, amount: Limbs) -> Limbs:
        """A shift or rotation by an amount of any width."""
        left = op is Op.SHL or op is Op.ROL
        if op is Op.SHL or op is Op.SHR:
            return self._shift(word, amount, left)
        return self._rotate(word, amount, left)

    def _shift(self, word: Limbs, amount: Limbs, left: bool) -> Limbs:
        """Moved by as much of the amount as counts, and nothing left if the amount is more than that."""
        nothing = self.const(0, bits_of(word))
        if len(word) == 1:
            reach = 1 << amount[0].width  # a limb shifts by any amount
            moved: Limbs = (self.make.make(Op.SHL if left else Op.SHR, (word[0], amount[0])),)
        else:
            reach = self.width << (len(word) - 1).bit_length()
            moved = self._moved(word, self._amount(amount), left, around=False)
        return self.select(self._at_least(amount, reach), nothing, moved)

    def _rotate(self, word: Limbs, amount: Limbs, left: bool) -> Limbs:
        bits = bits_of(word)
        if len(word) == 1:
            small = amount[0] if bits & (bits - 1) == 0 else self.modulo(amount, bits)
            return (self.make.make(Op.ROL if left else Op.ROR, (word[0], small)),)
        if bits & (bits - 1) == 0:
            return self._moved(word, self._amount(amount), left, around=True)
        # Two shifts, of which one goes past the other end.
        small = self.modulo(amount, bits)
        back = self.make.make(Op.SUB, (self.make.const(bits, self.width), small))
        there = self._moved(word, small, left, around=False)
        return self.bitwise(Op.OR, [there, self._moved(word, back, not left, around=False)], None)

    def _amount(self, amount: Limbs) -> Node:
        return self.extended(amount[0], self.width)

    def _at_least(self, amount: Limbs, bound: int) -> Node:
        """Whether an amount is ``bound`` or more, a power of two."""
        make, low = self.make, amount[0]
        beyond = make.const(0, 1)
        if greatest(low) >= bound:
            beyond = make.make(Op.LT, (make.const(bound - 1, low.width), low))
        for limb in amount[1:]:
            some = make.make(Op.LT, (make.const(0, limb.width), limb))
            beyond = make.make(Op.OR, (beyond, some))
        return beyond

    def _moved(self, word: Limbs, amount: Node, left: bool, around: bool) -> Limbs:
        """Moved by the amount modulo the next power of two that the limbs fit in.

        First by whole limbs, as each of the amount's upper bits says; then within limbs, in two steps for
        what comes from the neighbour, since it may be none of its bits.
        """
        make, inner = self.make, self.width.bit_length() - 1
        limbs, whole = self.full(word), 1
        while whole < len(word):
            chosen = make.slice(amount, inner + whole.bit_length() - 1, 1)
            limbs = self.select(chosen, self._by_limbs(limbs, whole, left, around), limbs)
            whole *= 2
        there, back = (Op.SHL, Op.SHR) if left else (Op.SHR, Op.SHL)
        near = make.make(Op.AND, (amount, make.const(self.width - 1, self.width)))
        rest = make.make(Op.XOR, (near, make.const(self.width - 1, self.width)))
        made = []
        for limb, neighbour in zip(limbs, self._by_limbs(limbs, 1, left, around), strict=True):
            almost = make.make(back, (neighbour, make.const(1, 8)))
            parts = make.make(there, (limb, near)), make.make(back, (almost, rest))
            made.append(make.make(Op.OR, parts))
        return self.cut(made, 0, bits_of(word))

    def _by_limbs(self, limbs: Limbs, count: int, left: bool, around: bool) -> Limbs:
        """Moved by so many whole limbs."""
        cut = len(limbs) - count if left else count
        lower, upper = limbs[:cut], limbs[cut:]
        zeros = self.const(0, self.width) * count
        if left:
            return (*(upper if around else zeros), *lower)
        return (*upper, *(lower if around else zeros))

    # -- remainders -----------------------------------------------------------------------------

    def modulo(self, word: Limbs, modulus: int) -> Node:
        """The remainder as a limb; long division bit by bit, which needs nothing but a limb's words.

        ``modulus``: more than 1, and no more than a limb holds.
        """
        make, width = self.make, self.width
        while len(word) > 1 and is_zero(word[-1]):
            word = word[:-1]
        bits = bits_of(word)
        known = min(bits, modulus.bit_length() - 1)  # the upper bits that are a remainder already
        rest = self.extended(self.field(word, bits - known, known), width)
        for place in reversed(range(bits - known)):
            bit = self.extended(self.field(word, place, 1), width)
            more = make.make(Op.ADD, (rest, bit))  # 2 rest + bit is rest and this
            gap = make.make(Op.SUB, (make.const(modulus, width), rest))
            inside = make.make(Op.LT, (more, gap))
            below, above = make.make(Op.ADD, (rest, more)), make.make(Op.SUB, (more, gap))
            rest = make.make(Op.SELECT, (inside, below, above))
        return rest
