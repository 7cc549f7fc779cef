"""Bitsliced programs on the host CPU: when one is wanted, which schedules are legal for it, its layout."""

from __future__ import annotations

from finalist.errors import ScheduleError
from finalist.ir.graph import Graph
from finalist.ir.program import Program
from finalist.machines.native.bits import PLAIN_BITS, block_obstacle
from finalist.machines.native.resolve import WIDTHS, check_rounds, widest
from finalist.machines.native.shape import Shape
from finalist.passes.bitslice import sboxes
from finalist.passes.order import ordered
from finalist.passes.pipeline import lowered_to_bits
from finalist.passes.roll import natural_period, rolled
from finalist.schedule import Schedule

#: Words of a schedule that say nothing of bits, and what they may be all the same.
_ONLY: dict[str, tuple[int | str, ...]] = {"fuse": (0,), "keying": ("zero",), "skew": ()}


def asked_for(schedule: Schedule, word_bits: int, tables: bool) -> str:
    """The choice that asks for every bit of a block in a vector of its own; empty if none does.

    ``word_bits``: of the block's words, which may be cut into as many planes. ``tables``: whether the
    definition has table lookups, of which something has to be said then.
    """
    if schedule.lookup == "bitslice":
        return "lookup=bitslice"
    return f"planes={schedule.planes}" if not tables and schedule.planes == word_bits else ""


def lay_out(traced: Program, schedule: Schedule, choice: str) -> tuple[Program, Schedule, Shape]:
    """The program on bits, the schedule with nothing open, and the shape. Raises ScheduleError.

    ``traced``: the program with no word wider than the schedule says. ``choice``: what asked for bits.
    """
    shape = _shape(traced, schedule, choice)
    program, words = lowered_to_bits(traced, choice)
    full = schedule.over(
        Schedule(blocks=shape.blocks, width=_width(schedule), rounds=natural_period(words) or "unroll")
    )
    kernel = sboxes.with_gates(ordered(_in_rounds(program.kernel, full)))
    return program.with_graphs(program.expand, kernel), full, shape


def _in_rounds(kernel: Graph, schedule: Schedule) -> Graph:
    if schedule.rounds == "unroll":
        return kernel
    looped = rolled(kernel, schedule.rounds if isinstance(schedule.rounds, int) else None)
    check_rounds(kernel, looped, schedule)
    return looped


def _width(schedule: Schedule) -> int:
    """The widest vectors that the CPU has and the blocks fill."""
    if schedule.width is not None:
        return schedule.width
    fitting = (width for width in WIDTHS if width <= widest() and schedule.blocks in (None, _bits(width)))
    return max(fitting, default=1)


def _bits(width: int) -> int:
    return width if width > 1 else PLAIN_BITS


def _shape(program: Program, schedule: Schedule, choice: str) -> Shape:
    name, width = program.cipher, _width(schedule)
    if width not in WIDTHS:
        raise ScheduleError(f"width={width}: this machine has {', '.join(map(str, WIDTHS))}")
    lanes = _bits(width)
    if schedule.blocks not in (None, lanes):
        raise ScheduleError(f"blocks={schedule.blocks} with width={width} {choice}: accepted is {lanes}")
    for word, accepted in _ONLY.items():
        value = getattr(schedule, word)
        if value is not None and value not in accepted:
            raise ScheduleError(f"{word}={value} says nothing of single bits: {choice} can't have it")
    if schedule.planes not in (None, program.block.width):
        raise ScheduleError(f"planes={schedule.planes} with {choice}: every bit has a plane of its own")
    obstacle = block_obstacle(program.block, lanes)
    if obstacle:
        raise ScheduleError(f"{choice} with width={width} is not legal for {name}: {obstacle}")
    return Shape(1, lanes, 1)
