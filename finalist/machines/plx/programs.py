"""From a traced program and a schedule to assembly text."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property

from finalist.errors import GraphError, ScheduleError
from finalist.ir.graph import Graph, Node, every_node, origin
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
from finalist.passes import driver, legalise
from finalist.passes.driver import on_kernel, run, run_once, when, whole
from finalist.passes.pipeline import passes, rounds_as_loop
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
        program, schedule = self._looped(run(prepared, self._table_passes(places)), places)
        program = run(program, self._layout_passes(places))
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

    def _layout_passes(self, places: Places) -> driver.Plan:
        """Words in registers as the layout has them, and the key in their order."""
        if places is BLOCKS:
            kinds = min(self.processor.width // 8, self.processor.banks) if self.on_chip else 0
            blocks = whole("blocks in lanes", with_blocks_in_lanes, self.lanes, kinds, self._ascending)
            return (blocks,)
        if places is None:
            folded = self.on_chip and self.lanes > 1 and self.writing.fast
            return when(folded, on_kernel("folded sums", with_folded_sums, self.lanes))
        superwords = on_kernel("superwords", with_superwords, places, self.lanes, self._ascending)
        in_lanes = on_kernel("words in lanes", self._in_lanes)
        return (
            superwords if places else in_lanes,
            whole("order of keys", with_ordered_keys, self._ascending),
        )

    def _table_passes(self, places: Places) -> driver.Plan:
        """Joined bytes from tables by tables that the processor can hold, or has."""
        processor, side_by_side = self.processor, places and places is not BLOCKS
        alone = not side_by_side
        placed = on_kernel("placed tables", with_placed_tables, processor.banks, processor.width)
        built_in = on_kernel("built-in tables", _with_built_in_tables, processor.built_in, processor.width)
        return (
            on_kernel("late parts", with_late_parts),
            on_kernel("shared sums", with_shared_sums),
            *when(side_by_side, on_kernel("contained tables", with_contained_tables)),
            *when(alone and self.on_chip, placed),
            *when(alone and self.on_chip and self.writing.fast, on_kernel("whole bytes", with_whole_bytes)),
            *when(alone and not self.on_chip and processor.built_in, built_in),
        )

    def _looped(self, program: Program, places: Places) -> tuple[Program, Schedule]:
        """Rounds as a loop; if none are alike they stay as they are, unless a loop was asked for."""
        rounds, schedule, kernel = self.schedule.rounds, self.schedule, program.kernel
        if self._written_out or places is BLOCKS:
            return program, Schedule(rounds=rounds and "unroll").over(schedule)
        looped = run(program, (rounds_as_loop(rounds if isinstance(rounds, int) else None),))
        if len(looped.kernel.body) != len(kernel.body):
            return looped, schedule
        if self.writing.asked:
            raise ScheduleError(f"rounds={rounds} is not legal for {kernel.name}: no such turns are equal")
        return program, Schedule(rounds="unroll").over(schedule)

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


def _lowered(traced: Program, blocks: int, width: int, rotated: Set[int], fuse: int, keying: str) -> Program:
    """In operations on words of the processor."""
    plan = (
        whole("chain blocks", chained, blocks, width),
        whole("legalise", legalise.run, width),
        *passes(fuse, keying),
        whole("needless writes", stores.run),
        whole("prepare", prepare.run, width, rotated),
    )
    return run_once(traced, plan)


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


def _with_built_in_tables(kernel: Graph, built_in: Set[object], width: int) -> Graph:
    """The kernel by placed tables, if those that instructions have built in are all that it takes."""
    placed = with_placed_tables(kernel, _ANY, width)
    return placed if _tables(placed) <= built_in else kernel


def _tables(graph: Graph) -> set[object]:
    return {node.attr for node in every_node(graph) if node.op is Op.LOOKUP}
