"""Figures that are kept, looked up: those that are asked for, the latest of each, two states side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from finalist.measure.figure import REFUSED, Figure


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
    def of(cls, row: Figure) -> Subject:
        """Of a kept figure."""
        what = row.operation, row.key_bits, row.quantity, row.data_bytes
        return cls(row.name, *what, row.machine, row.processor)


@dataclass(frozen=True, slots=True)
class Change:
    """The figures of a subject in two states, in one unit."""

    subject: Subject
    before: Figure
    after: Figure

    @property
    def ratio(self) -> float:
        """How many times as much the later state takes; of rates, how many times as much the earlier gave."""
        before, after = self.before.value, self.after.value
        return before / after if self.after.is_rate else after / before


def asked(rows: Iterable[Figure], **wanted: Sequence[str]) -> list[Figure]:
    """The rows whose fields have one of the values ``wanted``, in the order of the file.

    No values: any. A cipher is also known by its definition, a commit by what it begins with.
    """
    return [row for row in rows if all(_fits(row, name, values) for name, values in wanted.items())]


def _fits(row: Figure, name: str, values: Sequence[str]) -> bool:
    if not values:
        return True
    if name == "cipher":
        return row.cipher in values or row.definition in values
    if name == "commit":
        return any(row.commit.startswith(value) for value in values)
    return str(getattr(row, name)) in values


def latest(rows: Iterable[Figure]) -> list[Figure]:
    """Of each subject under each schedule the row that was taken last, in the order they first came.

    Of several units of one measurement that which is compared.
    """
    found: dict[tuple[Subject, str], Figure] = {}
    for row in rows:
        key = Subject.of(row), row.schedule
        if key not in found or (row.date, -row.rank) >= (found[key].date, -found[key].rank):
            found[key] = row
    return list(found.values())


def changes(before: Iterable[Figure], after: Iterable[Figure]) -> list[Change]:
    """The subjects that both have, the best of each, since noise only ever makes a figure worse.

    Where a measurement has several units, core cycles are compared, else what both states have.
    """
    first, second = _best(before), _best(after)
    return [
        Change(what, first[what][unit], second[what][unit])
        for what in first
        for unit in _compared(first[what], second.get(what, {}))
    ]


def _compared(first: Mapping[str, Figure], second: Mapping[str, Figure]) -> list[str]:
    """The unit that is compared of those that both have, if they have any."""
    both = (unit for unit in first if unit in second)
    return sorted(both, key=lambda unit: first[unit].rank)[:1]


def _best(rows: Iterable[Figure]) -> dict[Subject, dict[str, Figure]]:
    found: dict[Subject, dict[str, Figure]] = {}
    for row in rows:
        if row.value > 0 and row.quantity != REFUSED:
            own = found.setdefault(Subject.of(row), {})
            own[row.unit] = min(own.get(row.unit, row), row, key=_cost)
    return found


def _cost(row: Figure) -> float:
    return -row.value if row.is_rate else row.value
