"""What a program does several times on different words, as subroutines.

Stretches of operations are looked for that are the same but for the words that go in: the same operations,
wired alike, on the same tables. One becomes a subroutine, with a byte of memory for each word that goes in
or comes out; all are calls of it. (B. S. Baker, "Parameterized Pattern Matching", 1996, has such repetition
in texts.)
Bytes of code are estimated: those of operations, of a call, and of copies that allocation can't avoid.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from finalist.ir.builder import Builder
from finalist.ir.graph import Node, Region, trip_count
from finalist.ir.ops import COMMUTATIVE, CONTROL, Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.lower.carries import Group

#: Operations of a stretch, at least; places that begin alike which are compared.
_FEWEST, _LONGEST = 6, 400
#: Bytes of code, about: a call and its return; a word that is copied; by operation, if not one.
_CALL, _COPY = 3, 4
#: Cycles, about, of the same.
_CALL_CYCLES, _COPY_CYCLES = 12, 7
_BYTES = {
    Op.LOOKUP: 5,
    Op.LOAD: 4,
    Op.XOR: 3,
    Op.ADD: 5,
    Op.SUB: 3,
    Op.MUL: 5,
    Op.LT: 0,
    Op.EXTEND: 0,
    Op.SLICE: 0,
}
_PURE = frozenset(
    {Op.AND, Op.OR, Op.XOR, Op.NOT, Op.ADD, Op.SUB, Op.MUL, Op.MULHI, Op.SHL, Op.SHR, Op.ROL, Op.ROR}
    | {Op.EQ, Op.LT, Op.SLICE, Op.EXTEND, Op.LOOKUP, Op.LOAD}
)

#: Of places that begin alike so many are compared, where they are many only some; ends that are tried.
_MANY, _SPARSE, _TRIED = 24, 4, 16
#: Words that come out of a stretch that ends before it has to.
_OUT = 8

#: What tells arrays apart: equal ones lie at one place.
ArrayKey = Callable[[Node], Hashable]
GroupsOf = Callable[[Region], Mapping[Node, Group]]


@dataclass(slots=True)
class Subroutine:
    """``region``: what it does; ``arguments``, ``results``: words in memory, by number; ``changed``: all that
    it writes, those of the subroutines that it calls, too."""

    region: Region
    label: str = ""
    arguments: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    depth: int = 1


@dataclass(slots=True)
class Call:
    """A stretch: its nodes, what goes in and what comes out, in the subroutine's order."""

    subroutine: Subroutine
    nodes: list[Node]
    inputs: list[Node]
    outputs: list[Node]


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Nodes of a region from ``start`` on."""

    body: int
    start: int


@dataclass(slots=True)
class _Body:
    region: Region
    nodes: list[Node]
    keys: list[Hashable]
    live_out: set[Node]
    users: dict[Node, list[Node]]
    group: dict[Node, Group]
    times: int
    #: By operation: the place of its last user; the first and the last place that a stretch with it has.
    last: list[int] = field(default_factory=list)
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)


class Finder:
    """Looks for the stretches of some regions that are worth a subroutine."""

    def __init__(
        self,
        array_key: ArrayKey,
        width: int,
        groups_of: GroupsOf = lambda _: {},
        worth: int = 1000,
        operations: int = 1,
        in_place: bool = True,
    ) -> None:
        """``groups_of``: what stays together in a subroutine, which is searched as well; ``worth``: cycles a
        block that a byte less may cost; ``operations``: those of the regions; ``in_place``: whether
        words of the only call of a region are taken to be in the subroutine's bytes."""
        self.array_key, self.width, self.groups_of = array_key, width, groups_of
        self.worth, self.operations, self.in_place = worth, operations, in_place
        self.lone = False  # whether a subroutine was found that a region calls once
        self.bodies: list[_Body] = []
        self.calls: dict[Node, Call] = {}
        self._lengths: dict[tuple[_Stretch, _Stretch], int] = {}

    def add(self, region: Region, groups: Mapping[Node, Group], times: int = 1) -> None:
        """Another region to be searched; ``groups``: nodes that stay together; ``times``: how often it is
        executed where each operation works on one block."""
        # An entry of the key that is known is read wherever it is taken, by subroutines too.
        nodes = [node for node in region.body if not _is_fixed(node)]
        live_out, users = set(region.results), dict[Node, list[Node]]()
        for node in nodes:
            for child in node.inputs:
                users.setdefault(child, []).append(node)
            if hasattr(node.attr, "free"):
                live_out.update(node.attr.free)
                live_out.update(node.inputs)
        keys = [self._key(node) for node in nodes]
        body = _Body(region, nodes, keys, live_out, users, dict(groups), times)
        self._measure(body)
        self.bodies.append(body)

    def _measure(self, body: _Body) -> None:
        """What stays together: groups, and bits with what makes and takes them."""
        at = {node: place for place, node in enumerate(body.nodes)}
        far = len(body.nodes)
        for place, node in enumerate(body.nodes):
            users = [at.get(user, far) for user in body.users.get(node, ())]
            body.last.append(far if node in body.live_out else max(users, default=place))
            near = [
                place,
                *(at[one] for one in (body.group[node].members if node in body.group else ()) if one in at),
            ]
            narrow = [x for x in node.inputs if isinstance(x.type, WordType) and x.op is not Op.CONST]
            near += [at.get(x, -1) for x in narrow if x.width != self.width]
            body.low.append(min(near))
            bit = isinstance(node.type, WordType) and node.width != self.width
            body.high.append(max([*near, body.last[place] if bit else place]))

    def _key(self, node: Node) -> Hashable:
        """What must be alike; None for what can't be in a subroutine."""
        if node.op not in _PURE or not isinstance(node.type, WordType) or node.width > self.width:
            return None
        if any(
            isinstance(x.type, WordType) and x.width > self.width and x.op is not Op.CONST
            for x in node.inputs
        ):
            return None
        array = self.array_key(node.inputs[0]) if node.op is Op.LOAD else 0
        if array is None:
            return None
        index = node.inputs[1] if node.op is Op.LOAD else None
        return (
            node.op,
            node.attr,
            node.width,
            array,
            index.attr if index is not None and index.op is Op.CONST else None,
        )

    def found(self) -> Iterator[Subroutine]:
        """Subroutines, the best first; their calls are in ``calls``."""
        while (best := self._best()) is not None:
            places, length = best
            self._lengths.clear()
            self.lone |= len({place.body for place in places}) > 1
            made = self._made(places, length)
            times = sum(self.bodies[place.body].times for place in places)
            self.add(made.region, self.groups_of(made.region), times)
            yield made

    # -- stretches ------------------------------------------------------------------------------

    def _best(self) -> tuple[list[_Stretch], int] | None:
        best, most = None, 0.0
        seen: set[tuple[_Stretch, int]] = set()
        for first, others in self._alike():
            lengths = sorted({self._length(first, other) for other in others}, reverse=True)
            for length in self._cuts(first, [n for n in lengths if n >= _FEWEST]):
                places = self._apart([first, *others], first, length)
                if len(places) < 2 or (first, length) in seen:
                    continue
                seen.add((first, length))
                saved = self._saved(places, length)
                if saved > most:
                    best, most = (places, length), saved
        return best

    def _alike(self) -> Iterator[tuple[_Stretch, list[_Stretch]]]:
        """Places that begin alike, each with all that come after it."""
        groups: dict[Hashable, list[_Stretch]] = {}
        for number, body in enumerate(self.bodies):
            for start in range(len(body.nodes) - _FEWEST + 1):
                keys = tuple(body.keys[start : start + _FEWEST])
                if None not in keys and not body.taken.intersection(range(start, start + _FEWEST)):
                    groups.setdefault(keys, []).append(_Stretch(number, start))
        for places in groups.values():
            for k, place in enumerate(places[:-1]):
                if place.start % _SPARSE == 0 or len(places) < _MANY:
                    yield place, places[k + 1 : k + 1 + _MANY]

    def _length(self, a: _Stretch, b: _Stretch) -> int:
        """How many operations are the same from two places on."""
        known = self._lengths.get((a, b))
        if known is None:
            known = self._lengths[a, b] = self._compared(a, b)
        return known

    def _compared(self, a: _Stretch, b: _Stretch) -> int:
        x, y = self.bodies[a.body], self.bodies[b.body]
        at_x: dict[Node, int] = {}
        at_y: dict[Node, int] = {}
        most = min(len(x.nodes) - a.start, len(y.nodes) - b.start, _LONGEST)
        if a.body == b.body:
            most = min(most, b.start - a.start)
        for k in range(most):
            n, m = x.nodes[a.start + k], y.nodes[b.start + k]
            if x.keys[a.start + k] is None or x.keys[a.start + k] != y.keys[b.start + k]:
                return k
            if a.start + k in x.taken or b.start + k in y.taken or not _wired(n, m, at_x, at_y):
                return k
            at_x[n], at_y[m] = k, k
        return most

    def _cuts(self, place: _Stretch, lengths: Sequence[int]) -> list[int]:
        """The lengths at which a stretch can end: no carry and no group is cut."""
        if not lengths:
            return []
        body, found = self.bodies[place.body], list[int]()
        closing: dict[int, int] = {}
        out = 0
        for k in range(max(lengths)):
            last = body.last[place.start + k]
            closing[last] = closing.get(last, 0) + 1
            out += 1 - closing.pop(place.start + k, 0)
            if k + 1 >= _FEWEST and (k + 1 in lengths or out <= _OUT):
                found.append(k + 1)
        # Where several places end is tried first: what is longer has fewer of them.
        found.sort(key=lambda n: (n not in lengths, -n))
        return [n for n in found if self._whole(body, place.start, n)][:_TRIED]

    def _whole(self, body: _Body, start: int, length: int) -> bool:
        end = start + length
        return min(body.low[start:end]) >= start and max(body.high[start:end]) < end

    def _comes_out(self, body: _Body, place: int, end: int) -> bool:
        return body.last[place] >= end

    def _apart(self, places: Sequence[_Stretch], first: _Stretch, length: int) -> list[_Stretch]:
        """Those of the places that are the same for so long, none over another."""
        found: list[_Stretch] = []
        for place in places:
            over = any(p.body == place.body and place.start < p.start + length for p in found)
            if over or (place != first and self._length(first, place) < length):
                continue
            if self._whole(self.bodies[place.body], place.start, length):
                found.append(place)
        return found

    def _saved(self, places: Sequence[_Stretch], length: int) -> float:
        """Cycles a block that the bytes saved are worth, less those that calls take; 0 for no gain."""
        body, start = self.bodies[places[0].body], places[0].start
        inside = sum(map(_bytes, body.nodes[start : start + length]))
        copied = self._copied(places, length)
        saved = (len(places) - 1) * inside - len(places) * _CALL - _COPY * sum(copied) - 1
        times = [self.bodies[place.body].times for place in places]
        cycles = sum(n * (_CALL_CYCLES + _COPY_CYCLES * k) for n, k in zip(times, copied, strict=True))
        return max(0.0, self.worth * saved - cycles / self.operations)

    def _copied(self, places: Sequence[_Stretch], length: int) -> list[int]:
        """The words that are copied for a call, by place: what is read from an array for it; and all, where
        it is not the only call of its region, so that words can't simply be in the subroutine's bytes."""
        inputs, outputs = self._borders(places, length)
        read = sum(any(child.op is Op.LOAD for child in children) for children in inputs)
        seen: set[int] = set()
        found = []
        for place in places:
            whole = place.body in seen or not self.in_place
            found.append(len(inputs) + len(outputs) if whole else read)
            seen.add(place.body)
        return found

    def _borders(self, places: Sequence[_Stretch], length: int) -> tuple[list[list[Node]], list[int]]:
        """For each word that goes in what it is in each place; the numbers of those that come out."""
        inputs: dict[tuple[Node, ...], None] = {}
        outputs: dict[int, None] = {}
        stretches = [self.bodies[p.body].nodes[p.start : p.start + length] for p in places]
        inside = set(stretches[0])
        for k, alike in enumerate(zip(*stretches, strict=True)):
            for children in zip(*map(_operands, alike), strict=True):
                word = isinstance(children[0].type, WordType)
                fixed = _all_constant(children) or self._all_of_key(children)
                if word and children[0] not in inside and not fixed:
                    inputs[children] = None
            if any(self._comes_out(self.bodies[p.body], p.start + k, p.start + length) for p in places):
                outputs[k] = None
        return [list(children) for children in inputs], list(outputs)

    def _all_of_key(self, nodes: Sequence[Node]) -> bool:
        """Whether all are one entry of the key: a subroutine reads it itself."""
        if not all(map(_is_fixed, nodes)):
            return False
        return len({self._key(node) for node in nodes}) == 1

    # -- subroutines ----------------------------------------------------------------------------

    def _made(self, places: Sequence[_Stretch], length: int) -> Subroutine:
        inputs, outputs = self._borders(places, length)
        stretches = [self.bodies[p.body].nodes[p.start : p.start + length] for p in places]
        made = Subroutine(_region(stretches, inputs, outputs))
        for number, (place, nodes) in enumerate(zip(places, stretches, strict=True)):
            call = Call(made, nodes, [words[number] for words in inputs], [nodes[k] for k in outputs])
            self.calls.update(dict.fromkeys(nodes, call))
            self.bodies[place.body].taken.update(range(place.start, place.start + length))
        return made


