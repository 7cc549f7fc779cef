"""From a traced program and a schedule to assembly text."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property

from finalist.errors import GraphError, ScheduleError
from finalist.ir.graph import Graph, Node, every_node, origin
from finalist.ir.kept import kept
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Program
from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.build import Plan, build
from finalist.isa.lower.homes import Homes
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.prepare import operations as prepare
from finalist.isa.prepare import stores
from finalist.isa.prepare.chain import chained
from finalist.isa.prepare.late import with_late_parts
from finalist.isa.prepare.shared_sums import with_shared_sums
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.target.processor import Processor
from finalist.licence import SPDX_LINE
from finalist.machines.plx.ptlu.blocks import with_blocks_in_lanes
from finalist.machines.plx.ptlu.contained import with_contained_tables
from finalist.machines.plx.ptlu.folded_sums import with_folded_sums
from finalist.machines.plx.ptlu.in_lanes import with_words_in_lanes
from finalist.machines.plx.ptlu.key_order import with_ordered_keys
from finalist.machines.plx.ptlu.placed import with_placed_tables
from finalist.machines.plx.ptlu.residence import residents
from finalist.machines.plx.ptlu.superwords import with_superwords
from finalist.machines.plx.ptlu.whole_bytes import with_whole_bytes
from finalist.machines.plx.resolve import LANE, blocks_fill, words_fill
from finalist.passes import legalise
from finalist.passes.pipeline import lower
from finalist.passes.rounds.roll import rolled
from finalist.passes.timing import CONSTANT, Execution, addresses, timing
from finalist.schedule import Schedule

#: Where each word of a block stands, register by register and lane by lane; None for one word a register.
Places = tuple[int, ...] | None
#: A register for each word, in which it has the lane that it has in memory.
ALONE = ()
#: A register for each word of as many blocks as there are lanes.
BLOCKS = (-1,)


@dataclass(frozen=True, slots=True)
class Writing:
    """How code is written: its order, addresses; ``asked``: rounds as a loop were asked for; ``fast``: with
    what helps only some programs, so that several are tried."""

    how: str = "levels"
    conventions: Conventions = field(default_factory=Conventions)
    asked: bool = False
    fast: bool = False


def compiled(
    name: str, processor: Processor, traced: Program, schedule: Schedule, writing: Writing
) -> SimulatedProgram:
    """The program of fewest cycles among the layouts of words that the schedule leaves open.

    ``name``: the machine's. Raises ScheduleError.
    """
    maker = _Maker(name, processor, traced, schedule, writing)
    found = list(maker.programs())
    return found[0] if len(found) == 1 else min(found, key=lambda program: program.cycles_a_block)


class _Maker:
    def __init__(
        self, name: str, processor: Processor, traced: Program, schedule: Schedule, writing: Writing
    ) -> None:
        self.name, self.processor, self.schedule, self.writing = name, processor, schedule, writing
        self.traced = traced
        self.on_chip = schedule.lookup == "ptlu"
        self.lanes = processor.width // LANE

    @cached_property
    def prepared(self) -> Program:
        """What is laid out: the schedule's blocks, one after the other."""
        return self._prepared(self.schedule.blocks or 1)

    @cached_property
    def parted(self) -> Program:
        """The same of the blocks in a lane."""
        return self._prepared((self.schedule.blocks or 1) // self.lanes)

    def _prepared(self, blocks: int) -> Program:
        width, schedule = min(self.processor.width, 64), self.schedule
        fuse = 32 if schedule.fuse is None else schedule.fuse
        rotated = self.processor.rotated
        return _lowered(self.traced, blocks, width, rotated, fuse, schedule.keyed_tables or "full")

    def programs(self) -> Iterator[SimulatedProgram]:
        """A program for each layout; at least one."""
        made, reason = 0, "its words do not fit the registers"
        for places in self._layouts():
            try:
                yield self._program(places)
                made += 1
            except (NoRoomError, GraphError) as error:
                if places is None:
                    raise
                reason = str(error)
        if not made:
            if self._blocks_fit and not self._blocks_fill:
                reason = "blocks side by side have their rounds written out; accepted with rounds=unroll"
            width, cipher = self.schedule.width, self.traced.cipher
            raise ScheduleError(f"width={width} is not legal for {cipher}: {reason}")

    def _layouts(self) -> Iterator[Places]:
        """One word a register; several where that is asked for, or lookups side by side can gain by it."""
        width = self.schedule.width
        if width in (None, 1):
            yield None
        if width == 1:
            return
        if self._blocks_fill:
            yield BLOCKS
        if words_fill(self.traced, self.processor) and (width or self.on_chip):
            yield from self._orders()
            if self.writing.fast and self.on_chip and self._written_out:
                yield ALONE

    @property
    def _written_out(self) -> bool:
        """Whether rounds are not to be a loop."""
        return self.schedule.rounds in (None, "unroll")

    def _orders(self) -> Iterator[tuple[int, ...]]:
        """Words in order; and in each register in turns downwards, from the first one on."""
        count, lanes = self.traced.block.packed().count, self.lanes
        yield tuple(range(count))
        if lanes == 2:
            yield tuple(word ^ 1 for word in range(count))
        else:
            yield tuple(word // lanes * lanes + -word % lanes for word in range(count))

    @property
    def _blocks_fill(self) -> bool:
        """Whether blocks can stand side by side; these have their rounds written out, unless a loop was asked
        for. Where rounds are open both are tried in any case."""
        asked = self.writing.asked or self.schedule.optimise == "on"
        return self._blocks_fit and (self._written_out or not asked)

    @property
    def _blocks_fit(self) -> bool:
        return blocks_fill(self.traced, self.schedule.blocks or 1, self.processor)

    # -- one program ----------------------------------------------------------------------------

    def _program(self, places: Places) -> SimulatedProgram:
        prepared = self.parted if places is BLOCKS else self.prepared
        kernel = self._with_tables(prepared.kernel, places)
        kernel, schedule = self._looped(kernel, places)
        program = self._laid_out(prepared.with_graphs(prepared.expand, kernel), places)
        if self.lanes > 1:
            schedule = Schedule(width=1 if places is None else self.processor.width).over(schedule)
        chips: Homes = residents(program, self.processor) if self.on_chip else {}
        parts = timing(program, _execution(chips))
        if schedule.constant_time and parts.label != CONSTANT:
            raise ScheduleError(
                f"constant-time is not legal for {self.traced.cipher} on {self.name}: {parts.reason}"
            )
        text = build(program, self.processor, Plan(self.writing.how, self.writing.conventions, chips))
        header = f"; {program.cipher} {program.operation}, {program.key_bits}-bit keys, on {self.name}\n"
        header += f"; {SPDX_LINE}\n"
        header += f"; {schedule}\n"
        return SimulatedProgram(program, schedule, self.processor, header + text, schedule.blocks or 1, parts)

    def _laid_out(self, program: Program, places: Places) -> Program:
        """The program with its words in registers as the layout has them, and the key in their order."""
        kernel = program.kernel
        if places is BLOCKS:
            kinds = min(self.processor.width // 8, self.processor.banks) if self.on_chip else 0
            return with_blocks_in_lanes(program, self.lanes, kinds, self._ascending)
        if places is None:
            return program.with_graphs(program.expand, self._one_by_one(kernel))
        kernel = self._side_by_side(kernel, places) if places else self._in_lanes(kernel)
        return with_ordered_keys(program.with_graphs(program.expand, kernel), self._ascending)

    def _with_tables(self, kernel: Graph, places: Places) -> Graph:
        """Joined bytes from tables by tables that the processor can hold, or has."""
        kernel = with_shared_sums(with_late_parts(kernel))
        processor = self.processor
        if places and places is not BLOCKS:
            return with_contained_tables(kernel)
        if self.on_chip:
            placed = with_placed_tables(kernel, processor.banks, processor.width)
            return with_whole_bytes(placed) if self.writing.fast else placed
        if processor.built_in:
            placed = with_placed_tables(kernel, _ANY, processor.width)
            return placed if _tables(placed) <= processor.built_in else kernel
        return kernel

    def _looped(self, kernel: Graph, places: Places) -> tuple[Graph, Schedule]:
        """Rounds as a loop; if none are alike they stay as they are, unless a loop was asked for."""
        rounds, schedule = self.schedule.rounds, self.schedule
        if self._written_out or places is BLOCKS:
            return kernel, Schedule(rounds=rounds and "unroll").over(schedule)
        looped = rolled(kernel, rounds if isinstance(rounds, int) else None)
        if len(looped.body) != len(kernel.body):
            return looped, schedule
        if self.writing.asked:
            raise ScheduleError(f"rounds={rounds} is not legal for {kernel.name}: no such turns are equal")
        return kernel, Schedule(rounds="unroll").over(schedule)

    def _one_by_one(self, kernel: Graph) -> Graph:
        """One word a register, but for sums over bytes, where the processor has lanes."""
        if not self.on_chip or self.lanes == 1:
            return kernel
        return with_folded_sums(kernel, self.lanes) if self.writing.fast else kernel

    def _side_by_side(self, kernel: Graph, places: tuple[int, ...]) -> Graph:
        """Several words a register."""
        return with_superwords(kernel, places, self.lanes, self._ascending)

    def _in_lanes(self, kernel: Graph) -> Graph:
        """Each word in its lane of a register of its own."""
        made = with_words_in_lanes(kernel, self.lanes, min(self.lanes, self._kinds), self._ascending)
        if made is None:
            raise GraphError(f"{kernel.name} has no words that could stay in lanes")
        return made

    @property
    def _kinds(self) -> int:
        """Lanes until one whose bytes read the same tables on the chip again."""
        return max(1, self.processor.banks * 8 // LANE)

    @property
    def _ascending(self) -> bool:
        """Whether of words in memory the first is in the lowest lane of a register."""
        return self.traced.block.order is ByteOrder.LITTLE


@kept
def _lowered(traced: Program, blocks: int, width: int, rotated: Set[int], fuse: int, keying: str) -> Program:
    """In operations on words of the processor."""
    program = legalise.run(chained(traced, blocks, width), width)
    return prepare.run(stores.run(lower(program, fuse, keying)), width, rotated)


def _execution(chips: Homes) -> Execution:
    """A table on the chip is read without an address in memory."""

    def visible(node: Node) -> tuple[Node, ...]:
        table = node.attr if node.op is Op.LOOKUP else None
        if node.op in (Op.LOAD, Op.STORE):
            table = origin(node.inputs[0])
        return () if table in chips else addresses(node)

    return Execution(addresses=visible)


#: More tables than any cipher has.
_ANY = 1 << 16


def _tables(graph: Graph) -> set[object]:
    return {node.attr for node in every_node(graph) if node.op is Op.LOOKUP}
