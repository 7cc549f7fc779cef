"""``finalist paper ptlu``, ``finalist paper additions``."""

from __future__ import annotations

from typing import Annotated

import typer

from finalist.cli import options, output, plots, sheets
from finalist.papers import ptlu as papers
from finalist.report import ptlu as report
from finalist.workers import HERE


def ptlu(
    every: Annotated[bool, typer.Option("--all", help="Also a table of all ciphers; takes minutes.")] = False,
    claims: options.Claims = False,
    target: options.Page = None,
    as_json: Annotated[bool, typer.Option("--json", help="The tables as one JSON document.")] = False,
) -> None:
    """Fiskiran and Lee's tables of 2005 from the simulated machine `plx`, and theirs beside.

    Base cycles, profiles, lookup tables, superscalar machines, parallel table lookup. Every program has just
    reproduced vectors in the simulator.
    """
    if claims:
        sheets.show_claims("ptlu", as_json=as_json)
        return
    renew = output.part_of(target, "finalist paper ptlu")
    found = output.done(papers.measuring(), told=" ".join) if every else None
    sheets.show(list(report.sheets(found)), renew, target, as_json)


def additions(
    cipher: options.CipherNames = None,
    target: options.Page = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """What ciphers gain by instructions, ports, wider words: which should an architect add to `plx`?

    Speed-ups over the base machine beside the area of what is added; for all ciphers it takes minutes.
    """
    renew = output.part_of(target, "finalist paper additions")
    draw = plots.to(plot)
    names = [one.source or one.name() for one in options.ciphers_of(cipher)]
    gains = output.done(papers.gaining(names), at_once=HERE if len(names) == 1 else None)
    points = report.additions(gains)
    draw(lambda: report.additions_plot(points))
    sheets.show([report.which(points)], renew, target, as_json)
