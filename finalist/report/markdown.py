"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Cell = str | int


def table(header: Sequence[str], rows: Iterable[Sequence[Cell]], numbers: int | None = None) -> str:
    """A table, its last ``numbers`` columns (default: all but the first) flush right."""
    right = len(header) - 1 if numbers is None else numbers
    rule = ["---"] * (len(header) - right) + ["---:"] * right
    return "\n".join(map(row, [header, rule, *rows])) + "\n"


def row(cells: Iterable[Cell]) -> str:
    """One row; what is a number gets its thousands set apart."""
    texts = (f"{cell:,}" if isinstance(cell, int) else cell for cell in cells)
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


def bits(width: int) -> str:
    """A number of bits."""
    return "1 bit" if width == 1 else f"{width} bits"
