"""Rounds as loops: equal rounds, traced one by one, become the turns of one loop.

A definition may do in each round what it likes with the round's number (take another S-box, another
constant, other words of the key): whether rounds are equal is found out here, by comparing them node by
node. Constants that change from turn to turn are computed from the turn's number; what a round takes
from rounds before is carried, through as many turns as it is old. A last round that leaves something out
at its end (the linear layer, say) is a turn like the others whose last values nobody takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import (
    ArrayType,
    Graph,
    Node,
    Region,
    TableData,
    TupleType,
    Type,
    WordType,
    effective_phases,
    reads_parameter,
)
from finalist.ir.kept import kept
from finalist.ir.ops import CONTROL, Op
from finalist.ir.rewrite import substitute

#: A round takes values from at most this many turns before.
OLDEST = 8
_PERIODS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)


@dataclass(frozen=True, slots=True)
class Found:
    """Equal turns: ``segments[j]`` are the nodes of turn j, place by place alike."""

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


@kept
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

    def turn(self, start: int, period: int) -> tuple[Node, ...]:
        """The nodes of a turn; without reads that later turns need as well, which go before the loop."""
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
    """The longest run of equal turns from ``start``; two at least."""
    segments = [by_phase.turn(at, period) for at in range(start, stop - period + 1, period)]
    turns = 1
    while turns < len(segments) and _alike(segments[0], segments[turns]):
        turns += 1
    if turns < len(segments) and segments[turns] and _begins(segments[0], segments[turns]):
        turns += 1
    while turns > 1:
        found = Found(period, tuple(segments[:turns]))
        if segments[0] and _Plan(graph, found).possible:
            return found
        turns -= 1
    return None


def _alike(a: tuple[Node, ...], b: tuple[Node, ...]) -> bool:
    """Whether two turns are the same operations in the same order (their operands are compared later)."""
    return len(a) == len(b) and _begins(a, b)


def _begins(a: tuple[Node, ...], b: tuple[Node, ...]) -> bool:
    """Whether turn ``a`` begins with the operations of turn ``b``."""
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
    """How the operands of the turns go together."""

    graph: Graph
    found: Found
    place: dict[Node, tuple[int, int]] = field(default_factory=dict)
    #: (place, age) of a carried value: what it is before the first turn.
    initial: dict[tuple[int, int], Node | None] = field(default_factory=dict)
    #: For a place and operand number: a carried value, or the series of constants.
    carried: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    constants: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    possible: bool = True

    def __post_init__(self) -> None:
        for turn, nodes in enumerate(self.found.segments):
            self.place.update({node: (turn, place) for place, node in enumerate(nodes)})
        template = self.found.segments[0]
        self.possible = (
            all(
                self._operand(place, number)
                for place, node in enumerate(template)
                for number in range(len(node.inputs))
            )
            and self._afterwards()
            and self._arrays_in_place()
        )

    def _operand(self, place: int, number: int) -> bool:
        whole = [nodes for nodes in self.found.segments if place < len(nodes)]
        series = [nodes[place].inputs[number] for nodes in whole]
        where = [self.place.get(node) for node in series]
        if all(w == (turn, where[0][1]) for turn, w in enumerate(where) if where[0]) and where[0]:
            return where[0][0] == 0  # made in the same turn
        if all(node.op is Op.CONST for node in series):
            values = [node.attr for node in series]
            # A turn that leaves this out still computes it: from the same constant, or not at all.
            self.constants[place, number] = values
            return len(whole) == len(self.found.segments) or len(set(values)) == 1
        if all(node is series[0] for node in series):
            return where[0] is None
        return any(self._taken_from(place, number, series, age) for age in range(1, OLDEST + 1))

    def _taken_from(self, place: int, number: int, series: list[Node], age: int) -> bool:
        """Whether the operand is what stood at one place ``age`` turns before."""
        later = [self.place.get(node) for node in series[age:]]
        if not later or later[0] is None:
            return False
        source = later[0][1]
        if any(w != (turn, source) for turn, w in enumerate(later)):
            return False
        needed = {(source, age - turn): node for turn, node in enumerate(series[:age])}
        if any(node in self.place for node in needed.values()):
            return False
        if any(self.initial.get(key) not in (None, node) for key, node in needed.items()):
            return False
        self.initial.update(needed)
        self.carried[place, number] = (source, age)
        return True

    def _afterwards(self) -> bool:
        """What later nodes take must be carried out of the loop; only the last turns' values can be."""
        turns = len(self.found.segments)
        for node in self.outside_uses():
            turn, place = self.place[node]
            if turns - turn > OLDEST:
                return False
            for age in range(1, turns - turn + 1):
                self.initial.setdefault((place, age), None)
        return True

    def _arrays_in_place(self) -> bool:
        """Whether of each array one version is carried, the last of a turn, from the first turn on."""
        template = self.found.segments[0]
        overwritten = {node.inputs[0] for node in template if node.op is Op.STORE}
        return all(
            before is not None and age == 1 and template[place] not in overwritten
            for (place, age), before in self.initial.items()
            if isinstance(template[place].type, ArrayType)
        )

    def outside_uses(self) -> list[Node]:
        """The nodes of the turns that later nodes or the results use."""
        users = [n for n in self.graph.body if n not in self.place]
        used = [child for user in users for child in user.inputs] + list(self.graph.results)
        return list(dict.fromkeys(node for node in used if node in self.place))


