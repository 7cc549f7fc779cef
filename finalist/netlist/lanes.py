"""Bits of many executions at once: a number, one execution a bit of it."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.netlist.circuit import Cell, Kind
from finalist.netlist.course import computed
from finalist.netlist.tables import over


class Lanes:
    """Numbers of ``count`` bits, one a lane. What nothing is known of is 0."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.ones = (1 << count) - 1

    def constant(self, value: int) -> int:
        """The same bit in all lanes."""
        return self.ones * value

    def unknown(self, name: object) -> int:
        """0, as a simulator begins."""
        return 0

    def same(self, a: int, b: int) -> bool:
        """Whether two bits are equal in all lanes."""
        return a == b

    def table(self, truth: int, inputs: Sequence[int]) -> int:
        """The bit of a truth table."""
        return over(truth, inputs, self.ones)

    def word(self, cell: Cell, inputs: Sequence[Sequence[int]]) -> Sequence[int]:
        """The outputs of a cell."""
        if cell.kind is Kind.SUM:
            return self._sum(*inputs)
        rows = [lanes_of(word, self.count) for word in inputs]
        made = [computed(cell, words) for words in zip(*rows, strict=True)]
        return bits_of_lanes(made, len(cell.outputs))

    def _sum(self, a: Sequence[int], b: Sequence[int], carry: Sequence[int]) -> list[int]:
        found, carried = [], carry[0]
        for x, y in zip(a, b, strict=True):
            found.append(x ^ y ^ carried)
            carried = x & y | carried & (x ^ y)
        return found


def lanes_of(bits: Sequence[int], count: int) -> list[int]:
    """The number in each lane."""
    return [sum((bit >> lane & 1) << k for k, bit in enumerate(bits)) for lane in range(count)]


def bits_of_lanes(numbers: Sequence[int], width: int) -> list[int]:
    """The inverse of `lanes_of`."""
    return [sum((number >> k & 1) << lane for lane, number in enumerate(numbers)) for k in range(width)]
