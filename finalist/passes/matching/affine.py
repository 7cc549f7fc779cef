"""Affine forms: each bit of a word as an XOR of bits of leaves, and a one.

However a definition says it (by matrices, wide tables, shifts and masks, sums of words without a common
bit), what lies between two layers of S-boxes has one form here, so that forms can be compared. A row is
an integer: bit 0 is the one, each other bit belongs to a leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from finalist.ir.graph import Matrix, Node, TableData, postorder
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.passes.matrices import apply_matrix

Rows = tuple[int, ...]
ONE = 1


def ones(word: int) -> Iterator[int]:
    """The places of the ones."""
    while word:
        yield (word & -word).bit_length() - 1
        word &= word - 1


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A word that forms do not look into, with the number of its lowest bit in rows.

    Of ``box[x]``, for one of the S-boxes that are looked for, ``index`` are the rows of x.
    """

    node: Node
    start: int
    width: int
    box: TableData | None = None
    index: Rows = ()

    @property
    def bits(self) -> int:
        """The row of all its bits."""
        return ((1 << self.width) - 1) << self.start

    def rows(self) -> Rows:
        """The leaf itself."""
        return tuple(1 << (self.start + bit) for bit in range(self.width))


class Forms:
    """The forms of a graph's words. ``boxes``: the S-boxes whose lookups are leaves, however written.

    A lookup in a table that is a box followed by an affine map is that map of the box's leaf; one in a
    table that is affine by itself, or after the box that its index comes from, is that map. Words for
    which ``opaque`` holds and whose operation is not affine are leaves that nothing is known of.
    """

    def __init__(self, boxes: Sequence[TableData], opaque: Callable[[Node], bool] = lambda node: False):
        self.boxes = tuple(boxes)
        self.opaque = opaque
        self.leaves: list[Leaf] = []
        self._leaf_at: list[Leaf] = []
        self._rows: dict[Node, Rows] = {}
        self._box_leaves: dict[tuple[TableData, Rows], Leaf] = {}
        self._outputs: dict[Rows, Leaf] = {}
        self._next = 1

    def __call__(self, node: Node) -> Rows:
        """The rows of a word, lowest bit first."""
        if node not in self._rows:
            for needed in postorder([node], self._rows):
                if isinstance(needed.type, WordType):
                    self._rows[needed] = self._form(needed)
        return self._rows[node]

    def within(self, row: int) -> list[Leaf]:
        """The leaves that a row has bits of, in order of their making."""
        found: dict[Leaf, None] = {}
        row >>= 1
        while row:
            bit = (row & -row).bit_length() - 1
            leaf = self._leaf_at[bit]
            found[leaf] = None
            row &= ~(leaf.bits >> 1)
        return list(found)

    def _form(self, node: Node) -> Rows:
        if node.op is Op.CONST:
            return tuple(node.attr >> bit & 1 for bit in range(node.width))
        if node.op is Op.LOOKUP:
            return self._lookup(node)
        rule = _RULES.get(node.op)
        operands = [self._rows.get(child, ()) for child in node.inputs]
        rows = rule(node, operands) if rule else None
        return self._leaf(node).rows() if rows is None else rows

    def _lookup(self, node: Node) -> Rows:
        index = self._rows[node.inputs[0]]
        table: TableData = node.attr
        before = self._outputs.get(index)
        if before is not None and before.box is not None:
            both = affine(_after(table, before.box))
            if both is not None:
                return mapped(both, before.index, table.width)
        if not self.opaque(node):
            for box in self.boxes:
                after = affine_after(table, box)
                if after is not None:
                    return mapped(after, self._box_leaf(box, index, node).rows(), table.width)
        straight = affine(table)
        return self._leaf(node).rows() if straight is None else mapped(straight, index, table.width)

    def _box_leaf(self, box: TableData, index: Rows, node: Node) -> Leaf:
        key = (box, index)
        if key not in self._box_leaves:
            leaf = self._box_leaves[key] = self._leaf(node, box.width, box, index)
            self._outputs[leaf.rows()] = leaf
        return self._box_leaves[key]

    def _leaf(
        self, node: Node, width: int | None = None, box: TableData | None = None, index: Rows = ()
    ) -> Leaf:
        leaf = Leaf(node, self._next, width or node.width, box, index)
        self._next += leaf.width
        self.leaves.append(leaf)
        self._leaf_at += [leaf] * leaf.width
        return leaf


# -- tables -------------------------------------------------------------------------------------------

#: A linear map, and what is added to its result.
Affine = tuple[Matrix, int]


def mapped(map_: Affine, rows: Rows, width: int) -> Rows:
    """The affine map, to ``width`` bits, of the word that has these rows."""
    matrix, constant = map_
    total = [constant >> bit & 1 for bit in range(width)]
    for row, column in zip(rows, matrix, strict=True):
        for bit in ones(column):
            total[bit] ^= row
    return tuple(total)


@lru_cache(maxsize=1024)
def _after(table: TableData, box: TableData) -> TableData:
    """One table on the results of another."""
    return TableData(tuple(table.values[x] for x in box.values), table.width)


