"""The page as a PDF, by a browser that is there, and its plots as pictures."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from finalist.report.page import papers, views
from finalist.report.page.points import Points
from finalist.report.plots import render
from finalist.report.plots.style import PAPER, PlotError, Spec

#: What browsers that print without a screen are called.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: Milliseconds of the page's own time that a browser lets pass before it prints, and seconds of ours at most.
_DRAWING, _PATIENCE = 20_000, 180


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
    return {
        f"{name}.png": render.drawn({**spec, "background": PAPER}, f"{name}.png")
        for name, spec in _plots(found)
    }


def _plots(found: Points) -> Iterable[tuple[str, Spec]]:
    for view in views.every(found):
        yield view.name, view.drawn()
    for name, spec in papers.plots_of(papers.names()):
        yield name, {**spec, "width": 640}
