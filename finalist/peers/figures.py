"""Where comparisons are kept, so that one that was stopped goes on; and taking those that are missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TypeAlias

from finalist.measure import bench, records
from finalist.measure.turns import in_turns, merged, times_of_first
from finalist.peers.grid import Cell, Entry
from finalist.peers.interface import PeersError

#: Time for one figure in one process in seconds, and the turns that it is taken in: short ones, as the core's
#: frequency changes within milliseconds. After ``LIMIT`` seconds no more turns: long messages take that long.
SECONDS, TURNS, LIMIT = 0.02, 25, 1.0


@dataclass(frozen=True)
class Figure:
    """One figure of a comparison.

    ``quantity``, ``level``, ``data_bytes``: those of a `finalist.peers.grid.Cell`. ``name``: library and
    version. ``includes``: what one call is. ``ticks`` of the clock and ``core_cycles`` are per what ``unit``
    says, ``times_ours`` is how many times ours beside it (`times_of_first`; of several processes the
    median). ``spread``: how far the median lay above. ``place``: processor, compiler. ``schedule``: of ours.
    ``commit``: the state of Finalist. ``date``: UTC, ISO 8601. ``process``: which of the processes took it,
    counted from 0.
    """

    cipher: str
    key_bits: int
    level: str
    quantity: str
    data_bytes: int
    name: str
    includes: str
    schedule: str
    ticks: float
    core_cycles: float
    unit: str
    spread: float
    place: str
    commit: str
    date: str
    process: int
    times_ours: float | None = None

    @property
    def cell(self) -> Cell:
        """The comparison that it is of."""
        return Cell(self.cipher, self.key_bits, self.level, self.quantity, self.data_bytes)


#: The comparisons of each cell, by the number of the process that took them: ours, then the others.
Kept: TypeAlias = dict[Cell, dict[int, list[Figure]]]

#: ``$FINALIST_PEERS``, else finalist/peers.jsonl in the user's folder for state (XDG).
STORE = records.Store(Figure, "the file of comparisons", "FINALIST_PEERS", "peers.jsonl", PeersError)
figures_file, append = STORE.file, STORE.append


def known(place: str, path: Path | None = None) -> Kept:
    """The latest comparisons of each cell at a place, by this state of Finalist. Raises PeersError."""
    found: Kept = {}
    commit = bench.commit()
    for row in STORE.read(path).rows:
        if (row.place, row.commit) == (place, commit):
            of_cell = found.setdefault(row.cell, {})
            # Those of one comparison have one date; a later one replaces it whole.
            same = (one for one in of_cell.get(row.process, []) if one.date == row.date)
            of_cell[row.process] = [*same, row]
    return found


def taken(
    cell: Cell, entries: Sequence[Entry], place: str, process: int, seconds: float = SECONDS
) -> list[Figure]:
    """The figures of a cell, measured now, in turns, by the process of that number."""
    turns = in_turns([one.measurer for one in entries], seconds=seconds, rounds=TURNS, limit=LIMIT)
    date = datetime.now(UTC).isoformat(timespec="milliseconds")
    return [
        Figure(
            **asdict(cell),
            name=entry.name,
            includes=entry.includes,
            schedule=entry.schedule,
            ticks=figure.ticks,
            core_cycles=figure.core_cycles,
            times_ours=times,
            unit=figure.unit,
            spread=figure.spread,
            place=place,
            commit=bench.commit(),
            date=date,
            process=process,
        )
        for entry, figure, times in zip(entries, map(merged, turns), times_of_first(turns), strict=True)
    ]


def least(comparisons: Iterable[Sequence[Figure]]) -> list[Figure]:
    """One comparison of those that several processes took: of each time the least of all, of its ratio to
    ours the median.

    Where a figure is a difference of two minima it is the median, as in `finalist.measure.turns`. The
    spread is from the figure to the median of the processes' medians.
    """
    # By name: between two processes a library may have been installed.
    found: dict[tuple[str, str], list[Figure]] = {}
    for comparison in comparisons:
        for one in comparison:
            found.setdefault((one.name, one.includes), []).append(one)
    return [_least(same) for same in found.values()]


def _least(same: Sequence[Figure]) -> Figure:
    ordered = sorted(same, key=lambda one: one.ticks)
    chosen = ordered[len(ordered) // 2 if same[0].unit == "per call" else 0]
    middle = median(one.ticks * (1 + one.spread) for one in same)
    told = [one.times_ours for one in same if one.times_ours is not None]
    return replace(
        chosen,
        spread=max(0.0, middle / chosen.ticks - 1) if chosen.ticks else 0.0,
        times_ours=median(told) if told else None,
    )


def best_of_others(figures: Sequence[Figure]) -> Figure:
    """The quickest that is not ours, which comes first."""
    untold = math.inf  # where the clock can't tell ours
    return min(figures[1:], key=lambda one: (untold if (t := one.times_ours) is None else t, one.ticks))


def ratio(figures: Sequence[Figure]) -> float | None:
    """How many times our time the best of the others takes; None where ours is too short for the clock."""
    return best_of_others(figures).times_ours


def in_order(found: Kept, cells: Iterable[Cell]) -> Iterator[list[Figure]]:
    """The comparisons of these cells, as far as there are any; each of all its processes."""
    for cell in cells:
        if any(comparisons := found.get(cell, {}).values()):
            yield least(comparisons)
