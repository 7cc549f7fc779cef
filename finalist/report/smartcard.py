"""The sheets of `finalist paper smartcard`: Table 5.4 of the Twofish book (1999), ours beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from finalist.papers.load import notes_on
from finalist.papers.smartcard import Entry, Row
from finalist.report.sheets import MARK, Sheet


def sheets(rows: Sequence[Row], found: Mapping[tuple[str, str], Entry]) -> Iterator[Sheet]:
    """All sheets; ``found``: ours of other ciphers, by what they are called and the schedule."""
    yield table(rows)
    yield steps(rows)
    yield others(found)


def table(rows: Sequence[Row]) -> Sheet:
    """Row by row: bytes and clocks, theirs and ours."""
    cells = []
    for row in rows:
        theirs, ours = row.theirs, row.ours
        pairs = [(theirs.key, ours and ours.key), (theirs.ram, ours and ours.ram)]
        pairs += [(theirs.rom, ours and ours.rom), (int(theirs.clocks), ours and round(ours.clocks))]
        verdict = "met" if not row.lacking else MARK + "more " + ", ".join(row.lacking)
        if ours is None:
            verdict = MARK + row.reason
        cells.append((str(row.number), row.schedule, *(f"{a} / {b or '-'}" for a, b in pairs), verdict))
    header = ("row", "schedule", "key memory", "RAM", "code and tables", "clocks", "verdict")
    note = (
        "Bytes, book / ours, for encryption and decryption together; clocks a block, of the slower direction."
    )
    return Sheet("Table 5.4: a cipher on a 6805", header, tuple(cells), 0, note)


def steps(rows: Sequence[Row]) -> Sheet:
    """What each decision gains, by the book and here."""
    cells = []
    for what, before, after, theirs in notes_on("smartcard")["steps"]:
        a, b = rows[before].ours, rows[after].ours
        ours = "-" if a is None or b is None else f"{b.clocks - a.clocks:+.0f}"
        cells.append((what, f"{theirs:+d}", ours))
    return Sheet("What the decisions gain", ("decision", "book", "ours"), tuple(cells), 2, "Clocks a block.")


def others(found: Mapping[tuple[str, str], Entry]) -> Sheet:
    """Other ciphers on small processors: what was published, and ours."""
    cells = [tuple(row) for row in notes_on("smartcard")["anchors"]]
    for (name, text), made in found.items():
        cells.append(
            (name, "hc05", f"{made.clocks:.0f}", str(made.ram), str(made.rom), f"`{text}`, encryption")
        )
    header = ("cipher", "processor", "clocks", "RAM", "code and tables", "source")
    return Sheet(
        "Other ciphers", header, tuple(cells), 0, "Published figures, with how sure each is, and ours."
    )
