"""How words of blocks and tables can be laid out: in memory and on the chip, one in a register or several."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from finalist.errors import GraphError
from finalist.ir.graph import Graph, every_node
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Program
from finalist.isa.lower.homes import Homes
from finalist.isa.pipeline import Layout, Writing
from finalist.isa.target.processor import Processor
from finalist.machines.plx.ptlu.blocks import with_blocks_in_lanes
from finalist.machines.plx.ptlu.contained import with_contained_tables, with_placed_tables, with_whole_bytes
from finalist.machines.plx.ptlu.folded_sums import with_folded_sums
from finalist.machines.plx.ptlu.in_lanes import with_words_in_lanes
from finalist.machines.plx.ptlu.key_layout import with_ordered_keys
from finalist.machines.plx.ptlu.superwords import with_superwords
from finalist.machines.plx.ptlu.table_placement import placed_tables
from finalist.machines.plx.resolve import LANE, blocks_fill, words_fill
from finalist.passes import driver
from finalist.passes.driver import on_kernel, when, whole
from finalist.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Layouts:
    """Those that a schedule leaves open."""

    processor: Processor
    traced: Program
    schedule: Schedule
    writing: Writing

    def all(self) -> Iterator[Layout]:
        """One word a register; several where that is asked for, or lookups side by side can gain by it."""
        width = self.schedule.width
        if width in (None, 1):
            yield self._layout(self._placed(), self._one_by_one(), side_by_side=False)
        if width == 1:
            return
        if self._blocks_fill:
            yield self._blocks_in_lanes()
        if words_fill(self.traced, self.processor) and (width or self._on_chip):
            yield from self._words_in_lanes()

    @property
    def reason(self) -> str:
        """Why there may be none."""
        if self._blocks_fit and not self._blocks_fill:
            return "blocks side by side have their rounds written out; accepted with rounds=unroll"
        return "its words do not fit the registers"

    # -- what there is --------------------------------------------------------------------------

    @property
    def _lanes(self) -> int:
        return self.processor.width // LANE

    @property
    def _on_chip(self) -> bool:
        return self.schedule.lookup == "ptlu"

    @property
    def _ascending(self) -> bool:
        """Whether of words in memory the first is in the lowest lane of a register."""
        return self.traced.block.order is ByteOrder.LITTLE

    @property
    def _written_out(self) -> bool:
        """Whether rounds are not to be a loop."""
        return self.schedule.rounds in (None, "unroll")

    @property
    def _blocks_fill(self) -> bool:
        """Whether blocks can stand side by side; these have their rounds written out, unless a loop was asked
        for. Where rounds are open both are tried in any case."""
        asked = self.writing.asked or self.schedule.optimise == "on"
        return self._blocks_fit and (self._written_out or not asked)

    @property
    def _blocks_fit(self) -> bool:
        return blocks_fill(self.traced, self.schedule.blocks or 1, self.processor)

    # -- layouts --------------------------------------------------------------------------------

    def _layout(
        self, tables: driver.Plan, words: driver.Plan, *, side_by_side: bool = True, blocks: int | None = None
    ) -> Layout:
        width = self.processor.width if side_by_side else 1
        return Layout(
            tables,
            words,
            self._homes,
            blocks,
            loops=blocks is None,
            width=width if self._lanes > 1 else None,
            may_fail=side_by_side,
        )

    def _homes(self, program: Program) -> Homes:
        return placed_tables(program, self.processor) if self._on_chip else {}

    def _blocks_in_lanes(self) -> Layout:
        """A block in each lane."""
        kinds = min(self.processor.width // 8, self.processor.banks) if self._on_chip else 0
        words = whole("blocks in lanes", with_blocks_in_lanes, self._lanes, kinds, self._ascending)
        return self._layout(self._placed(), (words,), blocks=(self.schedule.blocks or 1) // self._lanes)

    def _words_in_lanes(self) -> Iterator[Layout]:
        """Words of a block side by side; or each alone, in the lane that it has in memory."""
        lanes, ascending = self._lanes, self._ascending
        contained = on_kernel("contained tables", with_contained_tables)
        keys = whole("order of keys", with_ordered_keys, ascending)
        for places in self._orders():
            superwords = on_kernel("superwords", with_superwords, places, lanes, ascending)
            yield self._layout((contained,), (superwords, keys))
        if self.writing.fast and self._on_chip and self._written_out:
            yield self._layout(self._placed(), (on_kernel("words in lanes", self._in_lanes), keys))

    def _orders(self) -> Iterator[tuple[int, ...]]:
        """Words in order; and in each register in turns downwards, from the first one on."""
        count, lanes = self.traced.block.packed().count, self._lanes
        yield tuple(range(count))
        if lanes == 2:
            yield tuple(word ^ 1 for word in range(count))
        else:
            yield tuple(word // lanes * lanes + -word % lanes for word in range(count))

    def _in_lanes(self, kernel: Graph) -> Graph:
        """Each word in its lane of a register of its own."""
        # Lanes until one whose bytes read the same tables on the chip again.
        kinds = max(1, self.processor.banks * 8 // LANE)
        made = with_words_in_lanes(kernel, self._lanes, min(self._lanes, kinds), self._ascending)
        if made is None:
            raise GraphError(f"{kernel.name} has no words that could stay in lanes")
        return made

    def _one_by_one(self) -> driver.Plan:
        """One word a register, but for sums over bytes, where the processor has lanes."""
        folded = self._on_chip and self._lanes > 1 and self.writing.fast
        return when(folded, on_kernel("folded sums", with_folded_sums, self._lanes))

    def _placed(self) -> driver.Plan:
        """Joined bytes from tables by tables that the processor can hold, or has."""
        processor = self.processor
        if self._on_chip:
            placed = on_kernel("placed tables", with_placed_tables, processor.banks, processor.entry_bits)
            return (placed, *when(self.writing.fast, on_kernel("whole bytes", with_whole_bytes)))
        built_in = on_kernel("built-in tables", _with_built_in_tables, processor.built_in, processor.width)
        return when(processor.built_in, built_in)


#: More tables than any cipher has.
_ANY = 1 << 16


def _with_built_in_tables(kernel: Graph, built_in: Set[object], width: int) -> Graph:
    """The kernel by placed tables, if those that instructions have built in are all that it takes."""
    placed = with_placed_tables(kernel, _ANY, width)
    return placed if _tables(placed) <= built_in else kernel


def _tables(graph: Graph) -> set[object]:
    return {node.attr for node in every_node(graph) if node.op is Op.LOOKUP}
