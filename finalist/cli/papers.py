"""``finalist paper dsp``, ``smartcard``, ``ptlu`` and ``additions``: studies on simulated machines."""

from __future__ import annotations

from typing import Annotated

import typer

from finalist.cli import options, output, plots, sheets
from finalist.papers import dsp as dsp_study
from finalist.papers import ptlu as ptlu_study
from finalist.papers import smartcard as card_study
from finalist.report import dsp as dsp_report
from finalist.report import ptlu as ptlu_report
from finalist.report import smartcard as card_report
from finalist.workers import HERE

TablesAsJson = Annotated[bool, typer.Option("--json", help="The tables as one JSON document.")]


def dsp(
    target: options.Page = None,
    as_json: TablesAsJson = False,
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
    cells = output.done(dsp_study.measuring(), label=" ".join).values()
    sheets.show(list(dsp_report.sheets(cells)), renew, target, as_json)


def smartcard(
    claims: options.Claims = False,
    target: options.Page = None,
    as_json: TablesAsJson = False,
) -> None:
    """A smart card's table of 1999, Table 5.4 of a book, and ours from the simulated card `hc05`.

    Every program has just reproduced vectors in the simulator. Takes minutes; goes on where it was stopped.
    """
    if claims:
        sheets.show_claims("smartcard", as_json=as_json)
        return
    renew = output.part_of(target, "finalist paper smartcard")
    rows = list(card_study.rows(output.done(card_study.measuring()).values()))
    others = {
        which: card_study.entry(one)
        for which, work in card_study.measuring_others()
        for one in output.done(work).values()
    }
    sheets.show(list(card_report.sheets(rows, others)), renew, target, as_json)


def ptlu(
    every: Annotated[bool, typer.Option("--all", help="Also a table of all ciphers; takes minutes.")] = False,
    claims: options.Claims = False,
    target: options.Page = None,
    as_json: TablesAsJson = False,
) -> None:
    """Fiskiran and Lee's tables of 2005 from the simulated machine `plx`, and theirs beside.

    Base cycles, profiles, lookup tables, superscalar machines, parallel table lookup. Every program has just
    reproduced vectors in the simulator.
    """
    if claims:
        sheets.show_claims("ptlu", as_json=as_json)
        return
    renew = output.part_of(target, "finalist paper ptlu")
    found = output.done(ptlu_study.measuring(), label=" ".join) if every else None
    sheets.show(list(ptlu_report.sheets(found)), renew, target, as_json)


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
    gains = output.done(ptlu_study.gaining(names), at_once=HERE if len(names) == 1 else None)
    points = ptlu_report.additions(gains)
    draw(lambda: ptlu_report.additions_plot(points))
    sheets.show([ptlu_report.which(points)], renew, target, as_json)
