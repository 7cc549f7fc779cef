"""Rounds as loops: equal rounds, traced one by one, become the iterations of one loop.

A definition may do in each round what it likes with the round's number (take another S-box, another
constant, other words of the key): whether rounds are equal is found out here, by comparing them node by
node. Constants that change from iteration to iteration are computed from its number; what a round takes from
rounds before is carried, through as many iterations as it is distant. A last round that leaves something out
at its end (the linear layer, say) is an iteration like the others whose last values nobody takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, effective_phases, reads_parameter
from finalist.ir.memoized import memoized
from finalist.ir.ops import COMMUTATIVE, CONTROL, Op
from finalist.ir.rewrite import substitute
from finalist.ir.types import ArrayType, WordType
from finalist.passes.repetition.operands import (
    FARTHEST,
    Invariant,
    Made,
    Operand,
    Series,
    constant_of,
    initial_values,
    operand_of,
    positions_of,
    undefined,
)

_PERIODS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)


@dataclass(frozen=True, slots=True)
class Found:
    """Equal iterations: ``segments[k]`` are the nodes of iteration k, position by position alike."""

    period: int
    segments: tuple[tuple[Node, ...], ...]

    @property
    def saved(self) -> int:
        """Rounds that need not be written."""
        return (len(self.segments) - 1) * self.period


def rolled(graph: Graph, period: int | None = None) -> Graph:
    """The graph with its runs of equal rounds as loops. ``period``: of so many rounds, None: the best."""
    for first, count in graph.rounds:
        graph = _roll_group(graph, first, first + count, period)
    return graph


@memoized
def natural_period(graph: Graph) -> int | None:
    """The fewest rounds after which every word is back in its place, so that a loop moves none."""
    for period in _PERIODS:
        loops = [node.region for node in rolled(graph, period).body if node.op is Op.LOOP]
        if loops and not any(set(region.results) & set(region.params) for region in loops):
            return period
    return None


def _roll_group(graph: Graph, first: int, stop: int, period: int | None) -> Graph:
    start = first
    by_phase = _by_phase(graph)
    while start < stop:
        found = _best(graph, by_phase, start, stop, (period,) if period else _PERIODS)
        if found is None:
            start += 1
            continue
        graph = _with_loop(graph, found)
        by_phase = _by_phase(graph)
        start += found.period * len(found.segments)
    return graph


def _best(graph: Graph, by_phase: _Phases, start: int, stop: int, periods: Sequence[int]) -> Found | None:
    best: Found | None = None
    for period in periods:
        found = _run(graph, by_phase, start, stop, period)
        if found and (best is None or found.saved > best.saved):
            best = found
    return best


@dataclass(frozen=True, slots=True)
class _Phases:
    """The nodes of each phase, and for reads of the key the last phase that takes what is read."""

    nodes: dict[int, list[Node]]
    last: dict[Node, int]

    def iteration(self, start: int, period: int) -> tuple[Node, ...]:
        """The nodes of an iteration; without reads that later ones need as well, which go before the loop."""
        phases = range(start, start + period)
        nodes = (node for phase in phases for node in self.nodes.get(phase, ()))
        return tuple(node for node in nodes if self.last.get(node, 0) < start + period)


def _by_phase(graph: Graph) -> _Phases:
    phases = effective_phases(graph)
    nodes: dict[int, list[Node]] = {}
    last: dict[Node, int] = {}
    for node in graph.body:
        nodes.setdefault(phases[node], []).append(node)
        for child in node.inputs:
            if reads_parameter(child):
                last[child] = max(last.get(child, 0), phases[node])
    return _Phases(nodes, last)


def _run(graph: Graph, by_phase: _Phases, start: int, stop: int, period: int) -> Found | None:
    """The longest run of equal iterations from ``start``; two at least."""
    segments = [by_phase.iteration(at, period) for at in range(start, stop - period + 1, period)]
    count = 1
    while count < len(segments) and _alike(segments[0], segments[count]):
        count += 1
    if count < len(segments) and segments[count] and _begins(segments[0], segments[count]):
        count += 1
    while count > 1:
        found = Found(period, tuple(segments[:count]))
        if segments[0] and _Plan(graph, found).possible:
            return found
        count -= 1
    return None


def _alike(a: tuple[Node, ...], b: tuple[Node, ...]) -> bool:
    """Whether two iterations are the same operations in one order (their operands are compared later)."""
    return len(a) == len(b) and _begins(a, b)


def _begins(a: tuple[Node, ...], b: tuple[Node, ...]) -> bool:
    """Whether iteration ``a`` begins with the operations of ``b``."""
    return len(b) <= len(a) and all(
        x.op is y.op
        and x.type == y.type
        and x.op not in CONTROL
        and (x.attr == y.attr or x.op is Op.CONST)
        and len(x.inputs) == len(y.inputs)
        for x, y in zip(a, b, strict=False)
    )


@dataclass
class _Plan:
    """How the operands of the iterations go together."""

    graph: Graph
    found: Found
    operands: dict[tuple[int, int], Operand] = field(default_factory=dict)
    #: By position and distance: what a carried value is before the first iteration.
    initial: dict[tuple[int, int], Node | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.positions = positions_of(self.found.segments)
        self.possible = self._find_operands() and self._carry_out() and self._arrays_in_place()

    def _find_operands(self) -> bool:
        every = []
        for position, node in enumerate(self.found.segments[0]):
            # The last iteration may leave this out.
            whole = [nodes[position] for nodes in self.found.segments if position < len(nodes)]
            inputs = self._in_one_order(whole) if node.op in COMMUTATIVE else [one.inputs for one in whole]
            for number in range(len(node.inputs)):
                series = [one[number] for one in inputs]
                operand, first = operand_of(series, self.positions)
                if first or not self._fits(operand):
                    return False
                self.operands[position, number] = operand
                every.append((operand, series))
        initial = initial_values(every, self.positions)
        self.initial.update(initial or {})
        return initial is not None and self._of_one_type()

    def _of_one_type(self) -> bool:
        """Whether what is carried is of one type from the first iteration on: the first slices may be of a
        longer word."""
        template = self.found.segments[0]
        return all(
            before is None or before.type == template[position].type
            for (position, _), before in self.initial.items()
        )

    def _in_one_order(self, whole: Sequence[Node]) -> list[tuple[Node, ...]]:
        """The operands of a commutative operation in all iterations, in the last one's order: what many
        iterations share stands first where it was made before, and last in the iteration that made it."""

        def key(child: Node, iteration: int) -> object:
            made = self.positions.get(child)
            return child if made is None else (iteration - made[0], made[1])

        *_, last = whole
        wanted = [key(child, len(whole) - 1) for child in last.inputs]
        found = []
        for k, node in enumerate(whole):
            fits = [key(child, k) for child in node.inputs]
            straight = any(a == b for a, b in zip(fits, wanted, strict=True))
            crossed = any(a == b for a, b in zip(fits[::-1], wanted, strict=True))
            found.append(node.inputs[::-1] if crossed and not straight else node.inputs)
        return found

    def _fits(self, operand: Operand) -> bool:
        if isinstance(operand, Made):
            return operand.distance <= FARTHEST
        if isinstance(operand, Invariant):
            return True
        # An iteration that leaves a constant out still computes it: from the same one, or not at all.
        every = len(operand.nodes) == len(self.found.segments)
        return operand.constant and (every or len(set(operand.values)) == 1)

    def _carry_out(self) -> bool:
        """What later nodes take must be carried out of the loop; only the last iterations' values can be."""
        for node in self.outside_uses():
            position, distance = self.at_end(node)
            if distance > FARTHEST:
                return False
            for nearer in range(1, distance + 1):
                self.initial.setdefault((position, nearer), None)
        return True

    def at_end(self, node: Node) -> tuple[int, int]:
        """The position of a node, and how far before the end it is made: 1 is the last iteration."""
        iteration, position = self.positions[node]
        return position, len(self.found.segments) - iteration

    def _arrays_in_place(self) -> bool:
        """Whether of each array one version is carried, the last of an iteration, from the first on."""
        template = self.found.segments[0]
        overwritten = {node.inputs[0] for node in template if node.op is Op.STORE}
        return all(
            before is not None and distance == 1 and template[position] not in overwritten
            for (position, distance), before in self.initial.items()
            if isinstance(template[position].type, ArrayType)
        )

    def outside_uses(self) -> list[Node]:
        """The nodes of the iterations that later nodes or the results use."""
        users = [n for n in self.graph.body if n not in self.positions]
        used = [child for user in users for child in user.inputs] + list(self.graph.results)
        return list(dict.fromkeys(node for node in used if node in self.positions))


