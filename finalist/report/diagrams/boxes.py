"""A round of a graph as boxes and arrows: the operations of one line of the definition are one box.

Operations of a line that wait for one another through other lines, as where a helper is called twice in a
row, are several boxes, so that no arrows run in a circle.
"""

from __future__ import annotations

import ast
import linecache
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from finalist.ir.graph import Graph, Node, Region, effective_phases, operands
from finalist.ir.ops import Op
from finalist.report.kinds import MOVES, Kind, Kinds, kinds_of

#: What a box stands for: values that come in or go out, words of the expanded key, operations.
STATE, KEY, WORK = "state", "key", "work"
#: What has to be known to read one.
LEGEND = (
    "A box is a line of the definition with the operations that it does, a number beside an arrow how many"
    " words go that way."
)
#: Boxes of a diagram that can be read; with more of them those of one function are taken together.
MOST = 40
#: Characters of a line of a definition that are shown.
_LONGEST = 72


@dataclass(frozen=True, slots=True)
class Box:
    """``kind``: STATE, KEY or WORK; ``text``: the definition's line, or what comes in or goes out; ``does``:
    the operations, counted, in words."""

    kind: str
    text: str
    does: str = ""


@dataclass(frozen=True, slots=True)
class Diagram:
    """Boxes in the order of the program, and arrows between them: from, to, how many words."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[tuple[int, int, int], ...]


def of_round(graph: Graph) -> Diagram | None:
    """The round that most others are like; None of too much to be read.

    Where rounds have become a loop, one iteration of it; of a graph without either all of it.
    """
    nodes, title = _typical(graph)
    region: Region = graph
    if not nodes:
        loops = [node.region for node in graph.body if node.op is Op.LOOP]
        region = max(loops, key=lambda one: len(one.body), default=graph)
        nodes, title = list(region.body), "An iteration of the loop" if loops else "All of it"
    if not nodes:
        return None
    flow = _Flow(nodes, kinds_of(graph))
    for key in (by_line, by_function, by_file):
        found = _diagram(title, region, flow, grouped(flow.sources, key))
        if len(found.boxes) <= MOST:
            return found
    return None


# -- which round -------------------------------------------------------------------------------------


def _typical(graph: Graph) -> tuple[list[Node], str]:
    """Its nodes in order, and what it is called; none where there are no rounds, or they are in loops."""
    if not graph.rounds:
        return [], ""
    phases = effective_phases(graph)
    first, count = max(graph.rounds, key=lambda group: group[1])
    rounds: dict[int, list[Node]] = {first + r: [] for r in range(count)}
    for node in graph.body:
        if phases[node] in rounds:
            rounds[phases[node]].append(node)
    shapes = {phase: _shape(nodes) for phase, nodes in rounds.items()}
    usual = Counter(shapes.values()).most_common(1)[0][0]
    # Not the first if another is like it: what is known at the beginning is often simplified.
    phase = [phase for phase, shape in shapes.items() if shape == usual][:2][-1]
    same = sum(shape == usual for shape in shapes.values())
    alike = ", all of which are alike" if same == count else f", of which {same} are like it" * (same > 1)
    return rounds[phase], f"Round {phase - first + 1} of {count}{alike}"


def _shape(nodes: Iterable[Node]) -> tuple[tuple[str, int], ...]:
    """What is done in a round, whatever it is done on."""
    moved = (Op.LOAD, Op.SLICE, Op.JOIN)
    return tuple(sorted(Counter(node.op.label for node in nodes if node.op not in moved).items()))


# -- what flows where --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Uses:
    """What a value is made of: operations of the round, values from outside of it, words of the key."""

    work: dict[Node, None] = field(default_factory=dict)
    state: dict[Node, None] = field(default_factory=dict)
    key: dict[Node, None] = field(default_factory=dict)

    def add(self, other: _Uses) -> None:
        self.work |= other.work
        self.state |= other.state
        self.key |= other.key


class _Flow:
    """The operations of a round, and for each node what it uses; words that only move are seen through."""

    def __init__(self, nodes: Sequence[Node], kinds: Kinds) -> None:
        self.kinds = kinds
        self.inside = set(nodes)
        self.uses: dict[Node, _Uses] = {}
        for node in nodes:
            found = _Uses()
            if not self._is_key(node):
                for child in operands(node):
                    found.add(self.of(child))
            self.uses[node] = found
        #: Of each operation those that it takes values of.
        self.sources = {node: tuple(self.uses[node].work) for node in nodes if self.is_work(node)}

    def of(self, node: Node) -> _Uses:
        """What a use of a node is a use of."""
        if node.op is Op.CONST:
            return _Uses()
        if self._is_key(node):
            return _Uses(key={node: None})
        if node not in self.inside:
            return _Uses(state={node: None})
        return _Uses(work={node: None}) if self.is_work(node) else self.uses[node]

    def is_work(self, node: Node) -> bool:
        """Whether it computes something, rather than moves it."""
        return node.op is Op.LOOP or self.kinds(node) not in (*MOVES, None)

    def _is_key(self, node: Node) -> bool:
        return self.kinds(node) is Kind.KEY_WORD or (node not in self.inside and self.kinds.key_only(node))


# -- boxes and arrows --------------------------------------------------------------------------------


def _diagram(title: str, region: Region, flow: _Flow, groups: Groups) -> Diagram:
    boxes, arrows = [Box(STATE, "before")], Counter[tuple[int, int]]()
    number: dict[Hashable, int] = {}
    came_in: dict[Node, None] = {}
    for group, nodes in in_order(flow.sources, groups).items():
        uses = _Uses()
        for node in nodes:
            uses.add(flow.uses[node])
        if uses.key:
            boxes.append(Box(KEY, "key", _words(len(uses.key))))
            arrows[len(boxes) - 1, len(boxes)] = len(uses.key)
        number[group] = own = len(boxes)
        boxes.append(Box(WORK, _code(nodes), _does(nodes)))
        came_in |= uses.state
        arrows.update([(0, own)] * len(uses.state))
        arrows.update((number[groups[node]], own) for node in uses.work if groups[node] != group)
    gone = _used_after(region, flow)
    arrows.update((number[groups[node]], len(boxes)) for node in gone.work)
    arrows.update([(0, len(boxes))] * len(gone.state))
    boxes.append(Box(STATE, "after", _words(len(gone.work) + len(gone.state))))
    boxes[0] = Box(STATE, "before", _words(len(came_in | gone.state)))
    return Diagram(title, tuple(boxes), tuple((*ends, arrows[ends]) for ends in sorted(arrows)))


def _used_after(region: Region, flow: _Flow) -> _Uses:
    """What is used after the round: its operations, and values that were there before it and pass by."""
    order = {node: place for place, node in enumerate(region.body)}
    begin, end = (pick(order[node] for node in flow.inside) for pick in (min, max))
    found = _Uses()
    for node in region.body[end + 1 :]:
        for child in operands(node):
            if child in flow.inside or order.get(child, -1) < begin:
                found.add(flow.of(child))
    for result in region.results:
        if result in flow.inside:
            found.add(flow.of(result))
    return found


def _words(count: int) -> str:
    return f"{count} word{'s' * (count != 1)}"


def _code(nodes: Sequence[Node]) -> str:
    """The definition's line, or lines, as far as they fit."""
    lines = dict.fromkeys(node.line for node in nodes if node.line)
    texts = [_source(line) for line in lines]
    first = next(filter(None, texts), "")
    more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
    return (first if len(first) <= _LONGEST else f"{first[:_LONGEST]} ...") + more


