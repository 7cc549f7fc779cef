"""Which schedules are legal on the card, and what an open choice becomes."""

from __future__ import annotations

from finalist.errors import ScheduleError
from finalist.ir.program import Program
from finalist.machines.lacking import refuse_lacking
from finalist.passes.pipeline import default_fuse
from finalist.schedule import Schedule

#: Cycles a block that a byte of code less may cost, where size is asked for.
_WORTH = 10


def resolved(traced: Program, schedule: Schedule) -> Schedule:
    """The schedule with nothing left open. Raises ScheduleError with the reason."""
    if schedule.rounds == "nested":
        raise ScheduleError("rounds=nested: accepted: loop, unroll, or the rounds in one iteration")
    if schedule.key_schedule not in (None, "loop", "unroll"):
        raise ScheduleError(f"key-schedule={schedule.key_schedule}: accepted: loop, unroll")
    if schedule.optimise not in (None, "size", "speed"):
        raise ScheduleError(f"optimise={schedule.optimise}: accepted: size, speed")
    if schedule.byte_worth is not None and schedule.optimise != "size":
        raise ScheduleError("byte-worth is about programs of few bytes; accepted with optimise=size")
    lacking = refuse_lacking(traced, schedule)
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
