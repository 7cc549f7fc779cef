"""Where comparisons are kept, so that one that was stopped goes on; and taking those that are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from finalist.measure import bench, records
from finalist.measure.turns import measure_in_turns
from finalist.peers.grid import Cell, Entry
from finalist.peers.library import PeersError

#: Time for one figure in seconds, and the turns that it is taken in.
SECONDS = 0.05
TURNS = 5


@dataclass(frozen=True)
class Figure:
    """One figure of a comparison.

    ``quantity``, ``level``, ``data_bytes``: those of a `finalist.peers.grid.Cell`. ``name``: library and
    version. ``includes``: what one call is. ``ticks`` of the clock and ``core_cycles`` are per what ``unit``
    says. ``spread``: how far the median lay above. ``place``: processor and compiler. ``schedule``: of ours.
    ``commit``: the state of Finalist. ``date``: UTC, ISO 8601.
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

    @property
    def cell(self) -> Cell:
        """The comparison that it is of."""
        return Cell(self.cipher, self.key_bits, self.level, self.quantity, self.data_bytes)


#: ``$FINALIST_PEERS``, else finalist/peers.jsonl in the user's folder for state (XDG).
STORE = records.Store(Figure, "the file of comparisons", "FINALIST_PEERS", "peers.jsonl", PeersError)
figures_file, append = STORE.file, STORE.append


def known(place: str, path: Path | None = None) -> dict[Cell, list[Figure]]:
    """The latest comparison of each cell at a place, by this state of Finalist. Raises PeersError."""
    found: dict[Cell, list[Figure]] = {}
    for row in STORE.read(path).rows:
        if (row.place, row.commit) == (place, bench.commit()):
            same = found.get(row.cell, [])
            # Those of one comparison have one date; a later one replaces it whole.
            found[row.cell] = [*(one for one in same if one.date == row.date), row]
    return found


def taken(cell: Cell, entries: Sequence[Entry], place: str, seconds: float = SECONDS) -> list[Figure]:
    """The figures of a cell, measured now, in turns."""
    measured = measure_in_turns([one.measurer for one in entries], seconds=seconds, rounds=TURNS)
    date = datetime.now(UTC).isoformat(timespec="milliseconds")
    return [
        Figure(
            **asdict(cell),
            name=entry.name,
            includes=entry.includes,
            schedule=entry.schedule,
            ticks=figure.ticks,
            core_cycles=figure.core_cycles,
            unit=figure.unit,
            spread=figure.spread,
            place=place,
            commit=bench.commit(),
            date=date,
        )
        for entry, figure in zip(entries, measured, strict=True)
    ]


def best_of_others(figures: Sequence[Figure]) -> Figure:
    """The quickest that is not ours, which comes first."""
    return min(figures[1:], key=lambda one: one.ticks)


def ratio(figures: Sequence[Figure]) -> float | None:
    """How many times our time the best of the others takes; None where ours is too short for the clock."""
    ours = figures[0].ticks
    return best_of_others(figures).ticks / ours if ours else None


def in_order(found: dict[Cell, list[Figure]], cells: Iterable[Cell]) -> Iterator[list[Figure]]:
    """The comparisons of these cells, as far as there are any."""
    yield from (found[cell] for cell in cells if found.get(cell))
