"""Key schedules on the host CPU: written out, or as loops."""

from __future__ import annotations

from finalist.errors import ScheduleError
from finalist.ir.program import Program
from finalist.passes.key_loops import length, with_key_loops
from finalist.schedule import Schedule

#: Where nothing is said, a key schedule of more operations than this becomes loops if these leave less than
#: one in so many to write.
_LONG, _SHORTER = 2500, 3


def with_keys(program: Program, schedule: Schedule) -> tuple[Program, Schedule]:
    """The program with its key schedule as the schedule says, and the schedule with that said.

    Raises ScheduleError where loops are asked for and nothing repeats.
    """
    if schedule.keys == "unroll" or (schedule.keys is None and length(program.expand) <= _LONG):
        return program, schedule
    looped = with_key_loops(program.expand)
    if looped is program.expand and schedule.keys:
        raise ScheduleError(f"keys=loop is not legal for {program.cipher}: its key schedule repeats nothing")
    if not schedule.keys and length(looped) * _SHORTER > length(program.expand):
        return program, schedule
    return program.with_graphs(looped, program.kernel), schedule.over(Schedule(keys="loop"))
