"""``finalist paper dsp``."""

from __future__ import annotations

from typing import Annotated

import typer

from finalist.cli import options, output, sheets
from finalist.papers import dsp as papers
from finalist.report import dsp as report


def dsp(
    target: options.Page = None,
    as_json: Annotated[bool, typer.Option("--json", help="The tables as one JSON document.")] = False,
    claims: options.Claims = False,
) -> None:
    """The DSP study of the finalists, Tables 1 to 3, beside the simulated machines `c62x` and `c64x`.

    Every program has just reproduced vectors in the simulator. Takes minutes; schedules that were found are
    kept, so that it may be stopped at any time, and goes on.
    """
    if claims:
        sheets.show_claims("dsp", as_json=as_json)
        return
    renew = output.part_of(target, "finalist paper dsp")
    cells = output.done(papers.measuring(), told=" ".join).values()
    sheets.show(list(report.sheets(cells)), renew, target, as_json)