@lru_cache(maxsize=1024)
def affine(table: TableData) -> Affine | None:
    """The map that the table is, if it is affine."""
    return _affine(table.values, tuple(range(len(table.values))), table.index_width)


@lru_cache(maxsize=1024)
def affine_after(table: TableData, box: TableData) -> Affine | None:
    """The affine map that makes the table of the permutation ``box``, if there is one."""
    if len(table.values) != len(box.values):
        return None
    return _affine(table.values, box.values, box.width)


def _affine(values: Sequence[int], points: Sequence[int], bits: int) -> Affine | None:
    """The affine map from ``points`` to ``values``; the points are all words of so many bits."""
    at = dict(zip(points, values, strict=True))
    if len(at) != len(points):
        return None
    constant = at[0]
    matrix = tuple(at[1 << bit] ^ constant for bit in range(bits))
    fits = all(apply_matrix(matrix, x) ^ constant == value for x, value in at.items())
    return (matrix, constant) if fits else None


# -- operations: the rows of the result, or None where it is no affine form ---------------------------


Form = Rows | None
Rule = Callable[[Node, list[Rows]], Form]


def _bitwise(bit: Callable[[int, int], int | None]) -> Rule:
    def rule(node: Node, operands: list[Rows]) -> Form:
        rows = [bit(a, b) for a, b in zip(*operands, strict=True)]
        return None if None in rows else tuple(row for row in rows if row is not None)

    return rule


def _and(a: int, b: int) -> int | None:
    if a == b or b == ONE or a == 0:
        return a
    if a == ONE or b == 0:
        return b
    return 0 if a ^ b == ONE else None


def _or(a: int, b: int) -> int | None:
    both = _and(a, b)
    return None if both is None else a ^ b ^ both


def _disjoint(a: int, b: int) -> int | None:
    """A bit of a sum without carries."""
    return a ^ b if not a or not b else None


def _sub(node: Node, operands: list[Rows]) -> Form:
    """Zero less one bit: that bit in all places."""
    minuend, (low, *rest) = operands
    return None if any(minuend) or any(rest) else (low,) * node.width


def _mul(node: Node, operands: list[Rows]) -> Form:
    """A constant times a word whose multiples have no bit in common."""
    for rows, factor in (operands, operands[::-1]):
        if all(bit in (0, ONE) for bit in factor):
            return _multiple(rows, [place for place, bit in enumerate(factor) if bit])
    return None


def _multiple(rows: Rows, places: list[int]) -> Form:
    total = [0] * len(rows)
    for place in places:
        for k, row in enumerate(rows[: len(rows) - place], place):
            added = _disjoint(total[k], row)
            if added is None:
                return None
            total[k] = added
    return tuple(total)


def _moved(move: Callable[[Rows, int], Rows]) -> Rule:
    def rule(node: Node, operands: list[Rows]) -> Form:
        amount = node.inputs[1]
        return move(operands[0], amount.attr) if amount.op is Op.CONST else None

    return rule


def _rol(rows: Rows, amount: int) -> Rows:
    up = amount % len(rows)
    return rows[len(rows) - up :] + rows[: len(rows) - up]


def _select(node: Node, operands: list[Rows]) -> Form:
    """A choice between words that differ in known bits."""
    ((condition,), a, b) = operands
    if any(x ^ y not in (0, ONE) for x, y in zip(a, b, strict=True)):
        return None
    return tuple(y ^ (condition if x != y else 0) for x, y in zip(a, b, strict=True))


def _linear(node: Node, operands: list[Rows]) -> Form:
    total = [0] * node.width
    for matrix, rows in zip(node.attr, operands, strict=True):
        for row, column in zip(rows, matrix, strict=True):
            for bit in ones(column):
                total[bit] ^= row
    return tuple(total)


_RULES: dict[Op, Rule] = {
    Op.XOR: _bitwise(lambda a, b: a ^ b),
    Op.AND: _bitwise(_and),
    Op.OR: _bitwise(_or),
    Op.NOT: lambda node, operands: tuple(row ^ ONE for row in operands[0]),
    Op.ADD: _bitwise(_disjoint),
    Op.SUB: _sub,
    Op.MUL: _mul,
    Op.SHL: _moved(lambda rows, amount: ((0,) * min(amount, len(rows)) + rows)[: len(rows)]),
    Op.SHR: _moved(lambda rows, amount: rows[amount:] + (0,) * min(amount, len(rows))),
    Op.ROL: _moved(_rol),
    Op.ROR: _moved(lambda rows, amount: _rol(rows, -amount)),
    Op.SELECT: _select,
    Op.SLICE: lambda node, operands: operands[0][node.attr : node.attr + node.width],
    Op.JOIN: lambda node, operands: tuple(row for rows in operands for row in rows),
    Op.EXTEND: lambda node, operands: operands[0] + (0,) * (node.width - len(operands[0])),
    Op.LINEAR: _linear,
}
