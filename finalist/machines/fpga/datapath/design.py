"""From a kernel to a data path: rounds onto units, registers between them, a block in and a block out."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from finalist.errors import ScheduleError
from finalist.ir.graph import Node
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.fpga.architecture import Architecture, check
from finalist.machines.fpga.datapath.levels import (
    block_of,
    choices_in_levels,
    in_levels,
    tables_in_levels,
    words_of,
)
from finalist.machines.fpga.datapath.memories import into_memories
from finalist.machines.fpga.datapath.merge import Source, Unit
from finalist.machines.fpga.datapath.slots import Rounds, Slots, split, together
from finalist.machines.fpga.keys.expansion import steps_of
from finalist.machines.fpga.keys.unit import Expander, Keys
from finalist.machines.fpga.model.estimate import slices
from finalist.machines.fpga.model.rows import Rows, Shape
from finalist.machines.fpga.part import Fabric, virtex
from finalist.machines.fpga.signals import Design, Part, Register, Signal, Stage, Turns
from finalist.machines.fpga.stages.cut import Cut
from finalist.machines.fpga.stages.logic import Logic
from finalist.machines.fpga.stages.select_copies import replicate_selects
from finalist.machines.fpga.stages.staged import Staged

#: Of stages that are at most so much longer than the shortest, those that take least room are taken.
_NEARLY = 1.005
#: The same for what a design is made for; and how many times the least worst stage one may be where fewer
#: bits of registers do then.
_LONGER = {None: (_NEARLY, 1.0), "speed": (1.0, 1.0), "size": (1.2, 1.1)}
#: Registers are made several times where the longest stage is so much longer without.
_WORTH_COPIES = 1.03


def build(
    programs: Sequence[Program],
    architecture: Architecture,
    *,
    memories: bool = False,
    chip: bool = False,
    compute: bool = False,
    optimise: str | None = None,
) -> tuple[Design, Keys]:
    """The data path of lowered programs: of one operation, or of encryption and decryption of one cipher.

    ``memories``: with its tables in block RAM; ``chip``: with its key schedule, ``compute``: in which tables
    that are networks of small ones are those; ``optimise``: made for "size" or "speed". Raises ScheduleError
    where the architecture does not divide the rounds, a table can't be in block RAM, or the key schedule has
    no form in hardware.
    """
    rounds = [split(program.kernel, program.cipher) for program in programs]
    for one in rounds:
        check(architecture, len(one.segments), programs[0].cipher)
    if len({len(one.segments) for one in rounds}) > 1:
        raise ScheduleError(
            f"directions=both is not legal for {programs[0].cipher}: its directions differ in rounds"
        )
    keys = Keys(*programs)
    fabric = virtex()
    if architecture.inner:  # how full the part is says how long wires are, and so where to cut
        fabric = fabric.filled(_slices_without(tuple(programs), architecture.rounds, memories))
    design = _Builder(programs, architecture, rounds, keys, fabric, memories, optimise).design()
    if memories:
        into_memories(design, programs[0].cipher)
    if chip:
        steps = steps_of(programs, keys.places, compute=compute)
        expander = Expander(programs[0], steps, [low for _, _, low, _ in keys.fields])
        fabric = virtex().filled(slices(design))
        longest_stage = max(Rows(design).delays(fabric))
        design.key_unit = expander.unit_for(longest_stage, fabric)
    return design, keys


@memoized
def _slices_without(programs: tuple[Program, ...], size: int, memories: bool) -> int:
    """Slices of so many rounds in a row, with no register inside of one."""
    rounds = [split(program.kernel, program.cipher) for program in programs]
    whole = _Builder(programs, Architecture("PP", size), rounds, Keys(*programs), virtex(), memories)
    return slices(whole.design(), memories=memories)


@dataclass(frozen=True, slots=True)
class _Model:
    """The first of several units that are alike: its turn, title and number, its signals in the order of its
    shape, and its logic in each form."""

    place: tuple[Signal, str, int]
    order: Sequence[Signal]
    logics: Sequence[Logic]


class _Builder:
    def __init__(
        self,
        programs: Sequence[Program],
        architecture: Architecture,
        rounds: Sequence[Rounds],
        keys: Keys,
        fabric: Fabric,
        memories: bool,
        optimise: str | None = None,
    ) -> None:
        self.programs, self.rounds, self.keys, self.fabric = programs, rounds, keys, fabric
        self.memories, self.optimise = memories, optimise
        self.size = architecture.rounds
        self.count = len(rounds[0].segments)
        self.pipelined = architecture.kind != "LU"
        self.inner = architecture.inner
        #: By shape the first unit of it, and by that and whether results are chosen, its stages: rounds that
        #: are alike are cut alike.
        self._models: dict[Hashable, _Model] = {}
        self._staged: dict[Hashable, Staged] = {}
        self.turns = Turns(self.count // self.size, len(programs))
        self.rows, self.places = together(rounds, self.size)
        self.decrypt = Signal(Part.INPUT, (), 1, name="decrypt") if len(programs) > 1 else None

    def design(self) -> Design:
        bits = self.programs[0].block.bytes * 8
        block_in = Signal(Part.INPUT, (), bits, name="block_in")
        load = self._load(block_in)
        stages, ends = self._stages()
        finish = self._finish(ends[1])
        if self.optimise == "speed" and self.turns.count > 1:
            self._replicate_selects(stages, finish)
        block_out = self._last(finish, stages[-1].turn)
        return Design(
            block_bits=bits,
            turns=self.turns.each,
            stages=stages,
            block_in=block_in,
            load=load,
            finish=finish,
            block_out=block_out,
            keys=self.keys.bits,
            deep=self.size > 1 and not self.pipelined,
            decrypt=self.decrypt,
        )

    # -- in and out -----------------------------------------------------------------------------------

    def _load(self, block_in: Signal) -> list[Signal]:
        """What the first row takes of a block, by the direction that it goes."""
        ways = [self._first(which, block_in) for which in range(len(self.programs))]
        return [_one_of(self.decrypt, words) for words in zip(*ways, strict=True)]

    def _first(self, which: int, block_in: Signal) -> list[Signal]:
        program, rounds = self.programs[which], self.rounds[which]
        params = program.kernel.params[: program.block.count]
        words = dict(zip(params, words_of(block_in, program.block), strict=True))
        made = self._converted(rounds.first, words)
        by_place = {place: made[node] for node, place in self.places[which][0].items()}
        return [
            by_place.get(place, Signal(Op.CONST, (), width, 0))
            for place, width in enumerate(self.rows[0].widths)
        ]

    def _last(self, finish: list[Register], turn: Signal) -> Signal:
        """The port; where the directions end in different ways, the result says which way it came."""
        ways = [self._result(which, finish) for which in range(len(self.programs))]
        choice = None
        if any(len(set(words)) > 1 for words in zip(*ways, strict=True)):
            choice = Signal(Part.INPUT, (), 1, name="result_decrypt")
            finish.append(Register(choice, self.turns.direction(turn)))
        words = [_one_of(choice, words) for words in zip(*ways, strict=True)]
        return block_of(words, self.programs[0].block)

    def _result(self, which: int, finish: Sequence[Register]) -> list[Signal]:
        known = {node: finish[place].output for node, place in self.places[which][-1].items()}
        made = self._converted(self.rounds[which].last, known)
        results = [made.get(n) or self.keys.signal(n) for n in self.programs[which].kernel.results]
        return [word for word in results if word is not None]

    def _converted(self, nodes: Sequence[Node], known: dict[Node, Signal]) -> dict[Node, Signal]:
        made = dict(known)
        for node in nodes:
            inputs = [made.get(child) or self.keys.signal(child) for child in node.inputs]
            words = [word for word in inputs if word is not None]
            made[node] = Signal(node.op, words, node.width, node.attr, node.name, node.line)
        return made

    def _finish(self, results: dict[int, Signal]) -> list[Register]:
        row = self.rows[self.size]
        return [Register(_output("result", row, k), results[k]) for k in range(len(row.widths))]

    # -- rounds -----------------------------------------------------------------------------------------

    def _stages(self) -> tuple[list[Stage], tuple[dict[int, Signal], dict[int, Signal]]]:
        """The stages, and what the last unit hands back to the first row, and on to the result."""
        stages: list[Stage] = []
        outputs: dict[int, Signal] = {}
        for number in range(self.size):
            if number == 0 or self.pipelined:
                stages.append(self._stage(number, len(stages), outputs, stages))
            row = [register.output for register in stages[-1].registers]
            inputs = row if number == 0 or self.pipelined else [outputs[k] for k in range(len(outputs))]
            outputs, finish = self._unit(number, inputs, stages[-1].turn)
            if self.inner:
                outputs, finish = self._cut(stages, outputs, finish, last=number + 1 == self.size)
        self._feed_back(stages[0], outputs)
        return stages, (outputs, finish)

    def _stage(self, number: int, place: int, outputs: dict[int, Signal], before: list[Stage]) -> Stage:
        turn = Signal(Part.INPUT, (), self.turns.width, name=f"turn{place}")
        stage = Stage(self._title(number), turn)
        for k in range(len(self.rows[number].widths)):
            output = _output(f"s{place}", self.rows[number], k)
            stage.registers.append(Register(output, outputs.get(k, output)))
        return stage

    def _title(self, number: int) -> str:
        turns = range(self.turns.each)
        names = [str(number + turn * self.size) for turn in turns]
        last = self.size if not self.pipelined else 1
        if last > 1:
            names = [f"{number + t * self.size}-{number + t * self.size + last - 1}" for t in turns]
        shown = names if len(names) <= 4 else [*names[:2], "..", names[-1]]
        return ("rounds " if len(names) > 1 or last > 1 else "round ") + ", ".join(shown)

    def _unit(
        self, number: int, inputs: Sequence[Signal], turn: Signal
    ) -> tuple[dict[int, Signal], dict[int, Signal]]:
        """The unit's results by their place in the next row; the last unit's also in the row of results."""
        unit = Unit(inputs, turn, self.turns.count, self.keys.signal)
        going: dict[int, dict[int, Source]] = {}
        leaving: dict[int, dict[int, Source]] = {}
        for which, number_of in self.turns.all():
            boundary = number + number_of * self.size
            rounds, places = self.rounds[which], self.places[which]
            t = self.turns.number(which, number_of)
            last, after = boundary + 1 == self.count, places[boundary + 1]
            results = after if last and self.inner else ()
            found = unit.lay(t, rounds.segments[boundary], places[boundary], which, results)
            ends = leaving if last else going
            for node, place in after.items():
                ends.setdefault(place, {})[t] = found[node]
        return (
            {place: unit.signal(sources) for place, sources in sorted(going.items())},
            {place: unit.signal(sources) for place, sources in leaving.items()},
        )

    def _cut(
        self, stages: list[Stage], outputs: dict[int, Signal], finish: dict[int, Signal], *, last: bool
    ) -> tuple[dict[int, Signal], dict[int, Signal]]:
        """Registers inside of the last unit; adds its further stages."""
        begin = stages[-1]
        ends, turned = [*outputs.values(), *finish.values()], self.turns.count > 1
        inputs = [begin.turn, *(register.output for register in begin.registers)]
        chosen = self.turns.each > 1 and last
        shape, place = Shape.of(inputs, ends), (begin.turn, begin.title, len(stages) - 1)
        if shape.key not in self._models:
            forms = self._forms(ends)
            logics = [Logic(inputs, form, self.fabric, memories=self.memories) for form in forms]
            self._models[shape.key] = _Model(place, shape.order, logics)
        model, alike = self._models[shape.key], (shape.key, chosen)
        if alike not in self._staged:
            self._staged[alike] = self._shortest(model, chosen=chosen, turned=turned)
        staged = self._staged[alike]
        if model.order is not shape.order:
            staged = staged.onto(model.order, shape.order, *place)
        begin.title += f", part 1 of {self.inner + 1}"
        stages += staged.stages
        there = len(outputs)
        return (
            dict(zip(outputs, staged.results[:there], strict=True)),
            dict(zip(finish, staged.results[there:], strict=True)),
        )

    def _shortest(self, model: _Model, *, chosen: bool, turned: bool) -> Staged:
        """A unit in stages; with copies of registers where they are worth it."""
        worth = 1.0 if self.optimise == "speed" else _WORTH_COPIES
        cuts = self._cuts(model.logics, chosen=chosen)
        return _first_nearly_shortest([Staged(cut.placement, *model.place, turned) for cut in cuts], worth)

    def _cuts(self, logics: Sequence[Logic], *, chosen: bool) -> Iterator[Cut]:
        """The best one with registers as they are, and with copies of those that drive much.

        Where tables are in block RAM, their own registers are what takes long.
        """
        nearly, slack = _LONGER[self.optimise]
        for copied in (False,) if self.memories or self.optimise == "size" else (False, True):
            ways = [Cut(logic, self.inner + 1, chosen=chosen, copied=copied, slack=slack) for logic in logics]
            shortest = min(way.period for way in ways)
            yield min((way for way in ways if way.period <= nearly * shortest), key=lambda way: way.area)

    def _forms(self, ends: list[Signal]) -> list[list[Signal]]:
        """The same results in operations that registers can go inside of, each form once."""
        ends = choices_in_levels(ends)
        forms = [ends, in_levels(ends)]
        if not self.memories:
            forms += [tables_in_levels(some) for some in forms]
        return list({tuple(form): form for form in forms}.values())

    def _replicate_selects(self, stages: Sequence[Stage], finish: Sequence[Register]) -> None:
        """In each stage, registers of their own for what selects by the iteration."""
        for place, stage in enumerate(stages):
            last = place + 1 == len(stages)
            taken = [*stages[(place + 1) % len(stages)].registers, *(finish if last else ())]
            ends = replicate_selects([register.input for register in taken], stage.turn, self.turns.count)
            for register, word in zip(taken, ends, strict=True):
                register.input = word

    def _feed_back(self, stage: Stage, outputs: dict[int, Signal]) -> None:
        for place, register in enumerate(stage.registers):
            register.input = outputs.get(place, register.output)


def _first_nearly_shortest(ways: Sequence[Staged], worth: float) -> Staged:
    """The first whose longest stage is at most ``worth`` times that of any."""
    if len(ways) == 1:
        return ways[0]
    shortest = min(way.period for way in ways)
    return next(way for way in ways if way.period <= worth * shortest)


def _one_of(choice: Signal | None, words: Sequence[Signal]) -> Signal:
    """The word that both are, or the first or the second by the choice."""
    if choice is None or len(set(words)) == 1:
        return words[0]
    return Signal(Part.MUX, (choice, *words), words[0].width, (0, 1))


def _output(prefix: str, row: Slots, place: int) -> Signal:
    name = row.names[place]
    own = name if name and row.names.count(name) == 1 else str(place)
    return Signal(Part.INPUT, (), row.widths[place], name=f"{prefix}_{own}")
