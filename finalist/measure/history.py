"""Figures that are kept, looked up: those that are asked for, the latest of each, two states side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from finalist.measure.results import Row


@dataclass(frozen=True, slots=True)
class Subject:
    """What a figure is of: two figures of one subject may be held against each other.

    ``definition``: as `finalist.ciphers.catalogue.identity` says it, so that two ciphers of one name stay
    apart. The schedule is none of it: another one that is quicker is what a user gets.
    """

    definition: str
    operation: str
    key_bits: int
    quantity: str
    data_bytes: int
    machine: str
    processor: str

    @classmethod
    def of(cls, row: Row) -> Subject:
        """Of a kept figure; rows of old files have no definition but the cipher's name."""
        name = row.definition or row.cipher
        what = row.operation, row.key_bits, row.quantity, row.data_bytes
        return cls(name, *what, row.machine, row.processor)


@dataclass(frozen=True, slots=True)
class Change:
    """The figures of a subject in two states."""

    subject: Subject
    before: Row
    after: Row

    @property
    def ratio(self) -> float:
        """How many times as many core cycles the later state takes; ticks, where those are not known."""
        if self.before.core_cycles and self.after.core_cycles:
            return self.after.core_cycles / self.before.core_cycles
        return self.after.ticks / self.before.ticks


def asked(rows: Iterable[Row], **wanted: Sequence[str]) -> list[Row]:
    """The rows whose fields have one of the values ``wanted``, in the order of the file.

    No values: any. A cipher is also known by its definition, a commit by what it begins with.
    """
    return [row for row in rows if all(_fits(row, name, values) for name, values in wanted.items())]


def _fits(row: Row, name: str, values: Sequence[str]) -> bool:
    if not values:
        return True
    if name == "cipher":
        return row.cipher in values or row.definition in values
    if name == "commit":
        return any(row.commit.startswith(value) for value in values)
    return str(getattr(row, name)) in values


def latest(rows: Iterable[Row]) -> list[Row]:
    """Of each subject under each schedule the row that was taken last, in the order they first came."""
    found: dict[tuple[Subject, str], Row] = {}
    for row in rows:
        key = Subject.of(row), row.schedule
        if key not in found or row.date >= found[key].date:
            found[key] = row
    return list(found.values())


def changes(before: Iterable[Row], after: Iterable[Row]) -> list[Change]:
    """The subjects that both have, the least of each: noise only ever adds to a time."""
    first, second = _least(before), _least(after)
    return [Change(what, first[what], second[what]) for what in first if what in second]


def _least(rows: Iterable[Row]) -> dict[Subject, Row]:
    found: dict[Subject, Row] = {}
    for row in rows:
        what = Subject.of(row)
        if row.ticks > 0 and (what not in found or row.ticks < found[what].ticks):
            found[what] = row
    return found
