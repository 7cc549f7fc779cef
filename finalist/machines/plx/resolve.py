"""Which schedules are legal on the machine, and what an open choice becomes."""

from __future__ import annotations

from finalist.errors import ScheduleError
from finalist.ir.graph import every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.isa.target.processor import Processor
from finalist.machines.plx.ptlu.fits import blocks_fill, words_fill
from finalist.passes.pipeline import default_fuse
from finalist.schedule import Schedule, spelt

#: Blocks of a kernel that hands on a state, so that it is fetched and put back once for all of them.
CHAIN = 4
_MOST_BLOCKS = 64


def resolved(traced: Program, schedule: Schedule, processor: Processor) -> Schedule:
    """The schedule with nothing left open but the width. Raises ScheduleError with the reason."""
    tables = _reads_tables(traced)
    _check_lookup(traced, schedule.lookup, tables, processor)
    _check_width(traced, schedule, processor)
    lacking = _lacking(traced)
    _check_lacking(traced, schedule, lacking)
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


def _operations(traced: Program) -> set[Op]:
    return {node.op for graph in (traced.kernel, traced.expand) for node in every_node(graph)}


def _reads_tables(traced: Program) -> bool:
    """Whether anything is read at a place that depends on what is worked on."""
    return bool(_operations(traced) & {Op.LOOKUP, Op.APPLY}) or any(
        node.op is Op.LOAD and node.inputs[1].op is not Op.CONST for node in every_node(traced.kernel)
    )


def _lacking(traced: Program) -> dict[str, str]:
    """Words of schedules that are about what a cipher does not have, and what that is."""
    lacks = {
        "fuse": ("linear map", default_fuse(traced) is None),
        "keyed_tables": ("keyed function", Op.APPLY not in _operations(traced)),
        "rounds": ("round", not traced.kernel.rounds),
    }
    return {word: what for word, (what, lacking) in lacks.items() if lacking}


def check_words(schedule: Schedule) -> None:
    """Refuse words that mean nothing on this machine. Raises ScheduleError with the reason."""
    for word in ("planes", "skew", "word"):
        value = getattr(schedule, word)
        if value is not None:
            raise ScheduleError(f"{word}={value}: plx works on words of its own width")
    if schedule.key_schedule not in (None, "loop", "unroll"):
        raise ScheduleError(f"key-schedule={schedule.key_schedule}: accepted: loop, unroll")
    if schedule.optimise not in (None, "on", "off"):
        raise ScheduleError(f"optimise={schedule.optimise}: accepted: on, off")
    if schedule.rounds == "nested":
        raise ScheduleError("rounds=nested: accepted: loop, unroll, or the rounds in one turn of the loop")


def _check_lacking(traced: Program, schedule: Schedule, lacking: dict[str, str]) -> None:
    for word, what in lacking.items():
        value = getattr(schedule, word)
        if value is not None:
            raise ScheduleError(f"{spelt(word)}={value} is not legal for {traced.cipher}: it has no {what}")


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
