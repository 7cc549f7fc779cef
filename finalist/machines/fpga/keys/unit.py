"""The key schedule on the chip: one step of it as hardware, which makes all round keys one after the other.

Words that steps hand on stand in registers of their own, in the same places step after step, as the block's
do between rounds; operations are shared as those of rounds are. Where a step takes longer than a stage of
the data path, it gets registers inside and as many clocks as it then has stages: its inputs stay as they are
meanwhile, so that nothing needs to be handed on.
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.fpga.datapath.levels import words_of
from finalist.machines.fpga.datapath.merge import Source, Unit
from finalist.machines.fpga.datapath.slots import assign
from finalist.machines.fpga.keys.expansion import Steps
from finalist.machines.fpga.keys.registers import PORT
from finalist.machines.fpga.model.delays import longest_way
from finalist.machines.fpga.part import Fabric
from finalist.machines.fpga.signals import KeyUnit, Part, Register, Signal, constant
from finalist.machines.fpga.stages.cut import Cut
from finalist.machines.fpga.stages.logic import Logic
from finalist.machines.fpga.stages.staged import Staged

#: A step takes at most so many clocks.
MOST_CLOCKS = 32


class Expander:
    """The hardware of ``steps``; ``fields``: of each result its lowest bit in the round-key registers."""

    def __init__(self, program: Program, steps: Steps, fields: Sequence[int]) -> None:
        bits = -(-program.key_bits // PORT) * PORT
        self.key = Signal(Part.INPUT, (), bits, name="key")
        self.turn = Signal(Part.INPUT, (), max(1, (steps.count - 1).bit_length()), name="key_step")
        words = words_of(self.key, program.key)
        self._known = dict(zip(program.expand.params, words, strict=True))
        self._constants: dict[tuple[int, int], Signal] = {}
        self.steps, self.fields = steps, fields
        rounds = steps.rounds
        (row, _), places = assign(rounds, 1)
        self.row = [
            Signal(Part.INPUT, (), width, name=f"k_{_own(row.names, place)}")
            for place, width in enumerate(row.widths)
        ]
        self.unit = Unit(self.row, self.turn, steps.count, self._outside)
        self._where = [self.unit.lay(t, nodes, places[t]) for t, nodes in enumerate(rounds.segments)]
        self._next = self._handed_on(places)

    def _outside(self, node: Node) -> Signal | None:
        """A constant, or what only picks bits of the key."""
        if node.op is Op.CONST:
            return self._constants.setdefault((node.attr, node.width), constant(node.attr, node.width))
        if node not in self._known and node not in self.steps.made:
            inputs = [self._outside(child) for child in node.inputs]
            words = [word for word in inputs if word is not None]
            self._known[node] = Signal(node.op, words, node.width, node.attr, node.name, node.line)
        return self._known.get(node)

    def _handed_on(self, places: Sequence[dict[Node, int]]) -> dict[int, Signal]:
        going: dict[int, dict[int, Source]] = {}
        for turn, where in enumerate(self._where):
            for node, place in places[turn + 1].items():
                going.setdefault(place, {})[turn] = where[node]
        return {place: self.unit.signal(sources) for place, sources in going.items()}

    def _writes(self) -> list[tuple[int, int, Signal]]:
        """(step, lowest bit, word) for each word of the round keys."""
        found = []
        for node, low in zip(self.steps.graph.results, self.fields, strict=True):
            turn = self.steps.made.get(node, 0)
            source = self._where[turn].get(node) or self._outside(node)
            assert source is not None
            found.append((turn, low, self.unit.signal({turn: source})))
        return found

    def unit_for(self, period: float, fabric: Fabric) -> KeyUnit:
        """With as few clocks a step as leave no stage longer than ``period`` ns, or the most there may be."""
        writes = self._writes()
        ends = [*self._next.values(), *(word for _, _, word in writes)]
        rows = [Register(word, self._next.get(place, word)) for place, word in enumerate(self.row)]
        found = KeyUnit(self.key, self.turn, self.steps.count, 1, rows, [], writes)
        longest = longest_way(found.ends(), fabric)
        if longest <= period:
            return found
        logic = Logic([self.turn, self.key, *self.row], ends, fabric)
        for clocks in range(min(MOST_CLOCKS, max(2, int(longest / period))), MOST_CLOCKS + 1):
            cut = Cut(logic, clocks, still=True)
            if cut.period <= period or clocks == MOST_CLOCKS:
                return self._staged(found, cut)
        raise AssertionError

    def _staged(self, whole: KeyUnit, cut: Cut) -> KeyUnit:
        staged = Staged(cut.placement, self.turn, "key schedule", 0, False, prefix="k")
        there = len(self._next)
        following = dict(zip(self._next, staged.results[:there], strict=True))
        writes = [
            (turn, low, word)
            for (turn, low, _), word in zip(whole.writes, staged.results[there:], strict=True)
        ]
        rows = [Register(word, following.get(place, word)) for place, word in enumerate(self.row)]
        inner = [register for stage in staged.stages for register in stage.registers]
        return KeyUnit(self.key, self.turn, self.steps.count, cut.stages, rows, inner, writes)


def _own(names: Sequence[str], place: int) -> str:
    name = names[place]
    return name if name and names.count(name) == 1 else str(place)