def _source(line: str) -> str:
    file, _, number = line.rpartition(":")
    return " ".join(linecache.getline(file, int(number)).partition("  #")[0].split())


def _does(nodes: Sequence[Node]) -> str:
    """``16 lookup S, 4 xor``: operations by their names, and of lookups which table, or how many."""
    tables = list(dict.fromkeys(node.attr.name for node in nodes if node.op is Op.LOOKUP))
    read = {Op.LOOKUP: f" {tables[0]}" if len(tables) == 1 else f" in {len(tables)} tables"} if tables else {}
    counts = Counter(node.op for node in nodes)
    return ", ".join(f"{times} {op.label}{read.get(op, '')}" for op, times in counts.items())


#: Of each operation what its group is known by.
Groups = dict[Node, tuple[Hashable, ...]]
#: Of each operation, in order, those that it takes values of.
Sources = Mapping[Node, Sequence[Node]]


def by_line(node: Node) -> str:
    """The line of the definition that made it."""
    return node.line or node.op.label


def by_function(node: Node) -> str:
    """The function of the definition that made it."""
    file, _, number = node.line.rpartition(":")
    return f"{file}:{_functions(file).get(int(number), 0)}" if file else node.op.label


def by_file(node: Node) -> str:
    """The file of the definition, or of another that it is built from."""
    return node.line.rpartition(":")[0] or node.op.label


