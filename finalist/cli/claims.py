"""``finalist paper NAME --claims``."""

from __future__ import annotations

from dataclasses import asdict

from finalist.cli import output, tables
from finalist.papers import ledger
from finalist.report import ledger as report


def show(paper: str, *, as_json: bool) -> None:
    """The claims of a paper and their verdicts, by the results that were kept last."""
    if as_json:
        judged = [(claim, ledger.judged(claim)) for claim in ledger.claims(paper)]
        output.show_json(
            [asdict(claim) | {"verdict": found.name, "figures": found.figures} for claim, found in judged]
        )
    else:
        output.show(tables.of_sheet(report.sheet(paper)))
