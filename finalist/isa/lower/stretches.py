"""Stretches of operations that are the same but for the words that go in: where they are, how long they are.

Of two places on it is compared what stands there, node by node: the operation, and of each operand how far
before it was made, or, where that was before the stretch, what kind of word it is. All of that is known of a
node once and for all, so that a comparison is one of numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from finalist.ir.graph import Node, Region, users_of
from finalist.ir.ops import COMMUTATIVE, Op
from finalist.ir.types import WordType
from finalist.isa.lower.carries import Group

#: Operations of a stretch, at least and at most.
FEWEST, LONGEST = 6, 400
#: Of places that begin alike so many are compared, where they are many only some.
_MANY, _SPARSE = 24, 4

#: What an operand is: how far before the node it was made (0: not among the nodes), and what must be alike
#: where that is outside of a stretch.
_Taken = tuple[int, Hashable]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Nodes of a region from ``start`` on."""

    body: int
    start: int


@dataclass(slots=True)
class Body:
    """A region that is searched: its nodes, with what must be alike of each (None where it can't be in a
    stretch)."""

    region: Region
    nodes: list[Node]
    keys: list[Hashable]
    live_out: set[Node]
    users: dict[Node, list[Node]]
    group: dict[Node, Group]
    times: int
    #: The operands of each, in one order, and what they are.
    operands: list[tuple[Node, ...]] = field(default_factory=list)
    taking: list[tuple[_Taken, ...]] = field(default_factory=list)
    #: By operation: the place of its last user; the first and the last place that a stretch with it has.
    last: list[int] = field(default_factory=list)
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    #: By operation: how many from it on are free for a stretch.
    free: list[int] = field(default_factory=list)

    def take(self, start: int, stop: int) -> None:
        """These are in a stretch from now on."""
        self.keys[start:stop] = [None] * (stop - start)
        self.count_free()

    def count_free(self) -> None:
        """How many operations from each on can be in a stretch."""
        run = 0
        self.free = []
        for key in reversed(self.keys):
            run = 0 if key is None else run + 1
            self.free.append(run)
        self.free.reverse()

    def ends(self, start: int) -> dict[int, int]:
        """For the lengths at which a stretch can end, so that nothing that stays together is cut, how many
        words come out of it."""
        found: dict[int, int] = {}
        closing: Counter[int] = Counter()
        out, high = 0, -1
        for place in range(start, min(start + LONGEST, len(self.nodes))):
            if self.low[place] < start:
                break
            closing[self.last[place]] += 1
            out += 1 - closing.pop(place, 0)
            high = max(high, self.high[place])
            if high <= place and place + 1 - start >= FEWEST:
                found[place + 1 - start] = out
        return found


def body_of(
    region: Region, key: Callable[[Node], Hashable], groups: Mapping[Node, Group], times: int, width: int
) -> Body:
    """A region as it is searched; ``key``: what must be alike of a node; ``width``: bits of a word."""
    # An entry of the key that is known is read wherever it is taken, by subroutines too.
    nodes = [node for node in region.body if not is_fixed(node)]
    live_out, users = set(region.results), users_of(nodes, lambda node: node.inputs)
    for node in nodes:
        if hasattr(node.attr, "free"):
            live_out.update(node.attr.free)
            live_out.update(node.inputs)
    made = Body(region, nodes, list(map(key, nodes)), live_out, users, dict(groups), times)
    _measure(made, width)
    made.count_free()
    return made


def _measure(body: Body, width: int) -> None:
    """What stays together: groups, and bits with what makes and takes them."""
    at = {node: place for place, node in enumerate(body.nodes)}
    far = len(body.nodes)
    for place, node in enumerate(body.nodes):
        body.operands.append(in_order(node))
        body.taking.append(tuple(_taken(node, child, place, at) for child in body.operands[-1]))
        users = [at.get(user, far) for user in body.users.get(node, ())]
        body.last.append(far if node in body.live_out else max(users, default=place))
        near = [
            place,
            *(at[one] for one in (body.group[node].members if node in body.group else ()) if one in at),
        ]
        narrow = [x for x in node.inputs if isinstance(x.type, WordType) and x.op is not Op.CONST]
        near += [at.get(x, -1) for x in narrow if x.width != width]
        body.low.append(min(near))
        bit = isinstance(node.type, WordType) and node.width != width
        body.high.append(max([*near, body.last[place] if bit else place]))


