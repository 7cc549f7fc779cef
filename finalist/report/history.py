"""Sheets of figures that were kept: one run, or two states of Finalist side by side."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.measure.figure import REFUSED, Figure
from finalist.measure.history import Change
from finalist.report.sheets import MARK, Row, Sheet


def of_rows(rows: Sequence[Figure]) -> Sheet:
    """A row a figure."""
    header = ("cipher", "direction", "quantity", "unit", "machine", "schedule", "taken", "commit", "timing")
    numbers = ("key", "bytes", "value", "spread")
    return Sheet("", header + numbers, tuple(map(_line, rows)), len(numbers), _reasons(rows))


def _line(row: Figure) -> Row:
    what = row.cipher, row.operation, row.quantity, row.unit, row.machine, row.schedule
    when = row.date[:16].replace("T", " "), row.commit, row.timing
    return (*what, *when, str(row.key_bits), str(row.data_bytes), _value(row), f"{row.spread:.0%}")


def _value(row: Figure) -> str:
    if row.quantity == REFUSED:
        return "-"
    return f"{row.value:,.4g}" if row.value < 1e4 else f"{row.value:,.0f}"


def _reasons(rows: Sequence[Figure]) -> str:
    """Why there is no figure of what was refused, each reason once."""
    refused = dict.fromkeys(f"{row.cipher} on {row.machine}: {row.refused}." for row in rows if row.refused)
    return " ".join(refused)


def of_changes(found: Sequence[Change], before: str, after: str, threshold: float) -> Sheet:
    """A row a subject, the greatest loss first; what takes longer by more than the threshold is marked."""
    header = ("cipher", "direction", "quantity", "unit", "machine", "key", "bytes", before, after, "ratio")
    ordered = sorted(found, key=lambda one: -one.ratio)
    marks = [MARK if is_slower(one, threshold) else "" for one in ordered]
    lines = tuple((*_told(one), f"{mark}{one.ratio:.3f}") for one, mark in zip(ordered, marks, strict=True))
    note = f"The best of each state; marked is what takes more than {threshold:.0%} more than before."
    return Sheet("", header, lines, 5, note)


def _told(one: Change) -> Row:
    what = one.after.cipher, one.subject.operation, one.subject.quantity, one.after.unit, one.subject.machine
    values = f"{one.before.value:.4g}", f"{one.after.value:.4g}"
    return (*what, str(one.subject.key_bits), str(one.subject.data_bytes), *values)


def is_slower(one: Change, threshold: float) -> bool:
    """Whether the later state takes more by more than the threshold, a fraction."""
    return one.ratio > 1 + threshold
