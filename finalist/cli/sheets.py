"""Sheets of a paper: on the screen, as JSON, or as the part of a page that a command renews."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import typer

from finalist.cli import output, tables
from finalist.report.sheets import Sheet, page


def show(
    found: Sequence[Sheet], renew: Callable[[str], None] | None, target: Path | None, as_json: bool
) -> None:
    """``renew``: writes their part of the page ``target``."""
    if renew is not None:
        renew(page(found))
    if as_json:
        output.show_json([asdict(sheet) for sheet in found])
    elif target is not None:
        typer.echo(target)
    else:
        output.show(part for sheet in found for part in tables.of_sheet(sheet))
