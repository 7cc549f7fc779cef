"""Schedules that have been found, stored as data: by the digest of the problem, with what is known of them.

``interval`` cycles an iteration; ``bound``: no schedule of this graph has fewer; so a schedule is optimal for
its graph where both are equal, and feasible otherwise. What is read is verified before it is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finalist.errors import DataError
from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.problem import Problem, Schedule
from finalist.isa.schedule.modulo.verify import violations

FORMAT = "finalist modulo schedules 1"


@dataclass(frozen=True, slots=True)
class Stored:
    """A schedule and the greatest lower bound that is known."""

    schedule: Schedule
    bound: int
    #: What it is a schedule of, for whoever reads the file.
    name: str = ""
    #: For how long a shorter one was looked for, where that is to be known.
    seconds: float = 0.0

    @property
    def label(self) -> str:
        """How good it is, as far as that is proved."""
        if self.schedule.interval == self.bound:
            return "optimal for its graph"
        return f"feasible, bound {self.bound}"


def stored(
    problem: Problem, schedule: Schedule, name: str = "", proved: int = 0, *, renamed: bool = False
) -> Stored:
    """A schedule to store. ``proved``: a bound that a solver has proved; ``renamed``: iterations are written
    out. Raises DataError."""
    wrong = violations(problem, schedule, renamed=renamed)
    if wrong:
        raise DataError(f"{name or 'schedule'}: {wrong[0]}")
    return Stored(schedule, max(proved, least_interval(problem)), name)


def entries_of(path: Path, accepted: str, what: str) -> Mapping[str, Any]:
    """What a file has by digest, of a format that is ``accepted``; nothing where there is no such file.
    Raises DataError."""
    if not path.exists():
        return {}
    document = json.loads(path.read_text(encoding="utf-8"))
    if document.get("format") != accepted:
        raise DataError(f"{path.name}: format {document.get('format')!r}; accepted: {accepted!r}")
    found: Mapping[str, Any] = document[what]
    return found


def put_entries(path: Path, form: str, what: str, entries: str) -> None:
    """Write such a file, whole at any time."""
    beside = path.with_suffix(".new")
    beside.write_text(f'{{"format": {json.dumps(form)},\n"{what}": {{\n{entries}\n}}}}\n', encoding="utf-8")
    beside.replace(path)


def read(path: Path) -> dict[str, Stored]:
    """Schedules by digest; none where there is no such file. Raises DataError."""
    return {digest: _read(entry) for digest, entry in entries_of(path, FORMAT, "schedules").items()}


def write(path: Path, schedules: Mapping[str, Stored]) -> None:
    """Writes all schedules, in the order of names; the file is whole at any time."""
    ordered = sorted(schedules.items(), key=lambda item: (item[1].name, item[0]))
    entries = ",\n".join(f" {json.dumps(digest)}: {json.dumps(_written(one))}" for digest, one in ordered)
    put_entries(path, FORMAT, "schedules", entries)


def found(problem: Problem, schedules: Mapping[str, Stored], *, renamed: bool = False) -> Stored | None:
    """The schedule stored for a problem; ``renamed``: its iterations are written out. Raises DataError where
    it breaks a rule."""
    one = schedules.get(problem.digest)
    if one is not None:
        wrong = violations(problem, one.schedule, renamed=renamed)
        if wrong:
            raise DataError(f"the schedule stored for {one.name or problem.digest}: {wrong[0]}")
    return one


def _read(entry: Mapping[str, Any]) -> Stored:
    schedule = Schedule(int(entry["interval"]), tuple(entry["times"]), tuple(entry["choices"]))
    return Stored(schedule, int(entry["bound"]), str(entry["name"]), float(entry.get("seconds", 0)))


def _written(one: Stored) -> dict[str, Any]:
    return {
        "name": one.name,
        "interval": one.schedule.interval,
        "bound": one.bound,
        "status": one.label,
        **({"seconds": one.seconds} if one.seconds else {}),
        "times": list(one.schedule.times),
        "choices": list(one.schedule.choices),
    }
