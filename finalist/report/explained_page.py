"""``finalist explain`` as a page: every pass, what it changed, a round drawn and the graph after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from finalist.ir.graph import Graph
from finalist.ir.printer import format_graph
from finalist.notebook import folded
from finalist.report.diagrams.boxes import LEGEND, of_round
from finalist.report.diagrams.svg import DARK, LIGHT, RULES, svg
from finalist.report.explained import Stage

_STYLE = (
    f"""
:root {{ color-scheme: light dark; {LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}
{RULES}
"""
    """body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 1rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { padding: .2rem .7rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } tr { border-bottom: 1px solid var(--line); }
pre { overflow-x: auto; font-size: 12px; line-height: 1.35; }
section { border-top: 1px solid var(--line); margin-top: 1.5rem; } .file { opacity: .7; }
"""
)
_COLUMNS = ("operations", "critical path", "blocks a call", "tables, bytes", "expanded key, bytes")


def page(title: str, schedule: str, passed: Sequence[Stage]) -> str:
    """The page, complete in itself. ``passed``: from the traced program on."""
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>schedule: {escape(schedule)}</p>",
        *_table(passed),
        f"<p>{LEGEND}</p>",
    ]
    for stage in passed:
        if stage.changed:
            body += _section(stage)
    text = "\n".join(body)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n"
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{text}\n</body>\n</html>\n"
    )


def _table(passed: Iterable[Stage]) -> Iterator[str]:
    """A row for each pass; those that changed something lead to it."""
    head = "".join(f"<th>{one}</th>" for one in ("pass", "key schedule", *_COLUMNS))
    yield f'<div class="wide"><table><tr>{head}</tr>'
    for stage in passed:
        size = stage.size
        cells = (
            size.key_schedule,
            size.kernel,
            size.critical_path,
            size.blocks,
            size.tables,
            size.expanded_key,
        )
        name = escape(stage.name)
        link = (
            f'<a href="#{_anchor(stage)}">{name}</a>'
            if stage.changed
            else f'<span class="file">{name}, no change</span>'
        )
        yield f"<tr><td>{link}</td>{''.join(f'<td>{cell:,}</td>' for cell in cells)}</tr>"
    yield "</table></div>"


def _section(stage: Stage) -> Iterator[str]:
    yield f'<section id="{_anchor(stage)}"><h2>{escape(stage.name)}</h2>'
    yield f'<p>{escape(stage.summary)} <span class="file">{escape(stage.file)}</span></p>'
    yield from _drawn(stage.program.kernel)
    yield folded("the kernel", format_graph(stage.program.kernel))
    yield folded("the key schedule", format_graph(stage.program.expand))
    yield "</section>"


def _drawn(kernel: Graph) -> Iterator[str]:
    diagram = of_round(kernel)
    if diagram:
        yield f'<p>{escape(diagram.title)}</p><div class="wide">{svg(diagram)}</div>'
    else:
        yield "<p>More in a round than can be drawn.</p>"


def _anchor(stage: Stage) -> str:
    return "pass-" + "".join(c if c.isalnum() else "-" for c in stage.name)
