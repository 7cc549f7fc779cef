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
from itertools import accumulate

from finalist.ir.builder import Builder
from finalist.ir.graph import Node, Region, trip_count
from finalist.ir.ops import CONTROL, Op
from finalist.ir.types import WordType
from finalist.isa.lower.borders import Borders, borders, entry_of, region_of
from finalist.isa.lower.carries import Group
from finalist.isa.lower.stretches import Stretch, Stretches, body_of
from finalist.isa.prepare.key_in_line import Wish

#: Bytes of code, about: a call; a word that is copied.
_CALL, _COPY = 3, 4
#: Cycles, about: a call and its return, and the same.
_CALL_CYCLES, _COPY_CYCLES = 12, 7
#: Bytes of code, about, by operation, if not two.
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

#: Ends of a stretch that are tried.
_TRIED = 16
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

    #: Cycles a block that it is estimated to be worth.
    gain: float = 0.0


@dataclass(slots=True)
class Call:
    """A stretch: its nodes, what goes in and what comes out, in the subroutine's order."""

    subroutine: Subroutine
    nodes: list[Node]
    inputs: list[Node]
    outputs: list[Node]


@dataclass(frozen=True, slots=True)
class Found:
    """Subroutines in the order in which they were found, the call that a node is in, and whether a region
    calls one of them once."""

    subroutines: Sequence[Subroutine] = ()
    calls: Mapping[Node, Call] = field(default_factory=dict)
    lone: bool = False

    @property
    def key(self) -> Hashable:
        """What tells one choice of subroutines for some kernels from another."""
        return frozenset(tuple(map(id, call.nodes)) for call in self.calls.values())

    def named(self, fresh: Callable[[], int]) -> None:
        """Gives them labels, and words of a piece of code, in which they are not yet."""
        for number, one in enumerate(self.subroutines):
            one.label, one.changed = f"shared{number}", []
            one.arguments = [fresh() for _ in one.region.params]
            one.results = [fresh() for _ in one.region.results]

    def without_last(self) -> Found:
        """The same, but for the last one."""
        *kept, last = self.subroutines
        calls = {node: call for node, call in self.calls.items() if call.subroutine is not last}
        return Found(kept, calls, self.lone)


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
        anywhere: bool = False,
    ) -> None:
        """``groups_of``: what stays together in a subroutine, which is searched as well; ``worth``: cycles a
        block that a byte less may cost; ``operations``: those of the regions; ``in_place``: whether
        words of the only call of a region are taken to be in the subroutine's bytes; ``anywhere``: whether
        entries of the key may lie as one likes, so that only ``wishes`` come of it, no calls that can be."""
        self.array_key, self.width, self.groups_of = array_key, width, groups_of
        self.worth, self.operations, self.in_place = worth, operations, in_place
        self.anywhere = anywhere
        self.wishes: list[Wish] = []
        self.lone = False  # whether a subroutine was found that a region calls once
        self.calls: dict[Node, Call] = {}
        self._stretches = Stretches()
        self._bodies = self._stretches.bodies
        self._gains: dict[tuple[Hashable, ...], float] = {}  # of stretches that are alike for so long
        self._sizes: list[list[int]] = []  # bytes of the operations before each, by body

    def add(self, region: Region, groups: Mapping[Node, Group], times: int = 1) -> None:
        """Another region to be searched; ``groups``: nodes that stay together; ``times``: how often it is
        executed where each operation works on one block."""
        body = body_of(region, self._key, groups, times, self.width)
        self._bodies.append(body)
        found = zip(body.nodes, body.keys, strict=True)
        self._sizes.append([0, *accumulate(_bytes(n) if key is not None else 0 for n, key in found)])

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
            self.lone |= len({place.body for place in places}) > 1
            made = self._made(places, length)
            made.gain = self._saved(places, length)
            times = sum(self._bodies[place.body].times for place in places)
            self.add(made.region, self.groups_of(made.region), times)
            yield made

    def all(self) -> Found:
        """All of them."""
        return Found(list(self.found()), self.calls, self.lone)

    def _best(self) -> tuple[list[Stretch], int] | None:
        best, most = None, 0.0
        seen: set[tuple[Stretch, int]] = set()
        for first, others in self._stretches.alike():
            lengths = sorted((self._stretches.length(first, other) for other in others), reverse=True)
            if self.worth * self._at_most(first, lengths) <= most:
                continue  # however it is cut
            for length in self._cuts(first, lengths):
                places = self._stretches.apart([first, *others], first, length)
                if len(places) < 2 or (first, length) in seen:
                    continue
                seen.add((first, length))
                if self._worth(places, length) <= most:
                    continue  # whatever goes in and comes out
                saved = self._saved(places, length)
                if saved > most:
                    best, most = (places, length), saved
        return best

    def _at_most(self, first: Stretch, lengths: Sequence[int]) -> int:
        """Bytes that stretches from a place on can save, if they are alike for so long with others."""
        sizes, start = self._sizes[first.body], first.start
        return max(k * (sizes[start + n] - sizes[start]) for k, n in enumerate(lengths, start=1))

    def _cuts(self, place: Stretch, lengths: Sequence[int]) -> list[int]:
        """The lengths at which a stretch can end: no carry and no group is cut."""
        wanted, most = set(lengths), max(lengths)
        ends = self._stretches.ends(place).items()
        found = [n for n, out in ends if n <= most and (n in wanted or out <= _OUT)]
        # Where several places end is tried first: what is longer has fewer of them.
        return sorted(found, key=lambda n: (n not in wanted, -n))[:_TRIED]

    def _shorter(self, places: Sequence[Stretch], length: int) -> int:
        """Bytes saved, but for copies."""
        sizes, start = self._sizes[places[0].body], places[0].start
        inside = sizes[start + length] - sizes[start]
        return (len(places) - 1) * inside - len(places) * _CALL - 1

    def _worth(self, places: Sequence[Stretch], length: int) -> float:
        """Cycles a block that those bytes are worth, less those that calls take."""
        calls = sum(self._bodies[place.body].times for place in places)
        return self.worth * self._shorter(places, length) - _CALL_CYCLES * calls / self.operations

    def _saved(self, places: Sequence[Stretch], length: int) -> float:
        """Cycles a block that the bytes saved are worth, less those that calls take; 0 for no gain."""
        key = (*places, length)
        if key not in self._gains:
            self._gains[key] = self._gain(places, length)
        return self._gains[key]

    def _gain(self, places: Sequence[Stretch], length: int) -> float:
        found = borders(self._bodies, places, length, self._key, self.anywhere)
        if len(found.inputs) > length:
            return 0.0  # more words would wait for it than it has operations
        copied = self._copied(places, found)
        saved = self._shorter(places, length) - _COPY * sum(copied)
        each = [_CALL_CYCLES + _COPY_CYCLES * k for k in copied]
        cycles = sum(self._bodies[place.body].times * n for place, n in zip(places, each, strict=True))
        return max(0.0, self.worth * saved - cycles / self.operations)

    def _copied(self, places: Sequence[Stretch], found: Borders) -> list[int]:
        """The words that are copied for a call, by place: what is read from an array for it; and all, where
        it is not the only call of its region, so that words can't simply be in the subroutine's bytes."""
        index = int(bool(found.entries))
        read = index + sum(any(child.op is Op.LOAD for child in children) for children in found.inputs)
        seen: set[int] = set()
        copied = []
        for place in places:
            whole = place.body in seen or not self.in_place
            copied.append(len(found.inputs) + len(found.outputs) + index if whole else read)
            seen.add(place.body)
        return copied

    def _made(self, places: Sequence[Stretch], length: int) -> Subroutine:
        found = borders(self._bodies, places, length, self._key, self.anywhere)
        made = Subroutine(region_of(self._bodies, places, length, found))
        if found.entries:
            self.wishes.append([list(map(entry_of, row)) for row in zip(*found.entries, strict=True)])
        make = Builder()
        for number, place in enumerate(places):
            body = self._bodies[place.body]
            nodes = body.nodes[place.start : place.start + length]
            inputs = [words[number] for words in found.inputs]
            if found.entries:
                inputs.append(make.const(found.first[number], self.width))
            call = Call(made, nodes, inputs, [nodes[k] for k in found.outputs])
            self.calls.update(dict.fromkeys(nodes, call))
            body.take(place.start, place.start + length)
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
