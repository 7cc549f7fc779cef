"""Rounds within rounds: a round that does the same many times over has these as rounds of their own.

DEAL's round function is the whole of DES, sixteen equal rounds that its definition does not call rounds.
Where code for one of DEAL's rounds is long, those are what a loop should be made of.
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, effective_phases
from finalist.passes.repetition.stretches import Stretch, kind, labels, stretches

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
