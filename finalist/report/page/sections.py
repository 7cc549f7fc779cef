"""The parts of the page as HTML: what can be chosen, and a section of plots and tables for each question."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from inspect import getsource
from sys import modules

from finalist.advice import WANTS, known
from finalist.ciphers import is_path
from finalist.ciphers.catalogue import GROUP_TITLES, GROUPS, built_in, cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.registry import machine as find_machine
from finalist.report.page import papers, tables
from finalist.report.page.points import Points
from finalist.report.page.tables import Cell, Row
from finalist.report.page.views import View


@cache
def _about() -> Mapping[str, Mapping[str, str]]:
    """The title of each section, and what is said of it."""
    text = (files("finalist.report.page") / "sections.json").read_text("utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def title(name: str) -> str:
    """The title of a section."""
    return _about()[name]["title"]


# -- what can be chosen ----------------------------------------------------------------------------------


def links() -> str:
    """A link to each section."""
    return " ".join(f'<a href="#{name}">{escape(one["title"])}</a>' for name, one in _about().items())


def machine_boxes(found: Points) -> str:
    """A box a machine."""
    return "\n".join(_box("checkbox", "machine", place, checked=True) for place in found.places)


def cipher_boxes(found: Points) -> str:
    """A box a cipher, by groups, each of which can be chosen as a whole."""
    groups = {GROUP_TITLES[group]: [n for n in found.ciphers if n in built_in(group)] for group in GROUPS}
    groups["Your own"] = [name for name in found.ciphers if name not in built_in()]
    return "\n".join(_group(title, own) for title, own in groups.items() if own)


def _group(title: str, own: Sequence[str]) -> str:
    boxes = "\n".join(_box("checkbox", "cipher", name, checked=True) for name in own)
    buttons = "".join(
        f'<button type="button" data-all="{mark}" aria-label="{word}: {escape(title)}">{word}</button> '
        for word, mark in (("all", "1"), ("none", ""))
    )
    return f"<fieldset><legend>{escape(title)}</legend>{buttons}\n{boxes}</fieldset>"


def directions() -> str:
    """A button a direction."""
    return "".join(_box("radio", "operation", name, checked=name == OPERATIONS[0]) for name in OPERATIONS)


def _box(kind: str, name: str, value: str, *, checked: bool) -> str:
    own = f'type="{kind}" name="{name}" value="{escape(value)}"{" checked" if checked else ""}'
    return f"<label><input {own}> {escape(value)}</label>"


# -- sections --------------------------------------------------------------------------------------------


def all_sections(found: Points, shown: Sequence[View], studies: Sequence[str]) -> Iterator[str]:
    """All of them, in the order of ``sections.json``."""
    parts = {name: [_figure(view) for view in shown if view.section == name] for name in _about()}
    parts["papers"] = [papers.html(name, papers.element(name)) for name in studies]
    parts["missing"] = [_refused(found), _not_measured(found)]
    parts["definitions"] = [_definition(name) for name in found.ciphers]
    for name, own in parts.items():
        yield _section(name, own)


def _section(name: str, parts: Sequence[str]) -> str:
    about, content = _about()[name], "\n".join(parts)
    head = f'<h2 id="{name}-title">{escape(about["title"])}</h2>\n<p>{escape(about["about"])}</p>'
    return f"""<section id="{name}" aria-labelledby="{name}-title">
{head}
<div class="parts">
{content}
</div></section>"""


def _figure(view: View) -> str:
    """A plot and its table."""
    wants = [want for want in WANTS if any(point.value(want) is not None for point in view.points)]
    own = f' data-machine="{escape(view.machine)}"' if view.machine else ""
    about = f"<p>{escape(find_machine(_machine(view.machine)).summary)}</p>" if view.explained else ""
    rows = tables.of_points(view.title, view.points, wants)
    return f"""<article{own}><h3>{escape(view.title)}</h3>{about}
<div class="plot" id="{view.name}"></div>
{tables.folded(f"Table: {view.title}, {len(view.points)} programs", rows)}</article>"""


def _machine(place: str) -> str:
    """A machine without the processor."""
    return place.split(", ")[0]


def _refused(found: Points) -> str:
    return tables.of_refusals("Refused", found.refusals, lambda name: known(name)[0])


def _not_measured(found: Points) -> str:
    """The ciphers that there is nothing of, by machine, and what measures them."""
    rows = []
    for place in found.places:
        had = {one.cipher for one in found.of(place)}
        had |= {one.cipher for one in found.refusals if one.place == place}
        lacking = [name for name in built_in() if name not in had]
        if lacking:
            command = f"finalist sweep {' '.join(lacking)} --machine {_machine(place)}"
            row = [Cell(place), Cell(", ".join(lacking)), Cell(f"<code>{command}</code>", raw=True)]
            rows.append(Row(row, {"data-machine": place}))
    return tables.table("Not measured", ("machine", "ciphers", "what measures them"), rows)


def _definition(name: str) -> str:
    """The text of a definition; of a user's own where it lies."""
    element = f"code-{escape(name)}"
    if is_path(name):
        return f'<p id="{element}">{escape(name)}: a definition of your own.</p>'
    text = getsource(modules[cipher(name).__module__])
    return tables.folded(name, f"<pre><code>{escape(text)}</code></pre>", element)
