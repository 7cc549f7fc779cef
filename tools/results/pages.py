"""The tables on a page as data: Markdown between the marks of a command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from finalist.papers.results import Table


def written(tables: Iterable[Table]) -> str:
    """Tables as `results` reads them: a line a row, so that a change of figures is seen line by line."""
    parts = []
    for table in tables:
        rows = ",\n".join(f"   {json.dumps(row, ensure_ascii=False)}" for row in table.rows)
        head = json.dumps(table.header, ensure_ascii=False)
        title = json.dumps(table.title, ensure_ascii=False)
        parts.append(f' {{\n  "title": {title},\n  "header": {head},\n  "rows": [\n{rows}\n  ]\n }}')
    return "[\n" + ",\n".join(parts) + "\n]\n"


def of_page(text: str, marks: Mapping[str, str]) -> list[Table]:
    """The tables of a page between the marks that a command writes; ``marks``: by mark what stands before
    their titles."""
    found = []
    for mark, before in marks.items():
        part = text.split(f"<!-- {mark} -->")[1].split(f"<!-- end of {mark} -->")[0]
        for section in part.split("\n## ")[1:]:
            lines = section.splitlines()
            cells = [
                tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
                for line in lines
                if line.startswith("|")
            ]
            found.append(Table(before + lines[0], cells[0], tuple(cells[2:])))
    return found


def renewed(page: Path, marks: Mapping[str, str]) -> str:
    """The results on a page as `results` reads them."""
    return written(of_page(page.read_text("utf-8"), marks))
