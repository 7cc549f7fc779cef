"""Sheets of figures that were kept: one run, or two states of Finalist side by side."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.measure.history import Change
from finalist.measure.results import Row
from finalist.report.sheets import MARK, Sheet
from finalist.report.sheets import Row as Line


def of_rows(rows: Sequence[Row]) -> Sheet:
    """A row a figure."""
    header = ("cipher", "direction", "quantity", "machine", "schedule", "taken", "commit", "timing")
    numbers = ("key", "bytes", "cycles", "ticks", "Mbit/s", "spread")
    note = "Cycles of the core and ticks of the clock are per byte, or for a key or a block per call."
    return Sheet("", header + numbers, tuple(map(_line, rows)), len(numbers), note)


def _line(row: Row) -> Line:
    rate = "-" if row.mbit_per_s is None else f"{row.mbit_per_s:.0f}"
    what = row.cipher, row.operation, row.quantity, row.machine, row.schedule
    when = row.date[:16].replace("T", " "), row.commit, row.timing
    cost = f"{row.core_cycles:.4g}", f"{row.ticks:.4g}", rate, f"{row.spread:.0%}"
    return (*what, *when, str(row.key_bits), str(row.data_bytes), *cost)


def of_changes(found: Sequence[Change], before: str, after: str, threshold: float) -> Sheet:
    """A row a subject, the greatest loss first; what takes longer by more than the threshold is marked."""
    header = ("cipher", "direction", "quantity", "machine", "key", "bytes", before, after, "ratio")
    ordered = sorted(found, key=lambda one: -one.ratio)
    lines = tuple((*_told(one), _marked(one, threshold)) for one in ordered)
    note = f"Core cycles, the least of each state; marked is what takes more than {threshold:.0%} longer."
    return Sheet("", header, lines, 5, note)


def _told(one: Change) -> Line:
    what = one.after.cipher, one.subject.operation, one.subject.quantity, one.subject.machine
    cycles = f"{one.before.core_cycles:.4g}", f"{one.after.core_cycles:.4g}"
    return (*what, str(one.subject.key_bits), str(one.subject.data_bytes), *cycles)


def is_slower(one: Change, threshold: float) -> bool:
    """Whether the later state takes longer by more than the threshold, a fraction."""
    return one.ratio > 1 + threshold


def _marked(one: Change, threshold: float) -> str:
    return f"{MARK if is_slower(one, threshold) else ''}{one.ratio:.3f}"
