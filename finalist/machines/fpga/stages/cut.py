"""Registers inside of a round: where they go, by the delay table.

The least worst stage comes first, found by halving: a stage may take so many ns; as many stages as needed
are filled from the front. Then each cut in turn goes where the fewest register bits cross it, among the
places from which the rest still fits into the stages that are left, and before which the stage is nearly as
long as the worst: a smallest cut of the network of words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from finalist.ir.ops import Op
from finalist.machines.fpga.model.cover import Cover
from finalist.machines.fpga.model.delays import Delays, longest_way
from finalist.machines.fpga.part import Fabric
from finalist.machines.fpga.signals import Part, Register, Signal, Stage
from finalist.machines.fpga.stages.copies import MOST, spread
from finalist.machines.fpga.stages.flow import ENDLESS, Network
from finalist.machines.fpga.stages.narrow import narrow

#: ns to which the least worst stage is found.
_NEAR = 0.05
#: A stage is at least so much of the worst one, as far as words on the longest ways allow; those ways are
#: at least so much of the longest.
_EVEN, _LONG = 0.9, 0.93


class Cut:
    """A unit of logic in ``stages`` stages. ``inputs``: its registers, the turn's number among them;
    ``chosen``: whether its results go through one more choice; ``memories``: whether tables are in block
    RAM, so that each has to come first in its stage; ``still``: whether the inputs stay until the last stage
    is done, so that no register has to hand on a word; ``copied``: whether registers that drive much are to
    be made several times."""

    def __init__(
        self,
        inputs: Sequence[Signal],
        ends: Sequence[Signal],
        stages: int,
        *,
        chosen: bool,
        fabric: Fabric,
        memories: bool = False,
        still: bool = False,
        copied: bool = False,
    ) -> None:
        self.chosen, self.still, self.copied = chosen, still, copied
        self.inputs, self.ends, self.stages = list(dict.fromkeys(inputs)), list(ends), stages
        self.cover = Cover(ends, fabric, memories=memories)
        self._delays = Delays(self.cover)
        self._wire = {s: self._delays.at_input(s) - self._delays.arrival[s] for s in self.cover.cells}
        arcs = fabric.arcs
        self._setup = arcs["setup_after_local_LUT"]
        self._address = arcs["setup_RAM"]
        self._start = arcs["FF.C->Q"]
        self._results = {base for end in ends for base in end.bases}
        self._tail = fabric.wire(1) + arcs["LUT.I->O"] if chosen else 0.0
        self._after: dict[Signal, list[Signal]] = {}
        for cell in self.cover.cells.values():
            for leaf in cell.leaves:
                self._after.setdefault(leaf, []).append(cell.signal)
        self._loads = {signal: self.cover.loads(signal) for signal in self.cover.cells}
        self._together: dict[object, Counter[Signal]] = {}
        for signal, own in self._loads.items():
            self._together.setdefault(_kind(signal), Counter()).update(own)
        self._begin = {signal: self._from_register(signal) for signal in self.cover.cells}
        self._long = self._on_long_ways()
        self.place = self._placed()

    def _on_long_ways(self) -> set[Signal]:
        """The cells on nearly longest ways through the whole."""
        tail: dict[Signal, float] = {}
        for signal in reversed(self.cover.order):
            if signal in self.cover.cells:
                ways = [tail[user] + self._wire[signal] for user in self._after.get(signal, ())]
                tail[signal] = max(ways, default=0.0) + self.cover.cells[signal].delay
        way = {
            signal: self._delays.arrival[signal] + tail[signal] - self.cover.cells[signal].delay
            for signal in tail
        }
        longest = max(way.values(), default=0.0)
        return {signal for signal, length in way.items() if length >= _LONG * longest}

    @property
    def bits(self) -> int:
        """Register bits inside of the unit."""
        home = dict.fromkeys(self.inputs, 0) | self.place
        last = dict.fromkeys(self._results, self.stages - 1)
        for word, users in self._after.items():
            if word in home:
                last[word] = max(last.get(word, 0), *(home[user] for user in users))
        return sum((last.get(word, 0) - home[word]) * word.width for word in home if word in last)

    # -- the least worst stage --------------------------------------------------------------------------

    def _placed(self) -> dict[Signal, int]:
        low, high = 0.0, max([self._delays.at_register(end) for end in self.ends], default=0.0) + self._tail
        while high - low > _NEAR:
            middle = (low + high) / 2
            if self._needed(middle) <= self.stages:
                high = middle
            else:
                low = middle
        self.period = high
        return self._fewest_bits(high)

    def _needed(self, period: float) -> int:
        """Stages needed if each may take so long; more than there are if some cell takes longer alone."""
        stage = self._from_behind(period)
        if stage is None:
            return self.stages + 1
        return max(stage.values(), default=0) + 1

    def _from_behind(self, period: float) -> dict[Signal, int] | None:
        """For each cell how many stages must come after its own, all cells as late as can be."""
        stage: dict[Signal, int] = {}
        tail: dict[Signal, float] = {}
        for signal in reversed(self.cover.order):
            cell = self.cover.cells.get(signal)
            if cell is None:
                continue
            now, rest = 0, self._setup + (self._tail if signal in self._results else 0.0)
            for user in self._after.get(signal, ()):
                after, way = stage[user], tail[user] + self._wire[signal]
                if self.cover.in_memory(user):
                    after, way = after + 1, self._wire[signal] + self._address
                if after > now or (after == now and way > rest):
                    now, rest = after, way
            if self._begin[signal] + cell.delay + rest > period:
                now, rest = now + 1, self._setup
            if self._begin[signal] + cell.delay + rest > period:
                return None
            stage[signal], tail[signal] = now, cell.delay + rest
        return stage

    def _from_register(self, signal: Signal) -> float:
        """From registers to a cell: clock to output, and the wire there. Other stages have their own copies
        of a word, so that it is only the cell's own loads that are sure to be in the way; but what chooses
        alike by the turn, and the tables of one address, are together in a stage."""
        loads = {w: count for w, count in self._loads[signal].items() if w.op is not Part.KEY}
        if self.cover.in_memory(signal):
            return self.cover.fabric.arcs["RAM.C->Q"]
        for word in loads:
            if signal.op is Op.LOOKUP or word is self.inputs[0] or word.op is Part.FLAG:
                loads[word] = self._together[_kind(signal)][word]
        if self.copied:
            loads = {word: self._copied_loads(signal, word, count) for word, count in loads.items()}
        wires = [self.cover.fabric.wire(count) for count in loads.values()]
        return max((self._start + wire for wire in wires), default=0.0)

    def _copied_loads(self, signal: Signal, word: Signal, loads: int) -> int:
        """The loads that are left to a word once registers have copies: those of the whole row have none, and
        tables are not parted."""
        if word in self.inputs or word.op is Part.FLAG:
            return loads
        return min(loads, max(MOST, self._loads[signal][word]) if signal.op is Op.LOOKUP else MOST)

    # -- the fewest bits --------------------------------------------------------------------------------

    def _fewest_bits(self, period: float) -> dict[Signal, int]:
        """The stage of each cell."""
        after = self._from_behind(period)
        assert after is not None
        place: dict[Signal, int] = {}
        for number in range(self.stages - 1):
            left = [s for s in self.cover.order if s in self.cover.cells and s not in place]
            early = self._reached(left, period, place)
            first = {s for s in left if self.stages - 1 - number <= after[s]}
            first |= early & self._long & self._reached(left, period * _EVEN, place)
            for signal in self._smallest(left, place, first, early):
                place[signal] = number
        for signal in self.cover.cells:
            place.setdefault(signal, self.stages - 1)
        return place

    def _reached(self, left: Sequence[Signal], period: float, place: Mapping[Signal, int]) -> set[Signal]:
        """The cells that can be in the next stage: within the time from the registers before it."""
        arrival: dict[Signal, float] = {}
        for signal in left:
            cell = self.cover.cells[signal]
            ways = [self._begin[signal]]
            ways += [arrival[leaf] + self._wire[leaf] for leaf in cell.leaves if leaf in arrival]
            made = () if self.cover.in_memory(signal) else arrival
            blocked = any(
                leaf in self.cover.cells and leaf not in place and leaf not in made for leaf in cell.leaves
            )
            when = max(ways) + cell.delay
            if when + self._setup <= period + 1e-9 and not blocked:
                arrival[signal] = when
        return set(arrival)

    def _smallest(
        self, left: Sequence[Signal], place: Mapping[Signal, int], first: set[Signal], early: set[Signal]
    ) -> set[Signal]:
        """The cells before the cut that fewest bits cross: all of ``first``, none but those in ``early``."""
        words = [*self.inputs, *place, *left]
        number = {word: 2 + 2 * k for k, word in enumerate(words)}
        net = Network(2 + 2 * len(words))
        for word in words:
            node, behind = number[word], number[word] + 1
            net.edge(node, behind, 0 if self.still and word in self.inputs else word.width)
            for user in self._after.get(word, ()):
                if user in number and user not in place:
                    net.edge(behind, number[user], ENDLESS)
                    net.edge(number[user], node, ENDLESS)  # nothing after the cut feeds what is before it
            if word in self._results:
                net.edge(behind, 1, ENDLESS)
            if word in first or word not in left:
                net.edge(0, node, ENDLESS)
            elif word not in early:
                net.edge(node, 1, ENDLESS)
        side = net.source_side(0, 1)
        return {word for word in left if number[word] in side}


def _kind(signal: Signal) -> object:
    """What is equal for cells that stay together in a stage: tables, and what chooses by the same values."""
    return signal.op if signal.op is Op.LOOKUP else signal.attr


class Staged:
    """A unit after cutting: its further stages, and its results in the last of them."""

    def __init__(
        self, cut: Cut, turn: Signal, title: str, first: int, turned: bool, *, prefix: str = "s"
    ) -> None:
        self._cut, self._title, self._first, self._prefix = cut, title, first, prefix
        self._versions: dict[tuple[Signal, int], Signal] = {}
        self.stages: list[Stage] = []
        self._turns = [turn]
        for number in range(1, cut.stages):
            name = f"turn{first + number}"
            self._turns.append(Signal(Part.INPUT, (), turn.width, name=name) if turned else turn)
            self.stages.append(Stage(f"{title}, part {number + 1} of {cut.stages}", self._turns[-1]))
        self.results = [self._at(end, cut.stages - 1) for end in cut.ends]
        if not cut.still:  # a register's word may then be read in any later stage
            self._tidy()

    @cached_property
    def period(self) -> float:
        """ns of its longest stage, each being all that there is in the part."""
        rows = [[register.input for register in stage.registers] for stage in self.stages]
        fabric, chosen = self._cut.cover.fabric, self._cut.chosen
        found = [longest_way(row, fabric) for row in rows]
        return max(*found, longest_way(self.results, fabric, chosen=chosen))

    def _tidy(self) -> None:
        """Registers with the bits that are read, and copies of those that drive much.

        The last stage comes first, as what it reads is what is read of the one before.
        """
        self.results = self._tidied(self.stages[-1], self.results)
        for stage, after in reversed(list(pairwise(self.stages))):
            inputs = self._tidied(stage, [register.input for register in after.registers])
            for register, word in zip(after.registers, inputs, strict=True):
                register.input = word

    def _tidied(self, stage: Stage, ends: list[Signal]) -> list[Signal]:
        ends = narrow(stage, ends)
        return spread(stage, ends) if self._cut.copied else ends

    def _at(self, signal: Signal, stage: int) -> Signal:
        """The signal as the logic of a stage sees it: made there, or handed on in registers."""
        if self._cut.still:
            stage = min(stage, 0 if signal in self._cut.inputs else self._cut.place.get(signal, stage) + 1)
        key = (signal, stage)
        if key not in self._versions:
            self._versions[key] = self._made(signal, stage)
        return self._versions[key]

    def _made(self, signal: Signal, stage: int) -> Signal:
        if signal in self._turns:
            return self._turns[stage]
        if signal.op in (Part.KEY, Op.CONST):
            return signal
        home = (
            0 if signal.op is Part.INPUT or signal in self._cut.inputs else self._cut.place.get(signal, stage)
        )
        if home == stage:
            if signal.op is Part.INPUT or signal in self._cut.inputs:
                return signal
            inputs = [self._at(child, stage) for child in signal.inputs]
            return Signal(signal.op, inputs, signal.width, signal.attr, signal.name, signal.line)
        before = self._at(signal, stage - 1)
        own = signal.name.split("_", 1)[-1] if signal.name else len(self._versions)
        name = f"{self._prefix}{self._first + stage}_{own}"
        output = Signal(Part.INPUT, (), signal.width, name=name)
        self.stages[stage - 1].registers.append(Register(output, before))
        return output
