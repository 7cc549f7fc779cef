"""The order of statements: round by round, whatever needs the fewest further operations first.

Where a round works on more values than a machine has registers (bit planes), the order in which its
parts are finished decides how many wait in memory. Here the part that needs the fewest further
operations is always finished next, and whatever has all its operands and is the last to need one of
them follows at once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from heapq import heapify, heappop, heappush

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, effective_phases, every_node, operands, users_of
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter


def ordered(graph: Graph) -> Graph:
    """The same graph, in each round what needs the fewest further operations first."""
    return _in_order(graph, _order)


def _in_order(graph: Graph, order: Callable[[Region], list[Node]]) -> Graph:
    rewriter = Rewriter(Builder(), order=order)
    for node in order(graph):
        rewriter.get(node)
    return Graph(graph.name, graph.params, rewriter.all(graph.results), graph.rounds)


def with_calls_in_turns(graph: Graph) -> Graph:
    """The same graph, in each round the functions that wait for as many others side by side.

    A function is long and its values wait in memory anyway: what counts is that a CPU can begin the next one
    before this one is done.  Graphs without functions stay as they are.
    """
    if not any(node.op is Op.APPLY for node in every_node(graph)):
        return graph
    return _in_order(graph, _by_calls)


def _by_calls(region: Region) -> list[Node]:
    phases = effective_phases(region)
    calls: dict[Node, int] = {}
    for node in region.body:
        before = max((calls.get(child, 0) for child in operands(node)), default=0)
        calls[node] = before + (node.op is Op.APPLY)
    return sorted(region.body, key=lambda node: (phases[node], calls[node]))


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
        self.place = {node: place for place, node in enumerate(nodes)}
        self.kept = kept
        self.waiting = dict.fromkeys(nodes)
        self.uses = Counter(child for node in nodes for child in set(node.inputs))
        self.users = users_of(self.nodes, lambda node: set(node.inputs))
        self.done: list[Node] = []
        #: Places of nodes that may free an operand by now: they are looked at in their order.
        self.touched = list(range(len(nodes)))

    def order(self) -> list[Node]:
        """All nodes, operands before users."""
        targets = {node: self._needs(node) for node in self.nodes if node in self.kept}
        missing = {target: len(needs) for target, needs in targets.items()}
        needed_by: dict[Node, list[Node]] = defaultdict(list)
        for target, needs in targets.items():
            for node in needs:
                needed_by[node].append(target)
        counted = 0
        while missing:
            target = min(missing, key=missing.__getitem__)
            del missing[target]
            for node in targets[target]:
                self._emit(node)
            self._follow_up()
            for node in self.done[counted:]:
                for other in needed_by[node]:
                    if other in missing:
                        missing[other] -= 1
            counted = len(self.done)
        return [*self.done, *self.waiting]

    def _emit(self, node: Node) -> None:
        if node not in self.waiting:
            return
        del self.waiting[node]
        self.done.append(node)
        self._touch(node)
        for child in set(node.inputs):
            self.uses[child] -= 1
            if self.uses[child] == 1:
                self._touch(child)

    def _touch(self, node: Node) -> None:
        """A user of this node may have become ready, or the last one."""
        self.touched += [self.place[user] for user in self.users.get(node, ()) if user in self.waiting]

    def _follow_up(self) -> None:
        """Emit what is ready and frees an operand, pass after pass over the nodes, until nothing does."""
        turn, self.touched = self.touched, []
        while turn:
            heapify(turn)
            later: list[int] = []
            while turn:
                place = heappop(turn)
                node = self.nodes[place]
                if node in self.waiting and self._frees(node):
                    self._emit(node)
                    for touched in self.touched:
                        if touched > place:
                            heappush(turn, touched)
                        else:
                            later.append(touched)
                    self.touched = []
            turn = later

    def _frees(self, node: Node) -> bool:
        own = [child for child in node.inputs if child in self.place]
        ready = not any(child in self.waiting for child in own)
        return ready and any(self.uses[child] == 1 and child not in self.kept for child in own)

    def _needs(self, target: Node) -> list[Node]:
        """What a node needs within the phase, itself last, operands before users."""
        done: dict[Node, None] = {}
        waiting = [target]
        while waiting:
            node = waiting[-1]
            missing = [child for child in node.inputs if child in self.place and child not in done]
            if missing:
                waiting += reversed(missing)
            else:
                done[waiting.pop()] = None
        return list(done)
