"""The sheets of `finalist paper gladman --choices`: byte order, keyed tables by length of message."""

from __future__ import annotations

from collections.abc import Mapping

from finalist.papers.gladman import MESSAGES
from finalist.papers.gladman_choices import Figures, best, message_cycles
from finalist.report.sheets import Sheet


def byte_order(found: Mapping[str, tuple[float, float]]) -> Sheet:
    """``found``: by cipher the cycles of a block with byte order, and without."""
    rows = tuple(
        (name, f"{ours:.0f}", f"{without:.0f}", f"{100 * (ours / without - 1):+.1f} %")
        for name, (ours, without) in found.items()
    )
    note = (
        "Core cycles of the encryption of a block, 128-bit keys, plain C without vectors, in turns. Left out:"
        " a cipher of the same work whose words lie in memory as this computer has them, as his code took"
        " them; it has reproduced the same vectors with their bytes inverted. The other candidates work on"
        " bytes, or on words as they lie in this computer's memory, and pay nothing."
    )
    return Sheet("Byte order", ("cipher", "as defined", "left out", "cost"), rows, 3, note)


def keyed_tables(name: str, found: Mapping[str, Figures]) -> Sheet:
    """``found``: by the depth of keyed tables the cycles of key set-up and of a block."""
    rows = tuple(
        (depth, *(f"{n:.0f}" for n in (*figures, *(message_cycles(figures, size) for size in MESSAGES))))
        for depth, figures in found.items()
    )
    quickest = ", ".join(f"{depth} for {n:,} bytes" for n, depth in best(found).items())
    note = (
        "Core cycles, 128-bit keys, plain C without vectors, in turns, by how far the functions of the key"
        f" are tabulated (`keyed-tables`); messages with their key set-up. Quickest: {quickest}."
    )
    header = ("keyed-tables", "key set-up", "block", *(f"{n:,} bytes" for n in MESSAGES))
    return Sheet(f"Messages of {name}", header, rows, len(header) - 1, note)
