"""Round keys stored as they are computed, where they are more than registers.

    a = f(k); b = g(a); ... e[0] = a; e[1] = b   ->   a = f(k); e[0] = a; b = g(a); e[1] = b; ...

A round key that is stored at the end has a live range up to there. Of more than there are registers a
compiler spills some; gcc does so into the expanded key itself, and takes from there what the next round key
is made of. Recent processors rename memory that a move reads, but a rotation that reads it (RORX, of BMI2)
waits five cycles for what was just stored. So SIMON's key schedule takes 0.55 of the time, LEA's 0.75,
DES's 0.93.

Where hardly more is computed than stored, or all stays in registers, stores remain together at the end, for
compilers to do several at once in vectors: Threefish's would take 1.5 times as long, Magma's 1.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, users_of
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter
from finalist.passes.analysis import stored

#: General registers, of which x86-64 has fewest; operations for each store, at least.
_REGISTERS, _WORK = 16, 1.25


def with_early_stores(graph: Graph) -> Graph:
    """The graph with each entry of its results stored next to the value, in code without loops."""
    chains = {result: chain for result in graph.results if (chain := _Chain.of(graph, result)) is not None}
    values = [value for chain in chains.values() for value in chain.entries.values()]
    live = {value for value in values if value.op is not Op.CONST}
    work = sum(node.op not in (Op.ARRAY, Op.STORE) for node in graph.body)
    if len(live) <= _REGISTERS or work < _WORK * len(values):
        return graph
    return _Early(graph, chains).made()


class _Chain:
    """An array that is filled by stores alone, each at another constant index; by index what is stored."""

    def __init__(self, fresh: Node, entries: Mapping[int, Node], versions: frozenset[Node]) -> None:
        self.fresh, self.entries, self.versions = fresh, entries, versions

    @classmethod
    def of(cls, graph: Graph, result: Node) -> _Chain | None:
        """That of a result; None where it is made otherwise, or a version of it is read."""
        entries, fresh = stored(result)
        versions = list(_versions(result))
        users = users_of(graph.body)
        alone = all(len(users.get(version, ())) == 1 for version in (*versions[1:], fresh))
        read = result in users or not alone
        if fresh.op is not Op.ARRAY or len(versions) != len(entries) or read:
            return None
        return cls(fresh, entries, frozenset(versions))


def _versions(array: Node) -> Iterator[Node]:
    while array.op is Op.STORE:
        yield array
        array = array.inputs[0]


class _Early:
    """The graph made anew, its chains' stores in the order in which their values are made."""

    def __init__(self, graph: Graph, chains: Mapping[Node, _Chain]) -> None:
        self.graph = graph
        self.make = Builder()
        self.rewriter = Rewriter(self.make)
        self.last = {result: self.rewriter.get(chain.fresh) for result, chain in chains.items()}
        self.left_out = frozenset(node for chain in chains.values() for node in chain.versions)
        self.places: dict[Node, list[tuple[Node, int]]] = {}
        for result, chain in chains.items():
            for index, value in sorted(chain.entries.items()):
                self.places.setdefault(value, []).append((result, index))

    def made(self) -> Graph:
        given = [value for value in self.places if value.op in (Op.CONST, Op.PARAM)]
        for node in (*given, *self.graph.body):
            if node not in self.left_out:
                self._store(node, self.rewriter.get(node))
        results = [self.last.get(result) or self.rewriter.get(result) for result in self.graph.results]
        return Graph(self.graph.name, self.graph.params, results, self.graph.rounds)

    def _store(self, node: Node, value: Node) -> None:
        for result, index in self.places.get(node, ()):
            self.make.phase, self.make.line = value.phase, result.line
            place = self.make.const(index, result.inputs[1].width)
            self.last[result] = self.make.make(Op.STORE, (self.last[result], place, value))
