"""How many iterations a loop has, as far as its bounds tell."""

from __future__ import annotations

from finalist.ir.builder import mask
from finalist.ir.graph import Node
from finalist.ir.ops import Op


class Trips:
    """``trips(loop)``: the least and the greatest number of iterations; the latter None if nothing bounds it.

    Loops are to be asked for from the outermost inwards: the bounds of one may depend on the index of
    another.
    """

    def __init__(self) -> None:
        self._limits: dict[Node, tuple[int, int]] = {}

    def __call__(self, loop: Node) -> tuple[int, int | None]:
        start, stop = (self._range(bound) for bound in loop.inputs[:2])
        self._limits[loop.region.params[0]] = (start[0], max(start[0], stop[1] - 1))
        unbounded = stop[1] == mask(loop.inputs[1].width) and stop[0] < stop[1]
        return max(0, stop[0] - start[1]), None if unbounded else max(0, stop[1] - start[0])

    def _range(self, node: Node) -> tuple[int, int]:
        """The least and the greatest value that the word can have."""
        full = (0, mask(node.width))
        if node.op is Op.CONST:
            return node.attr, node.attr
        if node.op is Op.EXTEND:
            return self._range(node.inputs[0])
        if node.op is Op.ADD or node.op is Op.SUB:
            (low, high), (least, most) = (self._range(child) for child in node.inputs)
            found = (low + least, high + most) if node.op is Op.ADD else (low - most, high - least)
            return found if found[0] >= 0 and found[1] <= full[1] else full
        return self._limits.get(node, full)
