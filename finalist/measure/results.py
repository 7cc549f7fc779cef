"""Where figures are kept: a file of JSON lines, one a figure, only ever appended to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from finalist.errors import FinalistError
from finalist.measure import records


class ResultsError(FinalistError):
    """The results file can't be read or written."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, with all that it depends on.

    ``quantity``: one of `finalist.measure.bench.QUANTITIES`, where it is said what each is.
    ``ticks`` of the ``clock`` and ``core_cycles`` are per what ``unit`` says; one cycle of the core took
    ``ticks_per_cycle``. ``mbit_per_s``: 10^6 bits a second, None for a key set-up. ``spread``: how far
    the median of the runs lay above the minimum, as a fraction. ``timing``: whether the program's time
    depends on secrets. ``commit``: the state of Finalist itself; ``date``: UTC, ISO 8601.
    """

    cipher: str
    operation: str
    key_bits: int
    quantity: str
    ticks: float
    core_cycles: float
    unit: str
    clock: str
    ticks_per_cycle: float
    mbit_per_s: float | None
    spread: float
    data_bytes: int
    machine: str
    processor: str
    compiler: str
    flags: str
    schedule: str
    timing: str
    commit: str
    date: str


Results = records.Found[Row]


def results_file() -> Path:
    """``$FINALIST_RESULTS``, else finalist/results.jsonl in the user's folder for state (XDG)."""
    return records.state_file("FINALIST_RESULTS", "results.jsonl")


def append(rows: Iterable[Row], path: Path | None = None) -> Path:
    """Add rows to the end of the file. Returns its path. Raises ResultsError."""
    target = path or results_file()
    try:
        records.append(map(asdict, rows), target)
    except (OSError, ValueError) as error:
        raise ResultsError(
            f"the results file {target} can't be written ({error}); set FINALIST_RESULTS"
        ) from error
    return target


def read(path: Path | None = None) -> Results:
    """All rows of the file, and the damaged lines. Raises ResultsError where it can't be read at all."""
    target = path or results_file()
    try:
        return records.read(target, partial(records.record_of, Row))
    except OSError as error:
        raise ResultsError(f"the results file {target} can't be read ({error})") from error
