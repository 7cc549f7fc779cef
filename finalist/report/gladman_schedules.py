"""The sheets of `finalist paper gladman --choices` about the best schedule of each length of message."""

from __future__ import annotations

from finalist.papers.gladman_schedules import Places
from finalist.report.sheets import Sheet

_HEADER = ("cipher", "schedule", "place", "cycles", "one for all: place", "cycles", "his place")


def best_by_length(found: Places) -> Sheet:
    """The candidates, quickest first, each by the schedule that is quickest for such a message."""
    rows = tuple(
        (
            one.cipher,
            str(one.schedule),
            str(one.rank),
            f"{one.cycles:.0f}",
            str(one.rank_default),
            f"{one.cycles_default:.0f}",
            str(one.his),
        )
        for one in found.places
    )
    note = (
        "Core cycles of key set-up and encryption, 128-bit keys, plain C without vectors, a block a call, in"
        " turns: each candidate by the quickest of its schedules for this length (the first of those within"
        " 1 % of the least), and beside it by one for all lengths, the default. Rank correlation with his"
        f" order by his table: {found.correlation:.2f}, by one schedule for all"
        f" {found.correlation_default:.2f}."
    )
    return Sheet(f"Messages of {found.data_bytes:,} bytes, each by its best schedule", _HEADER, rows, 5, note)
