"""The order of statements: round by round, each value as late as its first user allows.

Where a round works on more values than a machine has registers (bit planes), the order in which its
parts are finished decides how many wait in memory. Here the part that needs the fewest further
operations is always finished next.
"""

from __future__ import annotations

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
    order: list[Node] = []
    for phase in sorted(by_phase):
        order += _order_phase(by_phase[phase], kept)
    return order


def _live_out(region: Region, phases: dict[Node, int]) -> set[Node]:
    """Nodes that a later phase, or the region's end, takes."""
    kept = set(region.results)
    for node in region.body:
        kept.update(c for c in node.inputs if c in phases and phases[c] < phases[node])
    return kept


def _order_phase(nodes: list[Node], kept: set[Node]) -> list[Node]:
    waiting = dict.fromkeys(nodes)
    needs = _needs(nodes)
    targets = [node for node in nodes if node in kept]
    order: list[Node] = []
    while targets:
        target = min(targets, key=lambda node: _size(node, needs, waiting))
        targets.remove(target)
        for node in needs[target]:
            if node in waiting:
                del waiting[node]
                order.append(node)
    return order + list(waiting)


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


def _size(node: Node, needs: dict[Node, list[Node]], waiting: dict[Node, None]) -> int:
    return sum(1 for needed in needs[node] if needed in waiting)
