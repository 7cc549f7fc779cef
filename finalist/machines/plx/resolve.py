"""Which schedules are legal on the machine, and what an open choice becomes."""

from __future__ import annotations

from finalist.errors import ScheduleError
from finalist.ir.program import Program
from finalist.isa.target.processor import Processor
from finalist.machines.lacking import check_values, reads_tables, refuse_lacking
from finalist.passes.pipeline import default_fuse
from finalist.schedule import Schedule

#: Blocks of a kernel that hands on a state, so that it is fetched and put back once for all of them.
CHAIN = 4
_MOST_BLOCKS = 64


def resolved(traced: Program, schedule: Schedule, processor: Processor) -> Schedule:
    """The schedule with nothing left open but the width. Raises ScheduleError with the reason."""
    tables = reads_tables(traced)
    _check_lookup(traced, schedule.lookup, tables, processor)
    _check_width(traced, schedule, processor)
    lacking = refuse_lacking(traced, schedule)
    blocks = schedule.blocks or (CHAIN if traced.stateful else 1)
    if blocks > _MOST_BLOCKS:
        raise ScheduleError(f"blocks={blocks}: accepted is 1 to {_MOST_BLOCKS}")
    fast = schedule.optimise == "on"
    defaults = Schedule(
        blocks=blocks,
        lookup=("ptlu" if processor.banks else "load") if tables else None,
        fuse=default_fuse(traced),
        keyed_tables=None if "keyed_tables" in lacking else "full",
        rounds=None if "rounds" in lacking or fast else "loop",
        optimise="off",
    )
    return schedule.over(defaults)


def check_words(schedule: Schedule) -> None:
    """Refuse words that mean nothing on this machine. Raises ScheduleError with the reason."""
    for word in ("planes", "skew", "word"):
        value = getattr(schedule, word)
        if value is not None:
            raise ScheduleError(f"{word}={value}: plx works on words of its own width")
    check_values(schedule, key_schedule=("loop", "unroll", "nested"), optimise=("on", "off"))


def _check_lookup(traced: Program, lookup: str | None, tables: bool, processor: Processor) -> None:
    if lookup is None:
        return
    if lookup not in ("load", "ptlu"):
        raise ScheduleError(f"lookup={lookup}: plx has load, and ptlu with that instruction")
    if not tables:
        raise ScheduleError(f"lookup={lookup} is not legal for {traced.cipher}: it has no table lookup")
    if lookup == "ptlu" and not processor.banks:
        raise ScheduleError("lookup=ptlu: this processor lacks the instruction; accepted with plx:with=ptlu")


def _check_width(traced: Program, schedule: Schedule, processor: Processor) -> None:
    accepted = widths(traced, schedule.blocks or 1, processor)
    if schedule.width is not None and schedule.width not in accepted:
        told = ", ".join(map(str, accepted))
        raise ScheduleError(
            f"width={schedule.width} is not legal for {traced.cipher} on words of {processor.width} bits;"
            f" accepted: {told}"
        )


def widths(traced: Program, blocks: int, processor: Processor) -> tuple[int, ...]:
    """Bits of what words of a block, or of so many blocks, can be put together to; 1 for one by one."""
    possible = words_fill(traced, processor) or blocks_fill(traced, blocks, processor)
    return (1, processor.width) if possible else (1,)


#: Bits of the words that stand side by side in a wider register.
LANE = 32


def words_fill(traced: Program, processor: Processor) -> bool:
    """Whether the words of a block can stand side by side."""
    lanes = processor.width // LANE
    return _has_lanes(traced, processor) and traced.block.packed().count % lanes == 0


def blocks_fill(traced: Program, blocks: int, processor: Processor) -> bool:
    """Whether so many blocks can stand side by side, a block in each lane."""
    return _has_lanes(traced, processor) and blocks % (processor.width // LANE) == 0


def _has_lanes(traced: Program, processor: Processor) -> bool:
    words = traced.block.packed().width == LANE and not traced.stateful
    return words and processor.width > LANE
