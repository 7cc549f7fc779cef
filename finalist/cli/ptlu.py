"""``finalist paper ptlu``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from finalist.cli import output, tables
from finalist.cli.papers import paper
from finalist.report import ptlu as report
from finalist.report.sheets import page


@paper.command()
def ptlu(
    every: Annotated[bool, typer.Option("--all", help="Also a table of all ciphers; takes minutes.")] = False,
    target: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="A Markdown page: made, or its part from this command renewed."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The tables as one JSON document.")] = False,
) -> None:
    """Fiskiran and Lee's tables of 2005 from the simulated machine `plx`, and theirs beside.

    Base cycles, profiles, lookup tables, superscalar machines, parallel table lookup. Every program has just
    reproduced vectors in the simulator.
    """
    renew = None if target is None else output.part_of(target, "finalist paper ptlu")
    found = list(report.sheets(every))
    if renew is not None:
        renew(page(found))
    if as_json:
        output.show_json([asdict(sheet) for sheet in found])
    elif target is not None:
        typer.echo(target)
    else:
        output.show(part for sheet in found for part in tables.of_sheet(sheet))
