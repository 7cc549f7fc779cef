"""Sheets: tables with a title and a word on them, which become Markdown or a table on the screen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from finalist.report import markdown

Row = tuple[str, ...]
#: What a cell begins with that is not as it should be.
MARK = "🔴 "


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table; its last ``numbers`` columns are numbers. ``note`` stands below the title.

    What begins with ``MARK`` is not as it should be: red on the screen.
    """

    title: str
    header: Row
    rows: tuple[Row, ...]
    numbers: int
    note: str = ""

    def to_markdown(self) -> str:
        """The sheet as a section of a page."""
        title = f"## {self.title}" if self.title else ""
        parts = [title, self.note, markdown.table(self.header, self.rows, self.numbers)]
        return "\n\n".join(part.rstrip() for part in parts if part) + "\n"


def page(sheets: Iterable[Sheet]) -> str:
    """All sheets, one after the other."""
    return "\n".join(sheet.to_markdown() for sheet in sheets).rstrip()
