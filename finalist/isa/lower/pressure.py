"""The order of operations in which the fewest words wait at once, on processors whose words live in memory.

    z0, z1, z2, z3, then r0, r1, r2, r3 of them: 6 bytes       where z3 is wanted by r1 and r2 only:
    z0, z1, z2, z3, then r1, r2, r3, r0: 5 bytes               r2 can be where z3 was

What is made for one operation alone is made with it, so that what is ordered are cones, calls of subroutines
and sums with their carries. Orders are extended unit by unit, and of those that have done the same the best
is kept (a beam search among the sets that can be done first, as in C. Kessler, "Scheduling Expression DAGs
for Minimal Register Need", 1998).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from finalist.ir.graph import Node, Region, operands, users_of
from finalist.ir.ops import CONTROL, Op
from finalist.ir.types import WordType
from finalist.isa.lower.carries import Group
from finalist.isa.lower.stretches import is_fixed
from finalist.isa.lower.subroutines import Call

#: Units of a region at the most; orders that are kept.
_MOST, _BEAM = 200, 24
#: The order of these matters.
_MEMORY = frozenset({Op.ARRAY, Op.STORE})


class Pressure:
    """Orders regions, the inner ones first; ``calls``: by node the call that it is in."""

    def __init__(self, calls: Mapping[Node, Call]) -> None:
        self.calls = calls
        self._bytes: dict[Region, int] = {}

    def arrange(
        self, region: Region, groups: Mapping[Node, Group], kept: Container[Node] = frozenset()
    ) -> None:
        """Changes the order in a region, where that needs fewer bytes; ``kept``: those of its parameters that
        are wanted when it has been executed."""
        units = None
        if not any(node.op in _MEMORY for node in region.body):
            owners = _owners(region, groups, self.calls)
            units = _Units.of(region, owners, self._own, kept, lambda node: self._counted(node, kept))
        if units is None:
            return
        (usual, waited), (least, less, order) = units.usual(), units.best()
        if (least, less) < (usual, waited):
            free = [node for node in region.body if _is_free(node)]
            region.body = (*free, *(node for number in order for node in units.units[number].nodes))
        self._bytes[region] = min(least, usual)

    def _own(self, node: Node) -> int:
        """Bytes that a call, a loop or a conditional takes."""
        call = self.calls.get(node)
        region = call.subroutine.region if call else node.region if node.op in CONTROL else None
        return 0 if region is None else self._bytes.get(region, 0)

    def _counted(self, node: Node, kept: Container[Node]) -> list[Node]:
        """The words among those bytes that are not only the call's: it doesn't copy what it takes."""
        call = self.calls.get(node)
        if call is None:
            return []
        pairs = zip(call.subroutine.region.params, call.inputs, strict=True)
        return [child for param, child in pairs if param in kept]


def wanted_later(region: Region, calls: Sequence[Call]) -> set[Node]:
    """The parameters of subroutines whose words others take, too, or a region gives, of those that it calls
    once: for these the words are not copied."""
    often = Counter(id(call.subroutine) for call in calls)
    within = {node: call for call in calls for node in call.nodes}
    users: dict[Node, set[object]] = {}
    for node in region.body:
        call = within.get(node)
        for child in operands(node):
            if call is None or child in call.inputs:  # what a call takes of its own is not in memory
                users.setdefault(child, set()).add(id(call) if call else node)
    return {
        param
        for call in calls
        if often[id(call.subroutine)] == 1
        for param, child in zip(call.subroutine.region.params, call.inputs, strict=True)
        if child in region.results or users.get(child, set()) - {id(call)}
    }


def _is_free(node: Node) -> bool:
    """Whether a word is read wherever it is taken."""
    return is_fixed(node) and node.inputs[0].attr == "key"


def _owners(region: Region, groups: Mapping[Node, Group], calls: Mapping[Node, Call]) -> dict[Node, Hashable]:
    """By node the unit that it is made in."""
    users = users_of(region.body)
    results, found = set(region.results), dict[Node, Hashable]()
    for node in reversed(region.body):
        if _is_free(node):
            continue
        if node in calls or node in groups:
            found[node] = id(calls.get(node) or groups[node])
        elif node.op is Op.RESULT:
            found[node] = node.inputs[0]
        else:
            by = {found[user] for user in users.get(node, ()) if user in found}
            alone = len(by) == 1 and node not in results and node.op not in CONTROL
            (unit,) = by if alone else (node,)
            inside = isinstance(unit, Node) and unit.op in CONTROL
            found[node] = node if inside else unit
    return found


@dataclass
class _Unit:
    """What is made together. ``own``: bytes that the work takes beside the words that wait; as bits the units
    that it ``needs``, the words that it makes and takes, and those of them that ``own`` has ``counted``."""

    nodes: list[Node] = field(default_factory=list)
    own: int = 0
    counted: int = 0
    needs: int = 0
    made: int = 0
    taken: int = 0


@dataclass
class _Units:
    """The units of a region. ``users``: by word the units that take it, as bits; as bits the words that are
    there at the beginning, and those that must be at the end."""

    units: list[_Unit] = field(default_factory=list)
    users: list[int] = field(default_factory=list)
    first: int = 0
    last: int = 0
    around: bool = False  # whether there are loops among the units

    @classmethod
    def of(
        cls,
        region: Region,
        owners: Mapping[Node, Hashable],
        own: Callable[[Node], int],
        kept: Container[Node] = frozenset(),
        counted: Callable[[Node], Iterable[Node]] = lambda _: (),
    ) -> _Units | None:
        """Those of a region; None where there are too many."""
        numbers = {key: number for number, key in enumerate(_by_place(region, owners))}
        if len(numbers) > _MOST:
            return None
        made = cls([_Unit() for _ in numbers])
        at = {node: numbers[key] for node, key in owners.items()}
        words = made._words(region, at, kept)
        for node in region.body:
            if node not in at:
                continue
            unit = made.units[at[node]]
            unit.nodes.append(node)
            unit.own = max(unit.own, own(node))
            unit.counted |= sum(1 << words[child] for child in set(counted(node)) if child in words)
            made.around |= node.op in CONTROL
            for child in operands(node):
                if child in at and at[child] != at[node]:
                    unit.needs |= 1 << at[child]
                if child in words and at.get(child) != at[node]:
                    unit.taken |= 1 << words[child]
                    made.users[words[child]] |= 1 << at[node]
        return made

    def _words(self, region: Region, at: Mapping[Node, int], kept: Container[Node]) -> dict[Node, int]:
        """Numbers for the words that more than one unit knows of."""
        outside = {child for n in region.body if n in at for child in operands(n) if at.get(child) != at[n]}
        wanted = outside | set(region.results)
        words: dict[Node, int] = {}
        for node in (*region.params, *at):
            if node in wanted and isinstance(node.type, WordType) and node not in words:
                words[node] = len(words)
                bit = 1 << words[node]
                if node in at:
                    self.units[at[node]].made |= bit
                else:
                    self.first |= bit
                self.last |= bit if node in region.results or node in kept else 0
        self.users = [0] * len(words)
        return words

    # -- orders ---------------------------------------------------------------------------------

    def _step(self, number: int, done: int, live: int) -> tuple[int, int]:
        """The words that are live after a unit, and the bytes that it takes."""
        unit = self.units[number]
        done |= 1 << number
        after, open_ = live | unit.made, (unit.taken | unit.made) & ~self.last
        while open_:
            bit = open_ & -open_
            open_ ^= bit
            if not self.users[bit.bit_length() - 1] & ~done:
                after &= ~bit
        inside = (after & ~unit.made & ~unit.counted).bit_count() + unit.own
        return after, max(live.bit_count(), after.bit_count(), inside)

    def usual(self) -> tuple[int, int]:
        """The bytes that the program's own order takes, and those that wait after each unit added up, around
        loops."""
        done, live, most, waited = 0, self.first, 0, 0
        for number in self._own_order():
            live, bytes_ = self._step(number, done, live)
            done, most = done | 1 << number, max(most, bytes_)
            waited += live.bit_count() * self.around
        return most, waited

    def _own_order(self) -> Iterable[int]:
        """The units as they stand, but that none comes before what it needs."""
        done, waiting = 0, list(range(len(self.units)))
        while waiting:
            number = next(n for n in waiting if not self.units[n].needs & ~done)
            waiting.remove(number)
            done |= 1 << number
            yield number

    def best(self) -> tuple[int, int, tuple[int, ...]]:
        """The least bytes that an order takes, those that wait around loops, and that order; of several that
        in which words wait least there, then the one nearest to the program's own, so that what is alike
        elsewhere stays so."""
        states = {0: _State(live=self.first)}
        for _ in self.units:
            after: dict[int, _State] = {}
            for done, state in states.items():
                for number, unit in enumerate(self.units):
                    if done >> number & 1 or unit.needs & ~done:
                        continue
                    live, bytes_ = self._step(number, done, state.live)
                    made = _State(
                        max(state.most, bytes_),
                        state.waited + live.bit_count() * self.around,
                        (*state.order, number),
                        live,
                    )
                    known = after.get(done | 1 << number)
                    if known is None or made < known:
                        after[done | 1 << number] = made
            best = heapq.nsmallest(_BEAM, after.items(), key=lambda item: item[1])
            promising = heapq.nsmallest(_BEAM, after.items(), key=lambda item: item[1].promise)
            states = {**dict(best), **dict(promising)}
        least = min(states.values())
        return least.most, least.waited, least.order


@dataclass(frozen=True, slots=True, order=True)
class _State:
    """An order of some units: the bytes that it takes, those that are live after each unit added up, the
    units, and as bits the words that are live then."""

    most: int = 0
    waited: int = 0
    order: tuple[int, ...] = ()
    live: int = 0

    @property
    def promise(self) -> tuple[int, int, tuple[int, ...]]:
        """What the others that are gone on with have least of."""
        return self.most, self.live.bit_count(), self.order


def _by_place(region: Region, owners: Mapping[Node, Hashable]) -> list[Hashable]:
    """The units as they stand: where the last of their nodes does."""
    last = {owners[node]: place for place, node in enumerate(region.body) if node in owners}
    return sorted(last, key=lambda key: last[key])
