"""Registers inside of a round: where they go, by the delay table.

The least worst stage comes first, found by halving: a stage may take so many ns; as many stages as needed
are filled from the front. Then each cut in turn goes where the fewest register bits cross it, among the
places from which the rest still fits into the stages that are left, and before which the stage is nearly as
long as the worst: a smallest cut of the network of words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from finalist.ir.ops import Op
from finalist.machines.fpga.signals import Part, Signal
from finalist.machines.fpga.stages.copies import MOST
from finalist.machines.fpga.stages.flow import ENDLESS, Network
from finalist.machines.fpga.stages.logic import Logic
from finalist.machines.fpga.stages.staged import Placement

#: ns to which the least worst stage is found.
_NEAR = 0.05
#: The nodes of a network where it begins and ends.
SOURCE, SINK = 0, 1
#: A stage is at least so much of the worst one, as far as words on the longest ways allow.
_EVEN = 0.9


class _Numbered(NamedTuple):
    """A cell among all of a unit: ns from registers right before it to its output (``alone``) and through
    it, ns after it where a register follows (``end``), and by each that reads it its number, the wire there,
    and whether it is in block RAM. The search for the least worst stage walks over them some dozen times."""

    signal: Signal
    alone: float
    delay: float
    end: float
    users: Sequence[tuple[int, float, bool]]


class Cut:
    """A unit of logic in ``stages`` stages. ``chosen``: whether its results go through one more choice;
    ``still``: whether the inputs stay until the last stage is done, so that no register has to hand on a
    word; ``copied``: whether registers that drive much are to be made several times; ``slack``: how many
    times the least worst stage the worst one may be, where that saves registers."""

    def __init__(
        self,
        logic: Logic,
        stages: int,
        *,
        chosen: bool = False,
        still: bool = False,
        copied: bool = False,
        slack: float = 1.0,
    ) -> None:
        self.logic, self.stages = logic, stages
        self.chosen, self.still, self.copied, self.slack = chosen, still, copied, slack
        self._cells, self._wire, self._after = logic.cover.cells, logic.wire, logic.after
        arcs = logic.fabric.arcs
        self._setup = arcs["setup_after_local_LUT"]
        self._address = arcs["setup_RAM"]
        self._start = arcs["FF.C->Q"]
        self._tail = logic.fabric.wire(1) + arcs["LUT.I->O"] if chosen else 0.0
        self._begin = {signal: self._from_register(signal) for signal in self._cells}
        self._backwards = self._numbered()
        self.place = self._placed()

    @property
    def area(self) -> float:
        """Half slices of its logic and of the registers inside."""
        area, luts = self.logic.fabric.area, sum(cell.luts for cell in self._cells.values())
        return area["tables_of_logic"] * luts + area["data_register_bits"] * self.bits

    @property
    def placement(self) -> Placement:
        """What was found: the stage of each cell."""
        return Placement(
            frozenset(self.logic.inputs),
            self.logic.ends,
            self.stages,
            self.place,
            self.logic.fabric,
            chosen=self.chosen,
            still=self.still,
            copied=self.copied,
        )

    @property
    def bits(self) -> int:
        """Register bits inside of the unit."""
        home = dict.fromkeys(self.logic.inputs, 0) | self.place
        last = dict.fromkeys(self.logic.results, self.stages - 1)
        for word, users in self._after.items():
            if word in home:
                last[word] = max(last.get(word, 0), *(home[user] for user in users))
        return sum((last.get(word, 0) - home[word]) * word.width for word in home if word in last)

    # -- the least worst stage --------------------------------------------------------------------------

    def _placed(self) -> dict[Signal, int]:
        low, high = 0.0, self.logic.whole + self._tail
        while self._from_behind(high) is None:  # tables in block RAM take longer than the logic around them
            low, high = high, 2 * high
        while high - low > _NEAR:
            middle = (low + high) / 2
            if self._needed(middle) <= self.stages:
                high = middle
            else:
                low = middle
        self.period = high * self.slack
        return self._fewest_bits(self.period)

    def _needed(self, period: float) -> int:
        """Stages needed if each may take so long; more than there are if some cell takes longer alone."""
        stage = self._from_behind(period)
        if stage is None:
            return self.stages + 1
        return max(stage, default=0) + 1

    def _from_behind(self, period: float) -> list[int] | None:
        """For each of `_backwards` how many stages must come after its own, all cells as late as can be."""
        stage = [0] * len(self._backwards)
        tail = [0.0] * len(stage)
        for rank, cell in enumerate(self._backwards):
            now, rest = 0, cell.end
            for user, wire, memory in cell.users:
                after, way = stage[user], tail[user] + wire
                if memory:
                    after, way = after + 1, wire + self._address
                if after > now or (after == now and way > rest):
                    now, rest = after, way
            if cell.alone + rest > period:
                now, rest = now + 1, self._setup
                if cell.alone + rest > period:
                    return None
            stage[rank], tail[rank] = now, cell.delay + rest
        return stage

    def _numbered(self) -> list[_Numbered]:
        """The cells, those that read before what they read."""
        backwards = [signal for signal in reversed(self.logic.cover.order) if signal in self._cells]
        rank = {signal: number for number, signal in enumerate(backwards)}
        return [
            _Numbered(
                signal,
                self._begin[signal] + self._cells[signal].delay,
                self._cells[signal].delay,
                self._setup + (self._tail if signal in self.logic.results else 0.0),
                [
                    (rank[user], self._wire[signal], self.logic.cover.in_memory(user))
                    for user in self._after.get(signal, ())
                ],
            )
            for signal in backwards
        ]

    def _from_register(self, signal: Signal) -> float:
        """From registers to a cell: clock to output, and the wire there. Other stages have their own copies
        of a word, so that it is only the cell's own loads that are sure to be in the way; but what chooses
        alike by the turn, and the tables of one address, are together in a stage."""
        loads = {w: count for w, count in self.logic.loads[signal].items() if w.op is not Part.KEY}
        if self.logic.cover.in_memory(signal):
            return self.logic.fabric.arcs["RAM.C->Q"]
        for word in loads:
            if signal.op is Op.LOOKUP or word is self.logic.inputs[0] or word.op is Part.FLAG:
                loads[word] = self.logic.together(signal, word)
        if self.copied:
            loads = {word: self._copied_loads(signal, word, count) for word, count in loads.items()}
        wires = [self.logic.fabric.wire(count) for count in loads.values()]
        return max((self._start + wire for wire in wires), default=0.0)

    def _copied_loads(self, signal: Signal, word: Signal, loads: int) -> int:
        """The loads that are left to a word once registers have copies: those of the whole row have none, and
        tables are not parted."""
        if word in self.logic.inputs or word.op is Part.FLAG:
            return loads
        return min(loads, max(MOST, self.logic.loads[signal][word]) if signal.op is Op.LOOKUP else MOST)

    # -- the fewest bits --------------------------------------------------------------------------------

    def _fewest_bits(self, period: float) -> dict[Signal, int]:
        """The stage of each cell."""
        found = self._from_behind(period)
        assert found is not None
        after = {cell.signal: stages for cell, stages in zip(self._backwards, found, strict=True)}
        place: dict[Signal, int] = {}
        for number in range(self.stages - 1):
            left = [s for s in self.logic.cover.order if s in self._cells and s not in place]
            early = self._reached(left, period, place)
            first = {s for s in left if self.stages - 1 - number <= after[s]}
            first |= early & self.logic.long & self._reached(left, period * _EVEN, place)
            for signal in self._smallest(left, place, first, early):
                place[signal] = number
        for signal in self._cells:
            place.setdefault(signal, self.stages - 1)
        return place

    def _reached(self, left: Sequence[Signal], period: float, place: Mapping[Signal, int]) -> set[Signal]:
        """The cells that can be in the next stage: within the time from the registers before it."""
        arrival: dict[Signal, float] = {}
        for signal in left:
            cell = self._cells[signal]
            ways = [self._begin[signal]]
            ways += [arrival[leaf] + self._wire[leaf] for leaf in cell.leaves if leaf in arrival]
            made = () if self.logic.cover.in_memory(signal) else arrival
            blocked = any(
                leaf in self._cells and leaf not in place and leaf not in made for leaf in cell.leaves
            )
            when = max(ways) + cell.delay
            if when + self._setup <= period + 1e-9 and not blocked:
                arrival[signal] = when
        return set(arrival)

    def _smallest(
        self, left: Sequence[Signal], place: Mapping[Signal, int], first: set[Signal], early: set[Signal]
    ) -> set[Signal]:
        """The cells before the cut that fewest bits cross: all of ``first``, none but those in ``early``."""
        words = [*self.logic.inputs, *place, *left]
        free = set(left)
        number = {word: 2 + 2 * k for k, word in enumerate(words)}
        number |= {word: SOURCE for word in words if word in first or word not in free}
        number |= {word: SINK for word in left if word not in early and word not in first}
        net = Network(2 + 2 * len(words))
        for rank, word in enumerate(words):
            node, behind = number[word], 3 + 2 * rank
            if node == SINK:
                continue
            users = [number[user] for user in self._after.get(word, ()) if user in free]
            for user in users:
                net.edge(behind, user, ENDLESS)
                if node != SOURCE and user != SINK:
                    net.edge(user, node, ENDLESS)  # nothing after the cut feeds what is before it
            if word in self.logic.results:
                net.edge(behind, SINK, ENDLESS)
            if users or word in self.logic.results:
                net.edge(node, behind, 0 if self.still and word in self.logic.inputs else word.width)
        side = net.source_side(SOURCE, SINK)
        return {word for word in left if number[word] in side}
