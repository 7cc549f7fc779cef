"""``finalist report``: all figures on one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from finalist.cli import options, output
from finalist.cli.results import figures_of
from finalist.machines.registry import machine_names
from finalist.measure import bench, store
from finalist.measure.figure import Figure
from finalist.report.page import page, printed
from finalist.report.page.points import gathered
from finalist.report.plots.render import check_library

NAME = "index.html"

Folder = Annotated[
    Path, typer.Option("-o", "--output", help="The folder for the page, made if it is missing.")
]
Own = Annotated[
    bool, typer.Option("--own", help="The figures of this computer as well as those that come along.")
]
File = Annotated[Path | None, typer.Option("--file", help="Only the figures of this results file.")]
Pdf = Annotated[bool, typer.Option("--pdf", help="Also as report.pdf, which Chromium prints.")]
Png = Annotated[bool, typer.Option("--png", help="Also each plot as a PNG of its own.")]


def report(
    target: Folder = Path("report"),
    own: Own = False,
    file: File = None,
    pdf: Pdf = False,
    png: Png = False,
    as_json: options.AsJson = False,
) -> None:
    """Write one page on which all ciphers and machines are compared, and the papers' tables with ours beside.

    It is one file that needs no network: rankings, fronts, spreads, claims and verdicts, each plot with its
    table, each figure with the command that prints its program.
    """
    check_library(NAME)
    if pdf:
        printed.check()
    found = gathered(_rows(own, file), machine_names())
    output.make_folder(target)
    files = {NAME: page.page(found, bench.commit()).encode()}
    if png:
        files |= printed.pictures(found)
    for name, content in files.items():
        output.write(target / name, content)
    if pdf:
        files["report.pdf"] = printed.pdf(target / NAME)
        output.write(target / "report.pdf", files["report.pdf"])
    paths = [str(target / name) for name in files]
    if as_json:
        output.show_json({"files": paths})
    else:
        typer.echo("\n".join(paths))


def _rows(own: bool, file: Path | None) -> Sequence[Figure]:
    """The figures of the page; lines that are damaged are named and passed over. Raises ResultsError."""
    if file is None and not own:
        return store.published()
    found = figures_of(file)
    return found if file else [*store.published(), *found]
