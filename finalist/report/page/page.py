"""All parts of the page as one HTML file: ``page.html`` with its style, scripts and data put in."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib.resources import files
from string import Template

from finalist.report.page import papers, sections, views
from finalist.report.page.points import Points
from finalist.report.page.views import View
from finalist.report.plots.style import DARK, Spec

_FOLDER = files("finalist.report.page")


def page(found: Points, commit: str) -> str:
    """The page of these programs. Raises ResultError where a study's results are missing."""
    studies, shown = papers.names(), views.every(found)
    specs = {view.name: _spec(view) for view in shown}
    specs |= {name: {"spec": spec} for name, spec in papers.plots_of(studies)}
    data = {"points": [point.record() for point in found.points], "plots": specs}
    dates = sorted({point.first.date[:10] for point in found.points})
    return Template(_text("page.html")).substitute(
        style=_style(),
        ciphers=len({point.cipher for point in found.points}),
        machines=len(found.places),
        programs=len(found.points),
        taken=" to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "never",
        commit=escape(commit),
        links=sections.links(),
        machine_boxes=sections.machine_boxes(found),
        cipher_boxes=sections.cipher_boxes(found),
        directions=sections.directions(),
        sections="\n".join(sections.all_sections(found, shown, studies)),
        # Nothing in it ends the script that it stands in, whatever a definition is called.
        data=json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        library=library(),
        script=_text("page.js"),
    )


@cache
def library() -> str:
    """Vega, Vega-Lite and their embedding, as one script."""
    import vl_convert

    found: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed; window.vega = vega;")
    return found


def _text(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")


def _spec(view: View) -> Spec:
    """A plot as the script takes it: which points it is of, and what they have beside."""
    own: Spec = {"spec": view.spec, "ids": [point.number for point in view.points]}
    return own | ({"more": list(view.more)} if view.more else {})


def _style() -> str:
    """The page's style; each colour of a plot, and of the page, has another in the dark."""
    chosen, by_system = _dark(":root[data-theme=dark]"), _dark(":root:not([data-theme=light])")
    return f"{_text('page.css')}\n{chosen}\n@media (prefers-color-scheme: dark) {{\n{by_system}\n}}"


def _dark(root: str) -> str:
    marks = (
        f'{root} svg [{what}="{light}"] {{ {what}: {dark} }}'
        for light, dark in DARK.items()
        for what in ("fill", "stroke")
    )
    return "\n".join([f"{root} {{ {_text('dark.css').strip()} }}", *marks])
