"""``finalist paper smartcard``."""

from __future__ import annotations

from typing import Annotated

import typer

from finalist.cli import options, output, sheets
from finalist.papers import smartcard as papers
from finalist.report import smartcard as report


def smartcard(
    claims: options.Claims = False,
    target: options.Page = None,
    as_json: Annotated[bool, typer.Option("--json", help="The tables as one JSON document.")] = False,
) -> None:
    """A smart card's table of 1999, Table 5.4 of a book, and ours from the simulated card `hc05`.

    Every program has just reproduced vectors in the simulator. Takes minutes; goes on where it was stopped.
    """
    if claims:
        sheets.show_claims("smartcard", as_json=as_json)
        return
    renew = output.part_of(target, "finalist paper smartcard")
    rows = list(papers.rows(output.done(papers.measuring()).values()))
    others = {
        which: papers.entry(one)
        for which, work in papers.measuring_others()
        for one in output.done(work).values()
    }
    sheets.show(list(report.sheets(rows, others)), renew, target, as_json)
