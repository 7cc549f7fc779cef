"""Round keys stored as they are computed, where they are more than registers.

    a = f(k); b = g(a); ... e[0] = a; e[1] = b   ->   a = f(k); e[0] = a; b = g(a); e[1] = b; ...

A round key that is stored at the end has a live range up to there. Of more than there are registers a
compiler spills some; gcc does so into the expanded key itself, and reloads from there what the next round
key is made of. Recent processors forward a store to a move at no cost (memory renaming), but a rotation
that reads memory (RORX, of BMI2) waits five cycles. So SIMON's key schedule takes 0.55 of the time, LEA's
0.75, DES's 0.93. (Scheduling for short live ranges: J. R. Goodman, W.-C. Hsu, "Code Scheduling and
Register Allocation in Large Basic Blocks", ICS 1988.)

Where hardly more is computed than stored, or all stays in registers, stores remain together at the end, for
compilers to do several at once in vectors: Threefish's would take 1.5 times as long, Magma's 1.4.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, users_of
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter
from finalist.passes.analysis import stored

#: General registers, of which x86-64 has fewest; operations for each store, at least.
_REGISTERS, _WORK = 16, 1.25


def with_early_stores(graph: Graph) -> Graph:
    """The graph with each entry of its results stored right after it is computed, in straight-line code."""
    users = users_of(graph.body)
    chains = {result: chain for result in graph.results if (chain := _chain(result, users)) is not None}
    values = [value for chain in chains.values() for value in chain.entries.values()]
    live = {value for value in values if value.op is not Op.CONST}
    work = sum(node.op not in (Op.ARRAY, Op.STORE) for node in graph.body)
    if len(live) <= _REGISTERS or work < _WORK * len(values):
        return graph
    return _Early(graph, chains).made()


class _Chain(NamedTuple):
    """Stores that fill a fresh array, each at another constant index: the array, the value at each index, and
    the versions of the array after each store."""

    fresh: Node
    entries: Mapping[int, Node]
    versions: Sequence[Node]


def _chain(result: Node, users: Mapping[Node, Collection[Node]]) -> _Chain | None:
    """The stores that make a result; None where something else makes it, or a version of it is read."""
    versions, array = [], result
    while array.op is Op.STORE:
        versions.append(array)
        array = array.inputs[0]
    entries, fresh = stored(result)
    read = result in users or any(len(users[version]) > 1 for version in (*versions, array)[1:])
    if fresh.op is not Op.ARRAY or len(versions) != len(entries) or read:
        return None
    return _Chain(fresh, entries, versions)


class _Early:
    """The graph made anew, its chains' stores in the order in which their values are computed."""

    def __init__(self, graph: Graph, chains: Mapping[Node, _Chain]) -> None:
        self.graph = graph
        self.make = Builder()
        self.rewriter = Rewriter(self.make)
        #: Of each result the version after the stores so far.
        self.version = {result: self.rewriter.get(chain.fresh) for result, chain in chains.items()}
        self.left_out = {node for chain in chains.values() for node in chain.versions}
        #: Of each value the results and the indices that it is stored at.
        self.targets: dict[Node, list[tuple[Node, int]]] = {}
        for result, chain in chains.items():
            for index, value in sorted(chain.entries.items()):
                self.targets.setdefault(value, []).append((result, index))

    def made(self) -> Graph:
        given = [value for value in self.targets if value.op in (Op.CONST, Op.PARAM)]
        for node in (*given, *self.graph.body):
            if node not in self.left_out:
                self._store(node, self.rewriter.get(node))
        results = [self.version.get(result) or self.rewriter.get(result) for result in self.graph.results]
        return Graph(self.graph.name, self.graph.params, results, self.graph.rounds)

    def _store(self, node: Node, value: Node) -> None:
        for result, index in self.targets.get(node, ()):
            self.make.phase, self.make.line = value.phase, result.line
            at = self.make.const(index, result.inputs[1].width)
            self.version[result] = self.make.make(Op.STORE, (self.version[result], at, value))
