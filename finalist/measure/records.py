"""Files of JSON lines, one record a line, only ever appended to: figures and trials are kept in such."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import MISSING, asdict, dataclass, fields
from functools import partial
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from finalist.errors import FinalistError, reason

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")


@dataclass(frozen=True)
class Found(Generic[Record]):
    """What a file holds; ``damaged`` names each line that could not be read, and why."""

    rows: tuple[Record, ...]
    damaged: tuple[str, ...]


def state_file(variable: str, name: str) -> Path:
    """The file that the environment's ``variable`` names, else finalist/``name`` in the user's folder for
    state (XDG)."""
    chosen = os.environ.get(variable)
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "finalist" / name


@dataclass(frozen=True)
class Store(Generic[Record]):
    """Where records of a dataclass are kept; ``what`` the file is called in errors, which are ``error``s.

    ``variable``, ``name``: as `state_file` takes them.
    """

    kind: type[Record]
    what: str
    variable: str
    name: str
    error: type[FinalistError]

    def file(self) -> Path:
        """The file that is used where none is named."""
        return state_file(self.variable, self.name)

    def append(self, records: Iterable[Record], path: Path | None = None) -> Path:
        """Add records to the end of the file. Returns its path. Raises the store's error."""
        target = path or self.file()
        try:
            append((asdict(record) for record in records), target)
        except (OSError, ValueError) as error:
            raise self.error(
                f"{self.what} {target} can't be written ({reason(error)}); set {self.variable}"
            ) from error
        return target

    def read(self, path: Path | None = None) -> Found[Record]:
        """All records, and the damaged lines. Raises the store's error where it can't be read at all."""
        target = path or self.file()
        try:
            return read(target, partial(record_of, self.kind))
        except OSError as error:
            raise self.error(
                f"{self.what} {target} can't be read ({reason(error)}); set {self.variable}"
            ) from error


def append(records: Iterable[dict[str, Any]], target: Path) -> None:
    """Add records to the end of the file; all are written in one piece, whoever else writes.

    Raises OSError, or ValueError for a record that JSON has no form for.
    """
    lines = [json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records]
    target.parent.mkdir(parents=True, exist_ok=True)
    # Unbuffered: they are one write, and writes that append do not mix.
    with target.open("ab", buffering=0) as file:
        _write(file.fileno(), target, "".join(lines))


def _write(descriptor: int, path: Path, lines: str) -> None:
    # A line that an earlier writer could not finish (a full disk) must not swallow the first of these.
    data = (b"" if _ends_whole(path) else b"\n") + lines.encode("utf-8")
    if os.write(descriptor, data) != len(data):
        raise OSError("no space is left on the device")


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return True
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def read(target: Path, make: Callable[[Any], Record]) -> Found[Record]:
    """All records of the file, none where there is no file; lines that are damaged are named, not lost.

    ``make`` turns what JSON gives into a record, or raises ValueError. Raises OSError where the file can't
    be read at all.
    """
    try:
        return parsed(target.read_bytes(), str(target), make)
    except FileNotFoundError:
        return Found((), ())


def parsed(data: bytes, name: str, make: Callable[[Any], Record]) -> Found[Record]:
    """The records of a file of this name that holds these bytes; the rest as `read`."""
    rows, damaged = [], []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                rows.append(make(json.loads(line)))
            except (ValueError, RecursionError) as error:
                damaged.append(f"{name}:{number}: {error}")
    return Found(tuple(rows), tuple(damaged))


_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float, int),
    "float | None": (float, int, NoneType),
    "dict[str, float]": (dict,),
}


def record_of(kind: type[Record], document: Any) -> Record:
    """A record of a dataclass from what JSON gives; ValueError names the field that is wrong.

    Unknown fields are passed over; those that have a default may be missing.
    """
    if not isinstance(document, dict):
        raise ValueError(f"{type(document).__name__}; accepted: an object")
    for field in fields(kind):
        if field.name not in document:
            if field.default is not MISSING:
                continue
            raise ValueError(f"{field.name} is missing")
        value = document[field.name]
        if isinstance(value, bool) or not isinstance(value, _TYPES[str(field.type)]):
            raise ValueError(f"{field.name} is {value!r}; accepted: {field.type}")
    had = [field.name for field in fields(kind) if field.name in document]
    return kind(**{name: document[name] for name in had})
