"""Plots as files: drawn by Vega (vl-convert), which needs neither a browser nor a network."""

from __future__ import annotations

import json
from html import escape
from importlib.util import find_spec
from pathlib import Path

from finalist.report.plots.style import DARK, PAPER, PlotError, Spec, in_dark

#: What is drawn, by how a file's name ends, and whether a library is needed to draw it.
FORMATS = {".svg": True, ".png": True, ".html": True, ".json": False}
#: How the name of a PNG ends that is drawn for a dark page. The other formats follow the reader's own choice.
DARK_PNG = ".dark.png"
_LIBRARY, _PACKAGE, _EXTRA = "vl_convert", "vl-convert-python", "finalist[plot]"
#: Pixels of a PNG for each of the plot.
_SCALE = 2.0


def check(path: Path) -> None:
    """Raises PlotError where no plot could be drawn to this file, before the work for it is done."""
    if path.suffix.lower() not in FORMATS:
        raise PlotError(f"{path} ends in no format of plots; accepted: {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise PlotError(f"{path} can't be written: there is no folder {path.parent}")
    if path.is_dir():
        raise PlotError(f"{path} is a folder; a plot needs the name of a file")
    check_library(path.name)


def check_library(name: str) -> None:
    """Raises PlotError where a file of this name can't be drawn without a library that is not installed."""
    if FORMATS[Path(name).suffix.lower()] and find_spec(_LIBRARY) is None:
        raise PlotError(f"{name} is drawn by {_PACKAGE}, which is missing: pip install '{_EXTRA}'")


def drawn(spec: Spec, name: str) -> bytes:
    """What a file of this name holds for this plot. `check` has been asked of it."""
    lowered = name.lower()
    if lowered.endswith(".json"):
        return (json.dumps(spec, indent=2, ensure_ascii=False) + "\n").encode()
    if lowered.endswith(".svg"):
        return svg(spec).encode()
    if lowered.endswith(".html"):
        return _html(spec).encode()
    return _png(in_dark(spec) if lowered.endswith(DARK_PNG) else spec)


def svg(spec: Spec) -> str:
    """The plot as an SVG that is light, or dark where the reader's system is."""
    import vl_convert

    head, end, rest = vl_convert.vegalite_to_svg(spec).partition(">")
    return f"{head}{end}<style>{_in_the_dark()}</style>{rest}\n"


def _png(spec: Spec) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_png(spec, scale=_SCALE)


def _html(spec: Spec) -> str:
    """One file with all its scripts: values of marks under the pointer, and a menu to save it."""
    import vl_convert

    title, paper = escape(spec["title"]["text"]), f"body {{ background: {PAPER} }}"
    also = f"body, svg {{ background: {DARK[PAPER]} !important }}\n"
    page = vl_convert.vegalite_to_html({**spec, "usermeta": {"embedOptions": _EMBEDDED}}, bundle=True)
    page = page.replace("<title>Chart</title>", f"<title>{title}</title>", 1)
    return page.replace("</head>", f"<style>{paper}\n{_in_the_dark(also)}</style>\n</head>", 1)


#: The menu of a page can save the plot, and links to no other place.
_EMBEDDED = {
    "renderer": "svg",
    "actions": {"export": True, "source": False, "compiled": False, "editor": False},
}


def _in_the_dark(also: str = "") -> str:
    """Style that gives each colour of a light plot the one that it has on a dark page."""
    rules = "".join(
        f'[fill="{light}"] {{ fill: {dark} }} [stroke="{light}"] {{ stroke: {dark} }}\n'
        for light, dark in DARK.items()
    )
    return f"@media (prefers-color-scheme: dark) {{\n{also}{rules}}}\n"
