"""Rounds within rounds: a round that does the same many times over has these as rounds of their own.

DEAL's round function is the whole of DES, sixteen equal rounds that its definition does not call rounds.
Where code for one of DEAL's rounds is long, those are what a loop should be made of; and equal rounds that
have such loops within are one loop around another:

for r < 16: DES of key 0;  for r < 16: DES of key 1; ...   ->   for q < 6: for r < 16: DES of key q
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, effective_phases, reads_parameter
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, substitute
from finalist.passes.repetition.iterations import Stretch, kind, labels, stretches
from finalist.passes.rounds.roll import rolled

#: The fewest iterations and operations an iteration that are worth a loop.
_ITERATIONS, _OPERATIONS = 4, 16


def with_inner_rounds(graph: Graph) -> Graph:
    """The graph with phases and rounds after what repeats within its rounds; as it is where nothing does."""
    phases = effective_phases(graph)
    nodes: dict[int, list[Node]] = {}
    for node in graph.body:
        nodes.setdefault(phases[node], []).append(node)
    within = {phase: found for phase, body in nodes.items() if (found := _repetition(body))}
    return _renumbered(graph, nodes, within) if within else graph


def _renumbered(graph: Graph, nodes: dict[int, list[Node]], within: dict[int, Stretch]) -> Graph:
    """Each phase with a stretch within as one before, one for each iteration and one after."""
    made: dict[Node, int] = {}
    first: dict[int, int] = {}
    rounds: list[tuple[int, int]] = []
    following = 0
    for phase in range(max(nodes) + 1):
        first[phase] = following
        stretch = within.get(phase)
        for position, node in enumerate(nodes.get(phase, ())):
            made[node] = following + (stretch.iteration(position) + 1 if stretch else 0)
        if stretch:
            rounds.append((following + 1, stretch.iterations))
        following += stretch.iterations + 2 if stretch else 1
    whole = (group for group in graph.rounds if not within.keys() & set(range(group[0], sum(group))))
    rounds += [(first.get(start, following), count) for start, count in whole]
    return in_phases(graph, made, tuple(sorted(rounds)))


def in_phases(graph: Graph, phases: dict[Node, int], rounds: tuple[tuple[int, int], ...]) -> Graph:
    """The graph with its nodes in these phases, and these rounds."""
    make = Builder()
    new: dict[Node, Node] = {}
    for node in graph.body:
        make.phase, make.line = phases[node], node.line
        inputs = tuple(new.get(child, child) for child in node.inputs)
        new[node] = make.make(node.op, inputs, node.attr, type_=node.type)
        new[node].name = new[node].name or node.name
    results = [new.get(node, node) for node in graph.results]
    return Graph(graph.name, graph.params, results, rounds)


def _repetition(nodes: Sequence[Node]) -> Stretch | None:
    """The stretch that saves the most operations; of those the one with the shortest iterations."""
    found = stretches(labels(map(kind, nodes)), 0, len(nodes), _OPERATIONS)
    best = next((stretch for stretch in found if stretch.iterations >= _ITERATIONS), None)
    return best if best and 2 * best.saved >= len(nodes) else None


def nested(graph: Graph, period: int | None) -> Graph:
    """The graph, after `with_inner_rounds`, as loops of whole rounds with loops of ``period`` of the rounds
    within; as it is where its rounds have none within, or are not alike."""
    outer = _whole_rounds(graph)
    if outer is None:
        return graph
    first, phases, count = outer
    # What makes results of the last round's values comes after it.
    after = {node: node.phase for node in graph.body} | dict.fromkeys(graph.results, first + phases * count)
    apart = in_phases(graph, after, ((first, phases * count),))
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
