"""What notebooks show: tables of names and values, and texts folded away, as HTML."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

#: Lines of a text, and bytes of data, that are shown.
MOST_LINES, MOST_BYTES = 500, 64


def table(title: str, values: Mapping[str, object]) -> str:
    """A table with a row for each value."""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(str(value))}</td></tr>'
        for name, value in values.items()
    )
    return f'<table><caption style="text-align:left">{escape(title)}</caption>{rows}</table>'


def folded(title: str, text: str) -> str:
    """A text that opens on a click; of a long one its beginning."""
    lines = text.splitlines()
    left = len(lines) - MOST_LINES
    shown = "\n".join(lines[:MOST_LINES]) + (f"\n... and {left} lines more" if left > 0 else "")
    return (
        f"<details><summary>{escape(title)}, {len(lines)} lines</summary><pre>{escape(shown)}</pre></details>"
    )


def hexadecimal(data: bytes) -> str:
    """Bytes, of many the first, and how many there are."""
    shown = data[:MOST_BYTES].hex(" ", 4) + (" ..." if len(data) > MOST_BYTES else "")
    return f"{len(data)} bytes" + (f": {shown}" if data else "")