def _taken(node: Node, child: Node, place: int, at: Mapping[Node, int]) -> _Taken:
    # A constant is part of an operation; but where it is a place in a table, it goes in as words do.
    fixed = child.op is Op.CONST and node.op is not Op.LOOKUP
    return place - at.get(child, place), (child.type, child.attr if fixed else None)


class Stretches:
    """The places that begin alike, and for how long they are alike."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self._known: dict[tuple[Stretch, Stretch], int] = {}
        self._ends: dict[Stretch, dict[int, int]] = {}

    def alike(self) -> Iterator[tuple[Stretch, list[Stretch]]]:
        """Places that begin alike, each with all that come after it."""
        groups: dict[Hashable, list[Stretch]] = {}
        for number, body in enumerate(self.bodies):
            for start, free in enumerate(body.free):
                if free >= FEWEST:
                    key = tuple(body.keys[start : start + FEWEST])
                    groups.setdefault(key, []).append(Stretch(number, start))
        for places in groups.values():
            for k, place in enumerate(places[:-1]):
                if place.start % _SPARSE == 0 or len(places) < _MANY or self._begins(places):
                    yield place, places[k + 1 : k + 1 + _MANY]

    def _begins(self, places: Sequence[Stretch]) -> bool:
        """Whether before the places there are different operations, so that more than these are not alike."""
        before = (self.bodies[p.body].keys[p.start - 1] if p.start else None for p in places)
        first = next(before)
        return first is None or any(key != first for key in before)

    def ends(self, place: Stretch) -> dict[int, int]:
        """As `Body.ends`."""
        if place not in self._ends:
            self._ends[place] = self.bodies[place.body].ends(place.start)
        return self._ends[place]

    def length(self, a: Stretch, b: Stretch) -> int:
        """How many operations are the same from two places on, and in no stretch yet."""
        known = self._known.get((a, b))
        if known is None:
            known = self._known[a, b] = self._compared(a, b)
        return min(known, self.bodies[a.body].free[a.start], self.bodies[b.body].free[b.start])

    def _compared(self, a: Stretch, b: Stretch) -> int:
        x, y = self.bodies[a.body], self.bodies[b.body]
        most = min(x.free[a.start], y.free[b.start], LONGEST)
        if a.body == b.body:
            most = min(most, b.start - a.start)
        for k in range(most):
            i, j = a.start + k, b.start + k
            if x.keys[i] != y.keys[j] or not _wired(x.taking[i], y.taking[j], k):
                return k
        return most

    def apart(self, places: Sequence[Stretch], first: Stretch, length: int) -> list[Stretch]:
        """Those of the places that are the same for so long, none over another."""
        found: list[Stretch] = []
        for place in places:
            over = any(p.body == place.body and place.start < p.start + length for p in found)
            if over or (place != first and self.length(first, place) < length):
                continue
            if length in self.ends(place):
                found.append(place)
        return found


def _wired(x: Sequence[_Taken], y: Sequence[_Taken], place: int) -> bool:
    """Whether two operations, so many after the beginning, take what stands at the same places, or something
    alike from outside."""
    if len(x) != len(y):
        return False
    for (a, kind), (b, other) in zip(x, y, strict=True):
        inside = 0 < a <= place
        if inside != (0 < b <= place) or (a != b if inside else kind != other):
            return False
    return True


def in_order(node: Node) -> tuple[Node, ...]:
    """The operands in one order, whatever order they were made in: entries of the key come last."""
    if not node.inputs:
        return ()
    a, *others = node.inputs
    first = is_fixed(a) or a.op is Op.CONST
    crossed = node.op in COMMUTATIVE and first and not (is_fixed(others[0]) or others[0].op is Op.CONST)
    return node.inputs[::-1] if crossed else node.inputs


def is_fixed(node: Node) -> bool:
    """Whether a node is an entry of an array, known which."""
    return node.op is Op.LOAD and node.inputs[1].op is Op.CONST
