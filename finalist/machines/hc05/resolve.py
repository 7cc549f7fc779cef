"""Which schedules are legal on the card, and what an open choice becomes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from finalist.errors import ScheduleError
from finalist.ir.program import Program
from finalist.machines.lacking import check_values, refuse_lacking, without
from finalist.passes.pipeline import default_fuse
from finalist.schedule import Schedule

#: Cycles a block that a byte of code less may cost, where size is asked for.
_WORTH = 10


def resolved(traced: Program, schedule: Schedule) -> Schedule:
    """The schedule with nothing left open. Raises ScheduleError with the reason."""
    check_values(schedule, key_schedule=("loop", "unroll", "nested"), optimise=("size", "speed"))
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


#: Cycles a block that a byte less may cost, from nothing to all that there is.
_WORTHS = (0, 3, 4, 10, 14, 40)
#: How much of keyed functions, and of linear maps, is tables.
_KEYED, _MAPS = ("zero", "partial", "full"), (None, 0, 1, 2)
#: Round keys are computed where keyed functions are: what is stored then is little more than the key.
_SUBKEYS = (None, "computed")


def schedules(traced: Program, directions: str) -> list[Schedule]:
    """Schedules to compare, those without what the cipher lacks, each once; a few of them may be refused."""
    lacking = without(traced)
    found = (
        Schedule(
            optimise="size",
            byte_worth=worth,
            directions=directions,
            keyed_tables=None if "keyed_tables" in lacking else keyed,
            map_tables=None if "map_tables" in lacking else maps,
            subkeys=subkeys,
        )
        for subkeys, keyed, maps, worth in product(_SUBKEYS, _KEYED, _MAPS, _WORTHS)
        if _is_sensible(keyed, maps, "keyed_tables" in lacking, "map_tables" in lacking)
        and (subkeys is None or (keyed == "zero" and "keyed_tables" not in lacking))
    )
    return list(dict.fromkeys((*found, *_quick(directions, "map_tables" in lacking))))


def _is_sensible(keyed: str, maps: int | None, no_keyed: bool, no_map: bool) -> bool:
    """Keyed functions that have taken linear maps up leave none to be made of tables; those that have not
    leave all."""
    if no_keyed or no_map:
        return True
    return (keyed == "full") == (maps is None)


def _quick(directions: str, no_map: bool) -> Iterator[Schedule]:
    if directions == "one":
        yield Schedule(optimise="speed")
        if not no_map:
            yield Schedule(optimise="speed", map_tables=0)
