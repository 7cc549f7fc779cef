"""Cells of hardware on bits that may not be known."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.netlist.circuit import Cell, Kind
from finalist.prove import gates
from finalist.prove.bits import Bits, Word, bits_of, complement, known
from finalist.prove.merge import Merger
from finalist.prove.words import Words


class Unknown:
    """The store's bits, as `finalist.netlist.course.Algebra` asks for them."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.merger = Merger(words)

    def constant(self, value: int) -> int:
        """0 or 1."""
        return value

    def unknown(self, name: object) -> int:
        """A bit that nothing is known of."""
        return self.words.symbol(name, 1)[0]

    def same(self, a: int, b: int) -> bool:
        """Whether two bits are one."""
        return a == b

    def table(self, truth: int, inputs: Sequence[int]) -> int:
        """A bit of a truth table."""
        self.words.check()
        return self.merger.same(gates.table(self.words, truth, inputs))

    def word(self, cell: Cell, inputs: Sequence[Sequence[int]]) -> Bits:
        """The outputs of a cell of any other kind."""
        self.words.check()
        words, first = self.words, tuple(inputs[0])
        if cell.kind is Kind.ALL:
            return (words.nonzero(complement(first)) ^ 1,)
        if cell.kind is Kind.ANY:
            return (words.nonzero(first),)
        if cell.kind is Kind.PARITY:
            return (words.store.total(first),)
        if cell.kind is Kind.LESS:
            return (words.sums.limbs.less(first, tuple(inputs[1])),)
        width = len(cell.outputs)
        return bits_of(self._number(cell, [known(tuple(bits)) for bits in inputs], width), width)

    def _number(self, cell: Cell, inputs: Sequence[Word], width: int) -> Word:
        if cell.kind is Kind.ROM:
            return self.words.lookup(cell.words, inputs[0], width, cell.words)
        if cell.kind is Kind.PRODUCT:
            return self.words.products.multiply(inputs[0], inputs[1], width)
        return self.words.sums.add([(word, 1) for word in inputs], 0, width)
