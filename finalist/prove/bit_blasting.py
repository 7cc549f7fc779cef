"""Bit-blasting: operations on words as gates on bits, as clauses for a SAT solver (Tseitin 1968).

Adders and borrows ripple, products are added row by row, shifts are layers of multiplexers. Equal gates on
equal bits are one. A bit is a literal as solvers have them, a number other than 0 whose sign says whether it
is complemented.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.prove.clauses import conjunction, even, majority

#: Two bits that are known; the first clause says so.
TRUE, FALSE = 1, -1

Word = tuple[int, ...]


class NoGatesError(Exception):
    """An operation that is not made of gates here, or that takes too many."""


class Gates:
    """Gates made so far, as ``clauses`` that hold for their values; ``most``: clauses after which no gate is
    made."""

    def __init__(self, most: int | None = None) -> None:
        self.variables, self._most = 1, most
        self.clauses: list[list[int]] = [[TRUE]]
        self._made: dict[tuple[str, int, int, int], int] = {}

    def variable(self) -> int:
        """A bit that nothing is known of. Raises NoGatesError."""
        if self._most is not None and len(self.clauses) > self._most:
            raise NoGatesError
        self.variables += 1
        return self.variables

    def and_(self, a: int, b: int) -> int:
        """Whether two bits are true."""
        if a > b:
            a, b = b, a
        if a == -b or FALSE in (a, b):
            return FALSE
        if a == b or TRUE in (a, b):
            return b if a == TRUE else a
        key = "and", a, b, 0
        if key not in self._made:
            made = self._made[key] = self.variable()
            self.clauses += conjunction(made, a, b)
        return self._made[key]

    def or_(self, a: int, b: int) -> int:
        """Whether one of two bits is true."""
        return -self.and_(-a, -b)

    def xor(self, a: int, b: int) -> int:
        """Whether two bits differ."""
        sign = 1 if (a > 0) == (b > 0) else -1
        a, b = sorted((abs(a), abs(b)))
        if a == b:
            return FALSE * sign
        if a == TRUE:
            return -b * sign
        key = "xor", a, b, 0
        if key not in self._made:
            made = self._made[key] = self.variable()
            self.clauses += even((a, b, made))
        return self._made[key] * sign

    def mux(self, c: int, a: int, b: int) -> int:
        """``a`` if ``c``, else ``b``."""
        if a == b or c == TRUE:
            return a
        if c == FALSE:
            return b
        if a == -b:
            return self.xor(c, b)
        if abs(a) == TRUE or abs(b) == TRUE or abs(c) in (abs(a), abs(b)):
            return self.or_(self.and_(c, a), self.and_(-c, b))
        if c < 0:
            a, b, c = b, a, -c
        key = "mux", c, a, b
        if key not in self._made:
            made = self._made[key] = self.variable()
            self.clauses += [[-c, -a, made], [-c, a, -made], [c, -b, made], [c, b, -made]]
            self.clauses += [[-a, -b, made], [a, b, -made]]
        return self._made[key]

    def majority(self, a: int, b: int, c: int) -> int:
        """Whether two of three bits are true."""
        a, b, c = sorted((a, b, c), key=abs)
        if abs(a) == TRUE:
            return self.or_(b, c) if a == TRUE else self.and_(b, c)
        if a == b or abs(b) == abs(c):
            return a if a == b else (b if b == c else a)
        if a == -b:
            return c
        key = "majority", a, b, c
        if key not in self._made:
            made = self._made[key] = self.variable()
            self.clauses += majority(made, a, b, c)
        return self._made[key]

    # -- words ----------------------------------------------------------------------------------

    def added(self, a: Sequence[int], b: Sequence[int], carry: int = FALSE) -> tuple[Word, int]:
        """The sum of two words and a bit, and what it carries."""
        total = []
        for x, y in zip(a, b, strict=True):
            total.append(self.xor(self.xor(x, y), carry))
            carry = self.majority(x, y, carry)
        return tuple(total), carry

    def product(self, a: Word, b: Word, width: int) -> Word:
        """The lowest bits of the product of two words."""
        total: Word = (FALSE,) * width
        for k, bit in enumerate(b[:width]):
            row = ((FALSE,) * k + tuple(self.and_(bit, x) for x in a) + (FALSE,) * width)[:width]
            total, _ = self.added(total, row)
        return total

    def entry(self, entries: Sequence[Word], index: Word) -> Word:
        """The entry at an index: halved by a bit of it after the other."""
        if len(entries) != 1 << len(index):
            raise NoGatesError
        rows = list(entries)
        for bit in index:
            pairs = zip(rows[::2], rows[1::2], strict=True)
            rows = [tuple(self.mux(bit, y, x) for x, y in zip(*pair, strict=True)) for pair in pairs]
        return rows[0]

    def shifted(self, op: Op, word: Word, amount: Word) -> Word:
        """A shift or rotation."""
        width, size = len(word), (len(word) - 1).bit_length()
        if width & width - 1:
            raise NoGatesError
        around, left = op in (Op.ROL, Op.ROR), op in (Op.ROL, Op.SHL)
        for k, bit in enumerate(amount):
            if k >= size and around:
                break
            by = min(1 << k, width)
            inside = (word[-by:] if left else word[:by]) if around else (FALSE,) * by
            other = (inside + word[: width - by]) if left else (word[by:] + inside)
            word = tuple(self.mux(bit, x, y) for x, y in zip(other, word, strict=True))
        return word

    def carried_out(self, node: Node, values: Sequence[Any]) -> Any:
        """What an operation makes of words. Raises NoGatesError."""
        form = _FORMS.get(node.op)
        if form is None:
            raise NoGatesError
        return form(self, node, values)


def number(value: int, width: int) -> Word:
    """A number as a word."""
    return tuple(TRUE if value >> k & 1 else FALSE for k in range(width))


def _bitwise(function: Callable[[Gates, int, int], int]) -> Callable[[Gates, Node, Sequence[Any]], Word]:
    return lambda gates, node, values: tuple(
        function(gates, a, b) for a, b in zip(values[0], values[1], strict=True)
    )


def _complement(word: Sequence[int]) -> Word:
    return tuple(-bit for bit in word)


def _bool(gates: Gates, node: Node, values: Sequence[Any]) -> Word:
    rows = [number(node.attr >> point, 1) for point in range(1 << len(values))]
    return tuple(gates.entry(rows, index)[0] for index in zip(*values, strict=True))


def _equal(gates: Gates, node: Node, values: Sequence[Any]) -> Word:
    found = TRUE
    for a, b in zip(*values, strict=True):
        found = gates.and_(found, -gates.xor(a, b))
    return (found,)


def _less(gates: Gates, node: Node, values: Sequence[Any]) -> Word:
    return (-gates.added(values[0], _complement(values[1]), TRUE)[1],)


def _select(gates: Gates, node: Node, values: Sequence[Any]) -> Word:
    condition, first, second = values
    return tuple(gates.mux(condition[0], a, b) for a, b in zip(first, second, strict=True))


def _lookup(gates: Gates, node: Node, values: Sequence[Any]) -> Word:
    return gates.entry([number(value, node.width) for value in node.attr.values], values[0])


def _linear(gates: Gates, node: Node, values: Sequence[Any]) -> Word:
    found = [FALSE] * node.width
    for matrix, word in zip(node.attr, values, strict=True):
        for column, bit in zip(matrix, word, strict=True):
            found = [gates.xor(one, bit) if column >> k & 1 else one for k, one in enumerate(found)]
    return tuple(found)


def _load(gates: Gates, node: Node, values: Sequence[Any]) -> Word:
    entries, index = values
    size = (len(entries) - 1).bit_length()
    return gates.entry(entries, (index + (FALSE,) * size)[:size])


def _shifted(gates: Gates, node: Node, values: Sequence[Any]) -> Word:
    return gates.shifted(node.op, values[0], values[1])


_FORMS: Mapping[Op, Callable[[Gates, Node, Sequence[Any]], Any]] = {
    Op.AND: _bitwise(Gates.and_),
    Op.OR: _bitwise(Gates.or_),
    Op.XOR: _bitwise(Gates.xor),
    Op.NOT: lambda gates, node, values: _complement(values[0]),
    Op.BOOL: _bool,
    Op.ADD: lambda gates, node, values: gates.added(values[0], values[1])[0],
    Op.SUB: lambda gates, node, values: gates.added(values[0], _complement(values[1]), TRUE)[0],
    Op.MUL: lambda gates, node, values: gates.product(values[0], values[1], node.width),
    Op.MULHI: lambda gates, node, values: gates.product(values[0], values[1], 2 * node.width)[node.width :],
    **dict.fromkeys((Op.SHL, Op.SHR, Op.ROL, Op.ROR), _shifted),
    Op.EQ: _equal,
    Op.LT: _less,
    Op.SELECT: _select,
    Op.SLICE: lambda gates, node, values: values[0][node.attr : node.attr + node.width],
    Op.JOIN: lambda gates, node, values: tuple(bit for part in values for bit in part),
    Op.EXTEND: lambda gates, node, values: (values[0] + (FALSE,) * node.width)[: node.width],
    Op.LOOKUP: _lookup,
    Op.LINEAR: _linear,
    Op.ARRAY: lambda gates, node, values: list(values),
    Op.LOAD: _load,
}
