"""Where figures are kept: a user's own in SQLite, those that come along as JSON lines; one reader for both.

A file is a database where it begins as one, else lines; a new one is lines where its name ends in .jsonl.
Both are only ever added to, all figures of one call in one piece, by any number of processes at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import MISSING, astuple, fields
from functools import cache, partial
from importlib.resources import files
from pathlib import Path

from finalist.errors import FinalistError, reason
from finalist.measure import records
from finalist.measure.figure import Figure
from finalist.measure.records import Found

_VARIABLE = "FINALIST_RESULTS"
_HEAD = b"SQLite format 3\0"
#: Seconds that one writer waits for another.
_PATIENCE = 60.0
_FIELDS = tuple(field.name for field in fields(Figure))
_TYPES = {"str": "TEXT", "int": "INTEGER", "float": "REAL"}
Figures = Found[Figure]


class ResultsError(FinalistError):
    """The results file can't be read or written."""


def results_file() -> Path:
    """``$FINALIST_RESULTS``, else finalist/results.sqlite in the user's folder for state (XDG)."""
    return records.state_file(_VARIABLE, "results.sqlite")


def append(figures: Iterable[Figure], path: Path | None = None) -> Path:
    """Add figures, all or none of them. Returns the file's path. Raises ResultsError."""
    target, rows = path or results_file(), list(figures)
    try:
        if any(row.value != row.value or abs(row.value) == float("inf") for row in rows):
            raise ValueError("a figure is no number")
        if _is_database(target):
            _insert(target, rows)
        else:
            records.append(map(record, rows), target)
    except (OSError, ValueError, sqlite3.Error) as error:
        raise ResultsError(f"the results file {target} can't be written ({_told(error)})") from error
    return target


def read(path: Path | None = None) -> Figures:
    """All figures, in the order in which they came; none where there is no file. Raises ResultsError.

    What is damaged is named, and costs no other figure.
    """
    target = path or results_file()
    try:
        if target.exists() and _is_database(target):
            return _selected(target)
        return records.read(target, partial(records.record_of, Figure))
    except (OSError, sqlite3.Error) as error:
        raise ResultsError(f"the results file {target} can't be read ({_told(error)})") from error


def record(figure: Figure) -> dict[str, object]:
    """A figure as JSON has it, without what is empty and may be missing."""
    empty = {field.name: field.default for field in fields(Figure) if field.default is not MISSING}
    return {name: value for name, value in _named(figure) if empty.get(name, MISSING) != value}


@cache
def published() -> Sequence[Figure]:
    """The figures that come with Finalist; `make figures` takes them. Raises ResultsError."""
    source = files("finalist.measure") / "data" / "published.jsonl"
    found = records.parsed(source.read_bytes(), source.name, partial(records.record_of, Figure))
    if found.damaged:
        raise ResultsError(f"the published figures are damaged: {found.damaged[0]}")
    return found.rows


def _named(figure: Figure) -> Iterator[tuple[str, object]]:
    return zip(_FIELDS, astuple(figure), strict=True)


def _told(error: Exception) -> str:
    return f"{reason(error)}; set {_VARIABLE}"


# -- the database ----------------------------------------------------------------------------------------


def _is_database(path: Path) -> bool:
    """Whether the file is one, or will be. Raises OSError."""
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        return path.suffix != ".jsonl"
    with path.open("rb") as file:
        return file.read(len(_HEAD)) == _HEAD


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_PATIENCE)


def _insert(path: Path, rows: Sequence[Figure]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = ", ".join(f"'{field.name}' {_TYPES[str(field.type)]}" for field in fields(Figure))
    places = ", ".join("?" for _ in _FIELDS)
    with closing(_connected(path)) as database:
        # Readers don't wait for writers; a file system that has no such log keeps its own. While another
        # writes, SQLite refuses at once rather than wait: then whoever comes next asks for it.
        with suppress(sqlite3.OperationalError):
            database.execute("PRAGMA journal_mode = WAL")
        with database:
            database.execute(f"CREATE TABLE IF NOT EXISTS figures ({columns})")
            names = ", ".join(map(repr, _FIELDS))  # one of them is a word of SQL
            made = f"INSERT INTO figures ({names}) VALUES ({places})"
            database.executemany(made, [astuple(row) for row in rows])


def _selected(path: Path) -> Figures:
    with closing(_connected(path)) as database:
        cursor = database.execute("SELECT rowid, * FROM figures ORDER BY rowid")
        names = [column[0] for column in cursor.description]
        rows: list[Figure] = []
        damaged: list[str] = []
        for number, *values in cursor:
            try:
                rows.append(records.record_of(Figure, dict(zip(names[1:], values, strict=True))))
            except ValueError as error:
                damaged.append(f"{path}:{number}: {error}")
    return Found(tuple(rows), tuple(damaged))