def _bytes(node: Node) -> int:
    """About how many bytes of code an operation takes; what makes a carry, or adds one, takes none."""
    carries = node.width == 1 or (node.op in (Op.ADD, Op.SUB) and any(x.op is Op.EXTEND for x in node.inputs))
    return 0 if carries else _BYTES.get(node.op, 2)


def executions(region: Region, times: int = 1) -> Iterator[tuple[Region, int]]:
    """A region and all inside of it, with how often each is executed a block."""
    yield region, times
    for node in region.body:
        if node.op in CONTROL:
            yield from executions(node.region, times * (trip_count(node, 16) if node.op is Op.LOOP else 1))


def _operands(node: Node) -> tuple[Node, ...]:
    """The operands in one order, whatever order they were made in: entries of the key come last."""
    a, *others = node.inputs
    first = _is_fixed(a) or a.op is Op.CONST
    crossed = node.op in COMMUTATIVE and first and not (_is_fixed(others[0]) or others[0].op is Op.CONST)
    return node.inputs[::-1] if crossed else node.inputs


def _is_fixed(node: Node) -> bool:
    return node.op is Op.LOAD and node.inputs[1].op is Op.CONST


def _all_constant(nodes: Sequence[Node]) -> bool:
    return all(node.op is Op.CONST and node.attr == nodes[0].attr for node in nodes)


