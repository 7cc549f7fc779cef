"""Rounds within rounds: a round that does the same many times over has these as rounds of their own.

DEAL's round function is the whole of DES, sixteen equal rounds that its definition does not call rounds.
Where code for one of DEAL's rounds is long, those are what a loop should be made of.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, effective_phases
from finalist.ir.ops import Op

#: The fewest turns and operations a turn that are worth a loop.
_TURNS, _OPERATIONS = 4, 16


@dataclass(frozen=True, slots=True)
class Repeat:
    """``turns`` stretches of ``period`` operations each, alike, from place ``start`` on."""

    start: int
    period: int
    turns: int

    def turn(self, place: int) -> int:
        """Which turn a place is in: -1 before the first, ``turns`` after the last."""
        return min(max((place - self.start) // self.period, -1), self.turns)


def with_inner_rounds(graph: Graph) -> Graph:
    """The graph with phases and rounds after what repeats within its rounds; as it is where nothing does."""
    phases = effective_phases(graph)
    nodes: dict[int, list[Node]] = {}
    for node in graph.body:
        nodes.setdefault(phases[node], []).append(node)
    repeats = {phase: found for phase, body in nodes.items() if (found := _repeat(body))}
    return _renumbered(graph, nodes, repeats) if repeats else graph


def _renumbered(graph: Graph, nodes: dict[int, list[Node]], repeats: dict[int, Repeat]) -> Graph:
    """Each phase with a repeat as one before, one for each turn and one after."""
    made: dict[Node, int] = {}
    first: dict[int, int] = {}
    rounds: list[tuple[int, int]] = []
    following = 0
    for phase in range(max(nodes) + 1):
        first[phase] = following
        repeat = repeats.get(phase)
        for place, node in enumerate(nodes.get(phase, ())):
            made[node] = following + (repeat.turn(place) + 1 if repeat else 0)
        if repeat:
            rounds.append((following + 1, repeat.turns))
        following += repeat.turns + 2 if repeat else 1
    whole = (group for group in graph.rounds if not repeats.keys() & set(range(group[0], sum(group))))
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


def _repeat(nodes: list[Node]) -> Repeat | None:
    """The repeat that saves the most operations; of those the one with the shortest turns."""
    numbers: dict[Hashable, int] = {}
    kinds = [numbers.setdefault(_kind(node), len(numbers)) for node in nodes]
    best = None
    for period in range(_OPERATIONS, len(kinds) // _TURNS + 1):
        found = _longest(kinds, period)
        if found.turns >= _TURNS and (best is None or _saved(found) > _saved(best)):
            best = found
    return best if best and 2 * _saved(best) >= len(nodes) else None


def _saved(repeat: Repeat) -> int:
    return (repeat.turns - 1) * repeat.period


def _longest(kinds: list[int], period: int) -> Repeat:
    """The longest stretch in which each operation is like the one a period later."""
    best, start = Repeat(0, period, 1), 0
    for place in range(len(kinds) - period + 1):
        if place < len(kinds) - period and kinds[place] == kinds[place + period]:
            continue
        turns = (place - start) // period + 1
        if turns > best.turns:
            best = Repeat(start, period, turns)
        start = place + 1
    return best


def _kind(node: Node) -> Hashable:
    """What operations of equal turns have in common."""
    widths = tuple(str(child.type) for child in node.inputs)
    attr = None if node.op in (Op.CONST, Op.PARAM) else node.attr
    return node.op, str(node.type), attr, widths
