"""The key schedule on the chip: one step of it as hardware, which makes all round keys one after the other.

Words that steps hand on stand in registers of their own, in the same places step after step, as the block's
do between rounds; operations are shared as those of rounds are. Where a step takes longer than a stage of
the data path, it gets registers inside and as many clocks as it then has stages: its inputs stay as they are
meanwhile, so that nothing needs to be handed on.

The round-key registers: which words of the expanded key the kernel reads, and where they are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from finalist.errors import ScheduleError
from finalist.ir.graph import Node, reads_parameter
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.fpga.datapath.levels import words_of
from finalist.machines.fpga.datapath.merge import Source, Unit
from finalist.machines.fpga.datapath.slots import assign
from finalist.machines.fpga.keys.expansion import Place, Steps, straight
from finalist.machines.fpga.model.delays import longest_way
from finalist.machines.fpga.part import Fabric
from finalist.machines.fpga.signals import KeyUnit, Part, Register, Signal, constant
from finalist.machines.fpga.stages.cut import Cut
from finalist.machines.fpga.stages.logic import Logic
from finalist.machines.fpga.stages.staged import Staged
from finalist.passes.analysis import KeyOnly

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


#: Bits of the port that round keys are written through.
PORT = 32


class Keys:
    """Words of the expanded key side by side in one row of registers, in the order of the arrays.

    Of two programs of one cipher, those of the first, then what the second has beside them.
    ``fields``: (name, number, lowest bit, width) of each; ``places``: for each the number of its program, of
    the array, counted as the key schedule's results are, and the entry.
    """

    def __init__(self, *programs: Program) -> None:
        self._key_only = KeyOnly()
        self._known: dict[Node, Signal] = {}
        self._constants: dict[tuple[int, int], Signal] = {}
        self.fields: list[tuple[str, int, int, int]] = []
        self.places: list[Place] = []
        self._low: dict[tuple[Node, int], int] = {}
        read = [(which, *word) for which, program in enumerate(programs) for word in _read(program)]
        places = [(which, rank, number) for which, rank, _, number in read]
        low, held = 0, dict[object, int]()
        for (which, rank, param, number), value in zip(read, _values(programs, places), strict=True):
            if value not in held:
                held[value] = low
                name = f"{programs[which].operation}_{param.name}" if which else param.name
                self.fields.append((name, number, low, param.width))
                self.places.append((which, rank, number))
                low += param.width
            self._low[param, number] = held[value]
        self.bits = -(-low // PORT) * PORT

    def signal(self, node: Node) -> Signal | None:
        """A word that depends on nothing but the key; None for any other."""
        if node.op is Op.CONST:
            return self._constants.setdefault((node.attr, node.width), constant(node.attr, node.width))
        if not self._key_only(node):
            return None
        if node not in self._known:
            self._known[node] = self._made(node)
        return self._known[node]

    def _made(self, node: Node) -> Signal:
        if reads_parameter(node):
            low = self._low[node.inputs[0], node.inputs[1].attr]
            return Signal(Part.KEY, (), node.width, low, f"{node.inputs[0].name}_{node.inputs[1].attr}")
        inputs = [self.signal(child) for child in node.inputs]
        return Signal(
            node.op, [i for i in inputs if i is not None], node.width, node.attr, node.name, node.line
        )


def _read(program: Program) -> list[tuple[int, Node, int]]:
    """The words of the expanded key that a kernel reads: (number of the array, array, entry), in order."""
    params = {param: rank for rank, param in enumerate(program.key_params)}
    read = {(node.inputs[0], node.inputs[1].attr) for node in program.kernel.body if reads_parameter(node)}
    return sorted(((params[param], param, number) for param, number in read), key=lambda r: (r[0], r[2]))


def _values(programs: Sequence[Program], places: Sequence[Place]) -> Sequence[object]:
    """What tells words apart: of several programs their values, as far as those can be compared."""
    if len(programs) > 1:
        with suppress(ScheduleError):
            return straight(programs, places).results
    return places


def stream(keys: Keys, arrays: Sequence[Sequence[list[int]]]) -> list[int]:
    """What is written to the key port, one word a clock, for the expanded keys of each program: their
    arrays' entries."""
    total = 0
    for (which, rank, number), (_, _, low, _) in zip(keys.places, keys.fields, strict=True):
        total |= arrays[which][rank][number] << low
    return [total >> at & (1 << PORT) - 1 for at in range(0, keys.bits, PORT)]


def key_words(key: bytes) -> list[int]:
    """What is written to the key port where the key schedule is on the chip: the key, first byte highest."""
    size = PORT // 8
    return [int.from_bytes(key[at : at + size].ljust(size, b"\0"), "big") for at in range(0, len(key), size)]