@cache
def _functions(file: str) -> Mapping[int, int]:
    """For each line of a file the first line of the innermost function that it is in."""
    tree = ast.parse("".join(linecache.getlines(file)))
    defined = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    return {line: one.lineno for one in defined for line in range(one.lineno, (one.end_lineno or 0) + 1)}


def grouped(sources: Sources, key: Callable[[Node], str]) -> Groups:
    """Operations of one key together, but such that no group waits for itself through another."""
    again = _begun_again(sources, key)
    groups: Groups = {node: (key(node), number) for node, number in again.items()}
    circular = _circular(sources, groups)
    if not circular:
        return groups
    depth = _depth(sources, key)
    return {node: (*group, depth[node]) if group in circular else group for node, group in groups.items()}


def _begun_again(sources: Sources, key: Callable[[Node], str]) -> dict[Node, int]:
    """How often an operation's key was left and begun again on a way to it, at most."""
    passed: dict[Node, dict[str, int]] = {}
    number: dict[Node, int] = {}
    for node, taken in sources.items():
        name, before = key(node), dict[str, int]()
        number[node] = 0
        for source in taken:
            for other, times in passed[source].items():
                before[other] = max(before.get(other, 0), times)
            if name in passed[source]:
                left = key(source) != name
                number[node] = max(number[node], passed[source][name] + left)
        before[name] = number[node] = max(number[node], before.get(name, 0))
        passed[node] = before
    return number


def _depth(sources: Sources, key: Callable[[Node], str]) -> dict[Node, int]:
    """How often the key changes on a way to an operation, at most: groups of a key and a depth wait for none
    of a greater one."""
    found: dict[Node, int] = {}
    for node, taken in sources.items():
        found[node] = max((found[one] + (key(one) != key(node)) for one in taken), default=0)
    return found


def in_order(sources: Sources, groups: Groups) -> dict[Hashable, list[Node]]:
    """The operations of each group; each group after those that it waits for, else as the program is."""
    members: dict[Hashable, list[Node]] = {}
    for node in sources:
        members.setdefault(groups[node], []).append(node)
    waits, found = _waits(sources, groups), dict[Hashable, list[Node]]()
    while len(found) < len(members):
        ready = next(group for group in members if group not in found and waits[group] <= found.keys())
        found[ready] = members[ready]
    return found


def _circular(sources: Sources, groups: Groups) -> set[Hashable]:
    """The groups that wait for themselves, through others, and such as lie between them."""
    waits = _waits(sources, groups)
    left = set(waits)
    while left:
        waited = {other for group in left for other in waits[group]}
        free = {group for group in left if not waits[group] & left or group not in waited}
        if not free:
            break
        left -= free
    return left


def _waits(sources: Sources, groups: Groups) -> dict[Hashable, set[Hashable]]:
    """Of each group the others that it takes values of."""
    found: dict[Hashable, set[Hashable]] = {group: set() for group in groups.values()}
    for node, taken in sources.items():
        found[groups[node]] |= {groups[one] for one in taken} - {groups[node]}
    return found
