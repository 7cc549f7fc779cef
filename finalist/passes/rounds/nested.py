"""Loops within a loop: equal rounds that have equal rounds within (see `inner`) as one loop around another.

for r < 16: DES of key 0;  for r < 16: DES of key 1; ...   ->   for q < 6: for r < 16: DES of key q
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, reads_parameter
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, substitute
from finalist.passes.rounds.inner import in_phases
from finalist.passes.rounds.roll import rolled


def nested(graph: Graph, period: int | None) -> Graph:
    """The graph, after `with_inner_rounds`, as loops of whole rounds with loops of ``period`` of the rounds
    within; as it is where its rounds have none within, or are not alike."""
    outer = _whole_rounds(graph)
    if outer is None:
        return graph
    first, phases, count = outer
    apart = in_phases(graph, _results_after(graph, first + phases * count), ((first, phases * count),))
    looped = rolled(apart, phases)
    made = {node: _with_loops(node, graph, period) for node in looped.body if node.op is Op.LOOP}
    if not made:
        return graph
    return Graph(graph.name, looped.params, substitute(looped.results, made, Builder()), graph.rounds)


def _whole_rounds(graph: Graph) -> tuple[int, int, int] | None:
    """The first phase of the rounds that have rounds within, the phases of each, and how many there are."""
    starts = [start for start, _ in graph.rounds]
    steps = {after - before for before, after in pairwise(starts)}
    sizes = {count for _, count in graph.rounds}
    if len(steps) != 1 or len(sizes) != 1 or sizes.pop() + 2 != min(steps):
        return None
    return starts[0] - 1, steps.pop(), len(starts)


def _results_after(graph: Graph, phase: int) -> dict[Node, int]:
    """The phases of all nodes, where those that make results of the last round's values come after it."""
    return {node: node.phase for node in graph.body} | dict.fromkeys(graph.results, phase)


def _with_loops(loop: Node, graph: Graph, period: int | None) -> Node:
    """A loop of whole rounds, with the rounds within as loops, too."""
    region, make = loop.region, Builder()
    # As a graph of its own: what comes from outside are parameters of it, and reads of keys its own.
    reads = [node for node in region.free if reads_parameter(node)]
    keys = dict.fromkeys([*(n for n in region.free if n.op is Op.PARAM), *(n.inputs[0] for n in reads)])
    outside = [node for node in region.free if node not in keys and node not in reads]
    given = {node: make.param("carried", node.type, node.name) for node in outside}
    params = (*region.params, *keys, *given.values())
    whole = Graph(graph.name, params, _with(region.body, region.results, given), graph.rounds[:1])
    looped = rolled(whole, period)
    taken = {param: node for node, param in given.items()}
    return make.make(loop.op, loop.inputs, Region(region.params, _with(looped.body, looped.results, taken)))


def _with(body: Sequence[Node], results: Sequence[Node], others: Mapping[Node, Node]) -> list[Node]:
    """The results with other nodes in the place of some, all that takes those made anew in its order."""
    if not others:
        return list(results)
    rewriter = Rewriter(Builder())
    rewriter.map.update(others)
    rewriter.all(body)
    return rewriter.all(results)
