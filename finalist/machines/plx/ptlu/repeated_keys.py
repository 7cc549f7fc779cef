"""Entries of the key that all lanes of a register take: arrays that have each of them as often."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter
from finalist.ir.types import ArrayType
from finalist.machines.plx.ptlu.builder import WideBuilder
from finalist.passes.simplify import simplify


class RepeatedKeys:
    """``ascending``: whether of words in memory the first is in the lowest lane of a register."""

    def __init__(self, wide: WideBuilder, ascending: bool) -> None:
        self.wide, self.ascending = wide, ascending
        #: By array the entries that are read, in the order of their first reading.
        self._read: dict[Node, list[int]] = {}
        self._made: dict[Node, Node] = {}

    def register(self, entry: Node) -> Node:
        """A register of nothing but an entry at a fixed place."""
        array, place = entry.inputs[0], int(entry.inputs[1].attr)
        make, lanes = self.wide.make, self.wide.lanes
        read = self._read.setdefault(array, [])
        if place not in read:
            read.append(place)
        if array not in self._made:
            type_ = ArrayType(array.length * lanes, array.width)
            self._made[array] = make.param("key", type_, f"{array.name}_repeated")
        first = read.index(place) * lanes
        places = [first + (k if self.ascending else lanes - 1 - k) for k in range(lanes)]
        return self.wide.register(
            [make.make(Op.LOAD, (self._made[array], make.const(k, 32))) for k in places]
        )

    def arrays(self) -> list[Node]:
        """The parameters that a kernel has for them."""
        return list(self._made.values())

    def expanded(self, expand: Graph, arrays: Sequence[Node]) -> Graph:
        """The key schedule that makes them too. ``arrays``: the parameters that its results were so far."""
        make, lanes = Builder(simplify), self.wide.lanes
        results = Rewriter(make).all(expand.results)
        for array, new in self._made.items():
            source, copies = results[list(arrays).index(array)], make.array([0] * new.length, new.width)
            for number, place in enumerate(self._read[array]):
                entry = make.make(Op.LOAD, (source, make.const(place, 32)))
                for k in range(lanes):
                    copies = make.make(Op.STORE, (copies, make.const(number * lanes + k, 32), entry))
            results.append(copies)
        return Graph(expand.name, expand.params, results, expand.rounds)