def _wired(n: Node, m: Node, at_n: Mapping[Node, int], at_m: Mapping[Node, int]) -> bool:
    """Whether two operations take what stands at the same places, or something from outside."""
    if len(n.inputs) != len(m.inputs):
        return False
    for a, b in zip(_operands(n), _operands(m), strict=True):
        if at_n.get(a) != at_m.get(b) or a.type != b.type:
            return False
        amount = n.op in _BY_NUMBERS and not isinstance(a.type, ArrayType) and a.op is Op.CONST
        if (amount or b.op is Op.CONST) and (a.op is not b.op or a.attr != b.attr):
            return False
        if a.op is Op.CONST and b.op is not Op.CONST:
            return False
    return True


#: Operations whose constants say which instruction it is.
_BY_NUMBERS = frozenset({Op.SHL, Op.SHR, Op.ROL, Op.ROR, Op.EQ, Op.LT})


def _region(
    stretches: Sequence[Sequence[Node]], inputs: Sequence[Sequence[Node]], outputs: Sequence[int]
) -> Region:
    """The nodes of the first stretch anew, with parameters for what goes in."""
    make = Builder()
    params = {tuple(words): make.param("argument", words[0].type, words[0].name) for words in inputs}
    new: dict[Node, Node] = {}
    made = []
    for alike in zip(*stretches, strict=True):
        node, operands = alike[0], []
        for children in zip(*map(_operands, alike), strict=True):
            known = new.get(children[0])
            operands.append(params.get(children, children[0]) if known is None else known)
        new[node] = make.make(node.op, operands, node.attr, type_=node.type)
        made.append(new[node])
    return Region(params.values(), [made[k] for k in outputs])
