"""Where figures are kept: a file of JSON lines, one a figure, only ever appended to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import NoneType
from typing import Any

from finalist.errors import FinalistError


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


@dataclass(frozen=True, slots=True)
class Results:
    """What a results file holds; ``damaged`` names each line that could not be read, and why."""

    rows: tuple[Row, ...]
    damaged: tuple[str, ...]


def results_file() -> Path:
    """``$FINALIST_RESULTS``, else finalist/results.jsonl in the user's folder for state (XDG)."""
    chosen = os.environ.get("FINALIST_RESULTS")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "finalist" / "results.jsonl"


def append(rows: Iterable[Row], path: Path | None = None) -> Path:
    """Add rows to the end of the file; each is written in one piece, whoever else writes.

    Returns the file's path. Raises ResultsError.
    """
    target = path or results_file()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Unbuffered: one line is one write, and writes that append do not mix.
        with target.open("ab", buffering=0) as file:
            for row in rows:
                _write_line(
                    file.fileno(), target, json.dumps(asdict(row), ensure_ascii=False, allow_nan=False)
                )
    except (OSError, ValueError) as error:
        raise ResultsError(
            f"the results file {target} can't be written ({error}); set FINALIST_RESULTS"
        ) from error
    return target


def _write_line(descriptor: int, path: Path, line: str) -> None:
    # A line that an earlier writer could not finish (a full disk) must not swallow this one.
    data = (b"" if _ends_whole(path) else b"\n") + line.encode("utf-8") + b"\n"
    if os.write(descriptor, data) != len(data):
        raise OSError("no space is left on the device")


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return True
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def read(path: Path | None = None) -> Results:
    """All rows of the file, none where there is no file; lines that are damaged are named, not lost.

    Raises ResultsError where the file can't be read at all.
    """
    target = path or results_file()
    try:
        lines = target.read_bytes().split(b"\n")
    except FileNotFoundError:
        return Results((), ())
    except OSError as error:
        raise ResultsError(f"the results file {target} can't be read ({error})") from error
    rows, damaged = [], []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                rows.append(_row(json.loads(line)))
            except (ValueError, RecursionError) as error:
                damaged.append(f"{target}:{number}: {error}")
    return Results(tuple(rows), tuple(damaged))


_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float, int),
    "float | None": (float, int, NoneType),
}


def _row(record: Any) -> Row:
    """A row of its record; ValueError names the field that is wrong. Unknown fields are passed over."""
    if not isinstance(record, dict):
        raise ValueError(f"{type(record).__name__}; accepted: an object")
    for field in fields(Row):
        if field.name not in record:
            raise ValueError(f"{field.name} is missing")
        value = record[field.name]
        if isinstance(value, bool) or not isinstance(value, _TYPES[str(field.type)]):
            raise ValueError(f"{field.name} is {value!r}; accepted: {field.type}")
    return Row(**{field.name: record[field.name] for field in fields(Row)})