def _with_loop(graph: Graph, found: Found) -> Graph:
    plan = _Plan(graph, found)
    make = Builder()
    template = found.segments[0]
    make.phase = template[0].phase
    keys = _complete(plan)
    index = make.param("index", WordType(32), "r")
    params = {key: _param(make, template, key) for key in keys}
    inside = _turn(make, plan, index, params)
    nexts = [inside[template[p]] if age == 1 else params[p, age - 1] for p, age in keys]
    region = Region((index, *params.values()), nexts)
    initial = [plan.initial.get(key) or nothing(make, params[key].type) for key in keys]
    turns = len(found.segments)
    results = make.loop(make.const(0, 32), make.const(turns, 32), initial, region)
    by_key = dict(zip(keys, results, strict=True))
    outputs = {node: by_key[plan.place[node][1], turns - plan.place[node][0]] for node in plan.outside_uses()}
    return Graph(graph.name, graph.params, substitute(graph.results, outputs, make), graph.rounds)


def nothing(make: Builder, type_: Type) -> Node:
    """What stands for a value that is not there yet."""
    if isinstance(type_, TupleType):
        return make.make(Op.TUPLE, [nothing(make, item) for item in type_.items])
    assert isinstance(type_, WordType)
    return make.const(0, type_.width)


def _complete(plan: _Plan) -> list[tuple[int, int]]:
    """All carried values: whatever is carried for some turns is carried for fewer first."""
    oldest: dict[int, int] = {}
    for place, age in plan.initial:
        oldest[place] = max(age, oldest.get(place, 0))
    return [(place, age) for place in sorted(oldest) for age in range(1, oldest[place] + 1)]


def _param(make: Builder, template: tuple[Node, ...], key: tuple[int, int]) -> Node:
    node = template[key[0]]
    return make.param("carried", node.type, node.name)


def _turn(make: Builder, plan: _Plan, index: Node, params: dict[tuple[int, int], Node]) -> dict[Node, Node]:
    """The template's nodes made anew for the loop's body."""
    inside: dict[Node, Node] = {}
    for place, node in enumerate(plan.found.segments[0]):
        make.phase, make.line = node.phase, node.line
        inputs = []
        for number, child in enumerate(node.inputs):
            if (place, number) in plan.carried:
                inputs.append(params[plan.carried[place, number]])
            elif (place, number) in plan.constants:
                inputs.append(of_turn(make, plan.constants[place, number], child.width, index))
            else:
                inputs.append(inside.get(child, child))
        inside[node] = make.make(node.op, inputs, node.attr, type_=node.type)
        inside[node].name = inside[node].name or node.name
    return inside


def of_turn(make: Builder, values: Sequence[int], width: int, index: Node) -> Node:
    """The constant of turn ``index``: fixed, a + b * index, or from a small table."""
    if len(set(values)) == 1:
        return make.const(values[0], width)
    step = (values[1] - values[0]) & mask(width)
    if all((values[0] + step * j) & mask(width) == value for j, value in enumerate(values)):
        number = make.slice(index, 0, width) if width < 32 else make.extend(index, width)
        scaled = number if step == 1 else make.make(Op.MUL, (number, make.const(step, width)))
        if values[0] == 0:
            return scaled
        return make.make(Op.ADD, (scaled, make.const(values[0], width)))
    values = _period(values)
    bits = (len(values) - 1).bit_length()
    padded = (*values, *([0] * ((1 << bits) - len(values))))
    table = TableData(padded, width, "by_iteration", "constants of a loop's iterations")
    return make.make(Op.LOOKUP, (make.slice(index, 0, bits),), table)


def _period(values: Sequence[int]) -> Sequence[int]:
    """The first values, if all others repeat them: a power of two of them, so that low bits tell."""
    for count in (1 << bits for bits in range(1, (len(values) - 1).bit_length())):
        if all(value == values[turn % count] for turn, value in enumerate(values)):
            return values[:count]
    return values
