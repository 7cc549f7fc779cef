"""``finalist paper smartcard``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from finalist.cli import options, output, tables
from finalist.report import smartcard as report
from finalist.report.sheets import page


def smartcard(
    target: options.Page = None,
    as_json: Annotated[bool, typer.Option("--json", help="The tables as one JSON document.")] = False,
) -> None:
    """Table 5.4 of the Twofish book (1999) from the simulated card `hc05`, and theirs beside.

    Every program has just reproduced vectors in the simulator. Takes minutes.
    """
    renew = None if target is None else output.part_of(target, "finalist paper smartcard")
    found = list(report.sheets())
    if renew is not None:
        renew(page(found))
    if as_json:
        output.show_json([asdict(sheet) for sheet in found])
    elif target is not None:
        typer.echo(target)
    else:
        output.show(part for sheet in found for part in tables.of_sheet(sheet))
