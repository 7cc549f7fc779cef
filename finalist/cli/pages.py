"""The command that writes pages about ciphers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from finalist import workers
from finalist.ciphers.catalogue import GROUPS, Reference, reference
from finalist.cli import options, output
from finalist.report import pages as report
from finalist.report.pages import Told
from finalist.report.plots.render import check_library


def pages(
    cipher: options.CipherNames = None,
    target: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="A folder, made if it is missing; else the screen."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Write a page about each cipher: what is known of it, and its operations counted.

    With all built-in ciphers also a page that lists them.
    """
    drawn = cipher is None and (target is not None or as_json)
    if drawn:
        check_library(report.PICTURE)
    found = options.ciphers_of(cipher or list(GROUPS))  # errors come before any work
    with output.progress(len(found)) as step:
        told = []
        for one, page in zip(found, _told([reference(one) for one in found]), strict=True):
            step(one.name())
            told.append(page)
    files = report.files(told) if cipher is None else {f"{one.name}.md": one.page for one in told}
    _hand_out(files | (report.picture(told) if drawn else {}), target, as_json)


def _told(found: Sequence[Reference]) -> Iterator[Told]:
    """Each cipher's in turn; several are worked on at a time."""
    if len(found) == 1:
        yield _tell(found[0])
        return
    with workers.processes() as pool:
        yield from pool.map(_tell, found)


def _tell(found: Reference) -> Told:
    return report.tell(found.load())


def _hand_out(files: dict[str, str], folder: Path | None, as_json: bool) -> None:
    if folder is not None:
        written = [_write(folder, name, text) for name, text in files.items()]
        text = "\n".join(map(str, written))
    else:
        text = "\n".join(files.values()).removesuffix("\n")
    if as_json:
        output.show_json(files if folder is None else {"files": [str(path) for path in written]})
    else:
        typer.echo(text)


def _write(folder: Path, name: str, text: str) -> Path:
    output.make_folder(folder)
    stem, _, suffix = name.rpartition(".")
    path = output.file_in(folder, stem, f".{suffix}")
    output.write(path, text)
    return path
