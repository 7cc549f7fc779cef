"""Which schedules there are to compare on the card: bytes against clocks, from quick to small."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from finalist.ir.program import Program
from finalist.machines.lacking import without
from finalist.schedule import Schedule

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
