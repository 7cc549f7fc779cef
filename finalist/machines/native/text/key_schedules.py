"""Key schedules on the host CPU: written out, or as loops."""

from __future__ import annotations

from finalist.errors import ScheduleError
from finalist.ir.equal import shared
from finalist.ir.graph import Graph
from finalist.ir.program import Program
from finalist.machines.native.passes.key_schedules.pace import grown
from finalist.passes.driver import on_keys, run
from finalist.passes.key_schedules.key_loops import length, with_key_loops
from finalist.schedule import Schedule

#: Key schedules of several key lengths that are equal are made loops once.
SHARED_KEYS = on_keys("equal key schedules", shared)
#: Where nothing is said, a key schedule of more operations than this becomes loops if these leave no more
#: than such a part of it to write, and take about as long as it.
_LONG, _PART, _AS_LONG = 1000, 0.6, 1.2


def with_keys(program: Program, schedule: Schedule) -> tuple[Program, Schedule]:
    """The program with its key schedule as the schedule says, and the schedule with that said.

    Raises ScheduleError where loops are asked for and nothing repeats, and for what only hardware has.
    """
    if schedule.key_schedule not in (None, "loop", "unroll"):
        raise ScheduleError(f"key-schedule={schedule.key_schedule}: accepted: loop, unroll")
    if schedule.key_schedule == "unroll":
        return program, schedule
    program = run(program, (SHARED_KEYS,))
    looped = run(program, (on_keys("key schedule as loops", with_loops, bool(schedule.key_schedule)),))
    if looped.expand is not program.expand:
        return looped, schedule.over(Schedule(key_schedule="loop"))
    if schedule.key_schedule == "loop":
        raise ScheduleError(
            f"key-schedule=loop is not legal for {program.cipher}: nothing in its key schedule repeats itself"
        )
    return program, schedule


def with_loops(expand: Graph, asked: bool) -> Graph:
    """The key schedule with loops, where it repeats itself and they are ``asked`` for or worth it."""
    size = length(expand)
    if not asked and size <= _LONG:
        return expand
    looped = with_key_loops(expand)
    if asked or (length(looped) <= _PART * size and grown(expand, looped) <= _AS_LONG):
        return looped
    return expand
