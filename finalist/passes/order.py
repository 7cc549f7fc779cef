"""The order of statements: round by round, whatever needs the fewest further operations first.

Where a round works on more values than a machine has registers (bit planes), the order in which its
parts are finished decides how many wait in memory. Here the part that needs the fewest further
operations is always finished next, and whatever has all its operands and is the last to need one of
them follows at once.
"""

from __future__ import annotations

from collections import Counter

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, effective_phases
from finalist.ir.rewrite import Rewriter


def ordered(graph: Graph) -> Graph:
    """The same graph, its nodes made in the order described above."""
    rewriter = Rewriter(Builder(), order=_order)
    for node in _order(graph):
        rewriter.get(node)
    return Graph(graph.name, graph.params, rewriter.all(graph.results), graph.rounds)


def _order(region: Region) -> list[Node]:
    phases = effective_phases(region)
    by_phase: dict[int, list[Node]] = {}
    for node in region.body:
        by_phase.setdefault(phases[node], []).append(node)
    kept = _live_out(region, phases)
    return [node for phase in sorted(by_phase) for node in _Phase(by_phase[phase], kept).order()]


def _live_out(region: Region, phases: dict[Node, int]) -> set[Node]:
    """Nodes that a later phase, or the region's end, takes."""
    kept = set(region.results)
    for node in region.body:
        kept.update(c for c in node.inputs if c in phases and phases[c] < phases[node])
    return kept


class _Phase:
    """The nodes of one round, being put in order."""

    def __init__(self, nodes: list[Node], kept: set[Node]) -> None:
        self.nodes = nodes
        self.inside = set(nodes)
        self.kept = kept
        self.waiting = dict.fromkeys(nodes)
        self.needs = _needs(nodes)
        self.uses = Counter(child for node in nodes for child in set(node.inputs))
        self.done: list[Node] = []

    def order(self) -> list[Node]:
        """All nodes, operands before users."""
        targets = [node for node in self.nodes if node in self.kept]
        while targets:
            target = min(targets, key=self._missing)
            targets.remove(target)
            for node in self.needs[target]:
                self._emit(node)
            self._follow_up()
        return [*self.done, *self.waiting]

    def _missing(self, node: Node) -> int:
        return sum(1 for needed in self.needs[node] if needed in self.waiting)

    def _emit(self, node: Node) -> None:
        if node in self.waiting:
            del self.waiting[node]
            self.done.append(node)
            self.uses.subtract(set(node.inputs))

    def _follow_up(self) -> None:
        """Emit what is ready and frees an operand, until nothing does."""
        before = -1
        while before != len(self.done):
            before = len(self.done)
            for node in list(self.waiting):
                if self._frees(node):
                    self._emit(node)

    def _frees(self, node: Node) -> bool:
        own = {child for child in node.inputs if child in self.inside}
        ready = not any(child in self.waiting for child in own)
        return ready and any(self.uses[child] == 1 and child not in self.kept for child in own)


def _needs(nodes: list[Node]) -> dict[Node, list[Node]]:
    """For each node what it needs within the phase, itself last, operands before users."""
    needs: dict[Node, dict[Node, None]] = {}
    for node in nodes:
        own: dict[Node, None] = {}
        for child in node.inputs:
            own.update(needs.get(child, {}))
        own[node] = None
        needs[node] = own
    return {node: list(own) for node, own in needs.items()}
