"""The critical path: the longest chain of operations, each of which needs the one before."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping

from finalist.ir.builder import mask
from finalist.ir.graph import Graph, Node, Region, operands
from finalist.ir.ops import Op
from finalist.report.kinds import MOVES, Kind, kinds_of

#: Operations whose chains may be computed as trees.
_SUMS = frozenset({Op.XOR, Op.ADD, Op.AND, Op.OR})


def critical_path(graph: Graph, latency: Mapping[Kind, int] | None = None, *, trees: bool = False) -> int:
    """The length of the longest chain from the parameters to the results.

    Every operation is 1, what only moves words 0; ``latency`` gives others. With ``trees``, chains of
    sums are computed in the order that is soonest done.
    """
    return _Path(graph, latency or {}, trees=trees).longest()


class _Path:
    """``done``: when each value is there; ``carried``: when those that a loop or conditional yields are."""

    def __init__(self, graph: Graph, latency: Mapping[Kind, int], *, trees: bool) -> None:
        self.graph = graph
        self.kinds = kinds_of(graph)
        self.trips = Trips()
        self.latency = latency
        self.trees = trees
        self.done: dict[Node, int] = {}
        self.carried: dict[Node, list[int]] = {}

    def longest(self) -> int:
        self._region(self.graph)
        return max(self._of(result) for result in self.graph.results)

    def _of(self, node: Node) -> int:
        return self.done.get(node, 0)

    def _cost(self, node: Node) -> int:
        kind = self.kinds(node)
        return 0 if kind is None else self.latency.get(kind, 0 if kind in MOVES else 1)

    def _region(self, region: Region) -> None:
        uses = Counter(child for node in region.body for child in operands(node))
        uses.update(region.results)
        summands: dict[Node, list[int]] = {}
        for node in region.body:
            if node.op is Op.LOOP or node.op is Op.WHEN:
                self._control(node)
            elif self.trees and node.op in _SUMS:
                summands[node] = [
                    time
                    for child in node.inputs
                    for time in self._parts(node, child, summands if uses[child] == 1 else {})
                ]
                self.done[node] = _soonest(summands[node], self._cost(node))
            elif node.op is Op.RESULT and node.inputs[0] in self.carried:
                self.done[node] = self.carried[node.inputs[0]][node.attr]
            else:
                self.done[node] = self._cost(node) + max(map(self._of, node.inputs), default=0)

    def _parts(self, node: Node, child: Node, summands: Mapping[Node, list[int]]) -> list[int]:
        """When the summands of an operand are there, if it is a sum of the same sort that only this needs."""
        same = child.op is node.op and child.width == node.width and child in summands
        return summands[child] if same else [self._of(child)]

    def _control(self, node: Node) -> None:
        """What a loop carries goes through it each iteration; what a condition guards waits for it."""
        loop, params = node.op is Op.LOOP, node.region.params
        lead = 2 if loop else 1
        begin = max(map(self._of, node.inputs[:lead])) + self._cost(node)
        carried = [max(begin, self._of(child)) for child in node.inputs[lead:]]
        index = params[: len(params) - len(carried)]
        for _ in range(self._trips(node) if loop else 1):
            self.done.update(dict.fromkeys(index, begin))
            self.done.update(zip(params[len(index) :], carried, strict=True))
            self._region(node.region)
            results = [max(begin, self._of(result)) for result in node.region.results]
            carried = results if loop else list(map(max, carried, results))
        self.carried[node] = carried

    def _trips(self, loop: Node) -> int:
        _, most = self.trips(loop)
        return 1 if most is None else most


def _soonest(times: list[int], cost: int) -> int:
    """When a sum is there, if always the two that are there first are added."""
    waiting = list(times)
    heapq.heapify(waiting)
    while len(waiting) > 1:
        heapq.heappop(waiting)
        heapq.heapreplace(waiting, waiting[0] + cost)
    return waiting[0]


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
