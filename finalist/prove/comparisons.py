"""Comparisons of words that processors without one for them make: of borrows, and of limbs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of, complement, stripped
from finalist.prove.store import TRUE
from finalist.prove.sums import Sums

#: Two words that are compared.
Pair = tuple[Bits, Bits]


class Comparisons:
    """The comparisons of a store. ``gate``: what makes an AND or an OR of words."""

    def __init__(self, sums: Sums, gate: Callable[[Op, Sequence[Word], int], Bits]) -> None:
        self.sums, self._gate = sums, gate
        #: By gate and the word that it made the words that it made it of.
        self.gates: dict[tuple[Op, Bits], Pair] = {}
        #: By bit what is compared, or of an AND of bits these.
        self._noted: dict[tuple[Op, int], tuple[Bits, Bits]] = {}

    def note(self, op: Op, values: Sequence[Word], made: Word, width: int) -> None:
        """Note what a bit is, if it is a comparison of words of ``width`` bits, or an AND of bits."""
        if op not in (Op.LT, Op.EQ, Op.AND) or isinstance(made, int):
            return
        bits = stripped(made)
        if len(bits) == 1:
            a, b = (bits_of(value, width) for value in values)
            self._noted.setdefault((op, bits[0]), (a, b))

    def matched(self, values: Sequence[Word], width: int) -> Bits | None:
        """The comparison of words in limbs that an OR is; None if it is none."""
        return self._of_limbs(values, width) or self._of_borrows(values, width)

    # -- limbs ----------------------------------------------------------------------------------

    def _of_limbs(self, values: Sequence[Word], width: int) -> Bits | None:
        """The upper limbs are less, or equal, and the lower ones less: words less than others."""
        bits = [stripped(bits_of(value, width)) for value in values]
        for one, other in permutations(bits) if all(len(bit) == 1 for bit in bits) else ():
            upper, both = self._noted.get((Op.LT, one[0])), self._noted.get((Op.AND, other[0]))
            for same, less in permutations(map(stripped, both)) if upper and both else ():
                found = self._wide(upper, same, less)
                if found is not None:
                    return bits_of((found,), width)
        return None

    def _wide(self, upper: Pair | None, same: Bits, less: Bits) -> int | None:
        """Whether words are less than others whose upper limbs are a pair, equal where one bit says so, and
        whose lower ones are less where another one does."""
        lower = self._noted.get((Op.LT, less[0])) if len(less) == 1 else None
        equal = self._noted.get((Op.EQ, same[0])) if len(same) == 1 else None
        if upper is None or lower is None or equal is None or set(equal) != set(upper):
            return None
        a, b = lower[0] + upper[0], lower[1] + upper[1]
        found = self.sums.limbs.less(a, b)
        if found > TRUE:
            self._noted.setdefault((Op.LT, found), (a, b))
        return found

    # -- borrows --------------------------------------------------------------------------------

    def _of_borrows(self, values: Sequence[Word], width: int) -> Bits | None:
        """The borrows of ``a - b``, as processors without a comparison make them (Warren, Hacker's Delight,
        section 2-13): ``~a & b | (~a | b) & (a - b)``, whose highest bit says whether a is less than b."""
        for first, second in permutations(bits_of(value, width) for value in values):
            pair, masked = (self.gates.get((Op.AND, word), ()) for word in (first, second))
            for either, difference in permutations(masked) if pair and masked else ():
                if set(self.gates.get((Op.OR, either), ())) == set(pair):
                    return self._borrow(pair, difference, self._gate(Op.OR, values, width))
        return None

    def _borrow(self, pair: Iterable[Bits], difference: Bits, made: Bits) -> Bits | None:
        """The same with the highest bit as a comparison has it, if ``difference`` is one of the pair's."""
        width = len(made)
        for p, b in permutations(pair):
            a = complement(p)
            if bits_of(self.sums.add([(a, 1), (b, -1)], 0, width), width) == difference:
                return (*made[:-1], self.sums.limbs.less(a, b))
        return None
