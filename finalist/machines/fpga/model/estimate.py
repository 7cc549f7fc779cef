"""Area and clock of a design without any tool: counts of its cells, and their delays, word by word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from finalist.ir.ops import Op
from finalist.machines.fpga import part
from finalist.machines.fpga.model.delays import Delays, longest_way
from finalist.machines.fpga.model.rows import Row, Rows
from finalist.machines.fpga.signals import Design, Part, Signal


@dataclass(frozen=True, slots=True)
class Estimate:
    """On the Virtex: ``slices``, ``mhz``, and ns from register to register for each stage.

    ``cycles_per_block``: with the pipeline full; ``feedback_cycles``: where each block waits for the one
    before, one cycle more than its latency, since results go through registers of their own. ``fits``:
    whether the part has so many slices and block RAMs. ``stored_key_bits``: of the round keys that it holds.
    """

    slices: int
    mhz: float
    stages: tuple[float, ...]
    cycles_per_block: int
    feedback_cycles: int
    block_bits: int
    fits: bool
    stored_key_bits: int = 0
    block_rams: int = 0
    #: ns of a key schedule on the chip, from register to register, and clocks from the key to the last word.
    key_schedule: float = 0.0
    key_cycles: int = 0

    @property
    def mbit_s(self) -> float:
        """Throughput with the pipeline full."""
        return self.mhz * self.block_bits / self.cycles_per_block

    @property
    def feedback_mbit_s(self) -> float:
        """Throughput of one message in a feedback mode."""
        return self.mhz * self.block_bits / self.feedback_cycles


def of(design: Design) -> Estimate:
    """The estimate for a design."""
    rows = Rows(design)
    area, rams = _slices(counts(rows)), block_rams(design)
    fabric, unit = part.virtex().filled(area), design.key_unit
    stages = tuple(rows.delays(fabric))
    key_schedule = longest_way(unit.ends(), fabric) if unit else 0.0
    return Estimate(
        slices=area,
        mhz=1000 / max(*stages, key_schedule),
        stages=stages,
        cycles_per_block=design.turns,
        feedback_cycles=design.latency + 1,
        block_bits=design.block_bits,
        fits=area <= part.virtex().slices and rams <= part.virtex().block_rams,
        stored_key_bits=design.keys,
        block_rams=rams,
        key_schedule=key_schedule,
        key_cycles=design.key_cycles,
    )


def block_rams(design: Design) -> int:
    """How many hold the tables, two reads of one table in each."""
    each = part.virtex().ram_bits
    return sum(ceil(len(table.values) * table.width / each) for table, _ in design.memories)


def luts(design: Design) -> float:
    """Tables of logic of four inputs."""
    return sum(cell.luts * times for cell, times in Rows(design).cells())


def slices(design: Design, *, memories: bool = False) -> int:
    """The area: a sum of its counts of cells and registers, weighed as the part's file says.

    ``memories``: tables that are still in its logic will be in block RAM.
    """
    return _slices(counts(Rows(design, memories=memories)))


def _slices(found: dict[str, float]) -> int:
    weights = part.virtex().area
    return ceil(sum(weights[name] * count for name, count in found.items()) / 2)


def counts(rows: Rows) -> dict[str, float]:
    """What the area is a weighted sum of, in half slices, by the names in the part's file."""
    design, choosing, logic = rows.design, 0.0, 0.0
    for cell, times in rows.cells():
        of_key = _chooses_key(cell.signal)
        choosing += cell.luts * of_key * times
        logic += cell.luts * (not of_key) * times
    if design.turns > 1:  # a new block, or the one that returns
        logic += sum(register.output.width for register in design.stages[0].registers)
    return {
        "tables_of_logic": logic,
        "tables_that_choose_keys": choosing,
        "key_bits": design.keys,
        "data_register_bits": design.register_bits,
    }


def _chooses_key(signal: Signal) -> bool:
    """Whether it is a multiplexer of round keys, or of what such ones choose; or several, each of some
    bits."""
    if signal.op is Op.JOIN:
        return all(part.op is Part.MUX and _chooses_key(part) for part in signal.inputs)
    return signal.op is Part.MUX and any(w.op is Part.KEY or _chooses_key(w) for w in signal.inputs[1:])


# -- the critical path, from register to register, and what its time goes to --------------------------


@dataclass(frozen=True, slots=True)
class Hop:
    """A cell on the path with the wire that leads to it: ``ns``; ``line``: the definition's, empty for what
    is hardware's own, such as the choice of a round key."""

    line: str
    ns: float


def critical_path(design: Design) -> tuple[Hop, ...]:
    """The cells of the longest path of the longest stage, in order; registers' own times are left out."""
    rows, fabric = Rows(design), part.virtex().filled(slices(design))
    found = rows.delays(fabric)
    row = rows.stages[found.index(max(found))]
    return tuple(_back(row, Delays(row.cover.on(fabric))))[::-1]


def _back(row: Row, delays: Delays) -> Iterator[Hop]:
    """From the register whose input arrives last back to the register where the path begins."""
    ends = [
        base for own in (*row.registers, *row.finish) for base in own.input.bases if base in delays.arrival
    ]
    signal: Signal | None = max(ends, key=lambda end: delays.arrival[end])
    while signal is not None:
        leaves = delays.cover.cells[signal].leaves
        last = max(leaves, key=delays.at_input)
        begin = delays.arrival.get(last)
        since = begin if begin is not None else min(delays.start(last), delays.at_input(last))
        yield Hop(signal.line, delays.arrival[signal] - since)
        signal = last if begin is not None else None
