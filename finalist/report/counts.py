"""Operations of a graph, counted: how often each kind happens in one call, and in which tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from finalist.ir.graph import Graph, Node, effective_phases
from finalist.ir.ops import Op
from finalist.ir.types import storage_bits
from finalist.report.kinds import LOOKUPS, MOVES, Kind, Kinds, bits_of, kinds_of
from finalist.report.path import Trips

#: How often each kind of operation happens on words of how many bits.
Operations = Counter[tuple[Kind, int]]


@dataclass(frozen=True, slots=True)
class TableUse:
    """A table and the number of lookups in it; ``kind`` is one of `LOOKUPS`."""

    name: str
    kind: Kind
    entries: int
    width: int
    lookups: int

    @property
    def index_bits(self) -> int:
        """Bits of the index."""
        return (self.entries - 1).bit_length()

    @property
    def bytes(self) -> int:
        """Bytes in memory."""
        return self.entries * storage_bits(self.width) // 8


@dataclass(frozen=True, slots=True)
class Counts:
    """One call of a graph.

    ``of_key``: operations among these that depend on nothing but the key. ``at_most``: some happen only
    where a condition holds, or in loops of fewer iterations than counted. ``uncertain``: loops whose trip
    count has no known bound, counted as one.
    """

    operations: Operations
    tables: tuple[TableUse, ...]
    of_key: int
    at_most: bool
    uncertain: int

    def of(self, *kinds: Kind) -> int:
        """How many operations of these kinds, on words of any width."""
        return number(self.operations, kinds)

    @property
    def total(self) -> int:
        """All operations but those that only move words."""
        return number(self.operations, [kind for kind in Kind if kind not in MOVES])

    @property
    def lookups(self) -> int:
        """Lookups in tables of every sort."""
        return number(self.operations, LOOKUPS)


@dataclass(frozen=True, slots=True)
class Rounds:
    """Rounds that a definition marks: for each sort of them their numbers, from 0, and what one does.

    Moves of words are left out: the first round to need a value may be the one that fetches it.
    """

    sorts: tuple[tuple[tuple[int, ...], Operations], ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(len(numbers) for numbers, _ in self.sorts)


def number(operations: Mapping[tuple[Kind, int], int], kinds: Iterable[Kind]) -> int:
    """How many operations of these kinds, on words of any width."""
    wanted = set(kinds)
    return sum(times for (kind, _), times in operations.items() if kind in wanted)


def counted(graph: Graph) -> Counts:
    """The operations of one call; those in loops as often as the loop has iterations."""
    tally = Tally(kinds_of(graph))
    for node in graph.body:
        tally.add(node)
    return tally.counts()


def by_round(graph: Graph) -> tuple[tuple[Rounds, ...], Operations]:
    """For each `rounds(...)` of the definition what its rounds do; and what happens outside of all."""
    kinds, phases = kinds_of(graph), effective_phases(graph)
    tallies: dict[int, Tally] = {}
    for node in graph.body:
        tallies.setdefault(phases[node], Tally(kinds)).add(node)
    found = {phase: tally.operations for phase, tally in tallies.items()}
    groups = []
    for first, count in graph.rounds:
        each = [found.pop(first + r, Counter()) for r in range(count)]
        groups.append(Rounds(_sorts(each)))
    return tuple(groups), sum(found.values(), Counter())


def _sorts(rounds: list[Operations]) -> tuple[tuple[tuple[int, ...], Operations], ...]:
    """Equal ones together, but for their moves, in order of their first."""
    sorts: list[tuple[tuple[int, ...], Operations]] = []
    for place, operations in enumerate(rounds):
        one = Counter({key: times for key, times in operations.items() if key[0] not in MOVES})
        same = next((k for k, (_, known) in enumerate(sorts) if known == one), None)
        if same is None:
            sorts.append(((place,), one))
        else:
            sorts[same] = ((*sorts[same][0], place), one)
    return tuple(sorts)


# -- counting ----------------------------------------------------------------------------------------


@dataclass
class Tally:
    """A count under way."""

    kinds: Kinds
    operations: Operations = field(default_factory=Counter)
    of_key: int = 0
    at_most: bool = False
    uncertain: int = 0
    _lookups: Counter[Hashable] = field(default_factory=Counter)
    _tables: dict[Hashable, tuple[str, Kind, int, int]] = field(default_factory=dict)
    trips: Trips = field(default_factory=Trips)

    def add(self, node: Node, times: int = 1) -> None:
        """Count a node, and all that is in its region, as happening ``times`` times."""
        kind = self.kinds(node)
        if kind is not None:
            self.operations[kind, bits_of(node, kind)] += times
            if kind not in MOVES and self.kinds.key_only(node):
                self.of_key += times
            if kind in LOOKUPS:
                self._table(node, kind, times)
        if node.op is Op.LOOP or node.op is Op.WHEN:
            trips = self._trips(node)
            for inner in node.region.body:
                self.add(inner, times * trips)

    def _trips(self, node: Node) -> int:
        """How often a region happens."""
        if node.op is Op.WHEN:
            self.at_most = True
            return 1
        least, most = self.trips(node)
        self.uncertain += most is None
        self.at_most |= most is not None and least < most
        return 1 if most is None else most

    def counts(self) -> Counts:
        """What was counted."""
        tables = (TableUse(*table, lookups=self._lookups[key]) for key, table in self._tables.items())
        return Counts(self.operations, tuple(tables), self.of_key, self.at_most, self.uncertain)

    def _table(self, node: Node, kind: Kind, times: int) -> None:
        key: Hashable
        if kind is Kind.LOOKUP:
            key, name, entries = node.attr, node.attr.name, len(node.attr.values)
        elif kind is Kind.KEYED_FUNCTION:
            key, entries = (node.region, node.inputs[1:]), 1 << node.inputs[0].width
            name = f"keyed function {1 + sum(isinstance(known, tuple) for known in self._tables)}"
        else:
            key, name, entries = node.inputs[0], node.inputs[0].name, node.inputs[0].length
        self._tables.setdefault(key, (name, kind, entries, node.width))
        self._lookups[key] += times
