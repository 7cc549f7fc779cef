"""The page as a PDF, by a browser that is there, and its plots as pictures."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

from finalist.papers.load import paper
from finalist.report.page import papers, sections, views
from finalist.report.page.points import Points
from finalist.report.plots import render
from finalist.report.plots.style import PAPER, PlotError, Spec

#: What browsers that print without a screen are called.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: Milliseconds of the page's own time that a browser lets pass before it prints, and seconds of ours at most.
_DRAWING, _PATIENCE = 20_000, 900
#: Letters of a line below a plot's title.
_LINE = 90


def browser() -> str:
    """The path of a browser. Raises PlotError where there is none."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise PlotError(f"a PDF is printed by Chromium, which is missing; looked for: {', '.join(BROWSERS)}")
    return found


def check() -> None:
    """Raises PlotError where no PDF could be printed, before the work for it is done."""
    browser()


def pdf(page: Path) -> bytes:
    """The page as a PDF. Raises PlotError where the browser fails."""
    with TemporaryDirectory(prefix="finalist-") as folder:
        target = Path(folder) / "page.pdf"
        command = [
            browser(),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--virtual-time-budget={_DRAWING}",
            f"--print-to-pdf={target}",
            f"{page.resolve().as_uri()}#print",
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE)
            return target.read_bytes()
        except (subprocess.SubprocessError, OSError) as error:
            raise PlotError(f"{command[0]} printed no PDF of {page}: {error}") from error


def pictures(found: Points) -> dict[str, bytes]:
    """The plots as PNG, by the names of their files."""
    return {f"{name}.png": render.drawn(spec, f"{name}.png") for name, spec in plots(found)}


def plots(found: Points) -> Iterator[tuple[str, Spec]]:
    """The plots as they are outside of the page: each by its element's name, with a title of its own."""
    for view in views.every(found):
        yield view.name, _titled(view.drawn(), sections.title(view.section), view.title)
    for name, (element, spec) in zip(papers.names(), papers.plots_of(papers.names()), strict=True):
        about = f"{paper(name)['paper']}: ours by theirs"
        yield element, _titled({**spec, "width": 640}, sections.title("papers"), about)


def _titled(spec: Spec, title: str, about: str) -> Spec:
    head = {"text": title, "subtitle": wrap(about, _LINE), "anchor": "start"}
    return {**spec, "background": PAPER, "title": head}
