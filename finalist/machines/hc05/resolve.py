"""Which schedules are legal on the card, and what an open choice becomes."""

from __future__ import annotations

from finalist.errors import ScheduleError
from finalist.ir.graph import every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.passes.pipeline import default_fuse
from finalist.schedule import Schedule, spelt

#: Cycles a block that a byte of code less may cost, where size is asked for.
_WORTH = 10


def resolved(traced: Program, schedule: Schedule) -> Schedule:
    """The schedule with nothing left open. Raises ScheduleError with the reason."""
    if schedule.rounds == "nested":
        raise ScheduleError("rounds=nested: accepted: loop, unroll, or the rounds of an iteration")
    if schedule.key_schedule not in (None, "loop", "unroll"):
        raise ScheduleError(f"key-schedule={schedule.key_schedule}: accepted: loop, unroll")
    if schedule.optimise not in (None, "size", "speed"):
        raise ScheduleError(f"optimise={schedule.optimise}: accepted: size, speed")
    if schedule.byte_worth is not None and schedule.optimise != "size":
        raise ScheduleError("byte-worth is about programs of few bytes; accepted with optimise=size")
    lacking = _lacking(traced)
    for word, what in lacking.items():
        value = getattr(schedule, word)
        if value is not None:
            raise ScheduleError(f"{spelt(word)}={value} is not legal for {traced.cipher}: it has no {what}")
    small = schedule.optimise == "size"
    defaults = Schedule(
        fuse=default_fuse(traced) if schedule.map_tables is None else None,
        keyed_tables=None if "keyed_tables" in lacking else "full",
        rounds=None if "rounds" in lacking else 1 if small else "loop",
        directions="one",
        optimise="speed",
        byte_worth=_WORTH if small else None,
    )
    return schedule.over(defaults)


def _lacking(traced: Program) -> dict[str, str]:
    """Words of schedules that are about what a cipher does not have, and what that is."""
    operations = {node.op for graph in (traced.kernel, traced.expand) for node in every_node(graph)}
    lacks = {
        "fuse": ("linear map", default_fuse(traced) is None),
        "map_tables": ("linear map", default_fuse(traced) is None),
        "keyed_tables": ("keyed function", Op.APPLY not in operations),
        "rounds": ("round", not traced.kernel.rounds),
    }
    return {word: what for word, (what, lacking) in lacks.items() if lacking}