def _with_loop(graph: Graph, found: Found) -> Graph:
    plan = _Plan(graph, found)
    make = Builder()
    template = found.segments[0]
    make.phase = template[0].phase
    keys = _complete(plan)
    index = make.param("index", WordType(32), "r")
    params = {key: _param(make, template, key) for key in keys}
    inside = _body(make, plan, index, params)
    nexts = [inside[at] if distance == 1 else params[at, distance - 1] for at, distance in keys]
    region = Region((index, *params.values()), nexts)
    initial = [plan.initial.get(key) or undefined(make, params[key].type) for key in keys]
    results = make.loop(make.const(0, 32), make.const(len(found.segments), 32), initial, region)
    by_key = dict(zip(keys, results, strict=True))
    outputs = {node: by_key[plan.at_end(node)] for node in plan.outside_uses()}
    return Graph(graph.name, graph.params, substitute(graph.results, outputs, make), graph.rounds)


def _complete(plan: _Plan) -> list[tuple[int, int]]:
    """All carried values: whatever is carried for some iterations is carried for fewer first."""
    farthest: dict[int, int] = {}
    for position, distance in plan.initial:
        farthest[position] = max(distance, farthest.get(position, 0))
    return [(at, distance) for at in sorted(farthest) for distance in range(1, farthest[at] + 1)]


def _param(make: Builder, template: tuple[Node, ...], key: tuple[int, int]) -> Node:
    node = template[key[0]]
    return make.param("carried", node.type, node.name)


def _body(make: Builder, plan: _Plan, index: Node, params: dict[tuple[int, int], Node]) -> list[Node]:
    """The nodes of an iteration, made anew for the loop's body."""
    inside: list[Node] = []

    def value_of(operand: Operand, length: int | None) -> Node:
        if isinstance(operand, Invariant):
            return operand.node
        if isinstance(operand, Series):
            return constant_of(make, operand.values, operand.nodes[0].width, index, length)
        position, distance = operand.position, operand.distance
        return params[position, distance] if distance else inside[position]

    for position, node in enumerate(plan.found.segments[0]):
        make.phase, make.line = node.phase, node.line
        inputs = [
            value_of(plan.operands[position, number], _length_indexed(node, number))
            for number in range(len(node.inputs))
        ]
        made = make.make(node.op, inputs, node.attr, type_=node.type)
        made.name = made.name or node.name
        inside.append(made)
    return inside


def _length_indexed(node: Node, number: int) -> int | None:
    """The length of the array that an operand is an index of, if it is one."""
    array = node.inputs[0] if node.op in (Op.LOAD, Op.STORE) and number == 1 else None
    return array.type.length if array is not None and isinstance(array.type, ArrayType) else None
