"""Sheets of a paper: on the screen, as JSON, or as the part of a page that a command renews."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from finalist.cli import output, tables
from finalist.papers import ledger
from finalist.report import ledger as report
from finalist.report.sheets import Sheet, page


def show(
    found: Sequence[Sheet],
    renew: Callable[[str], None],
    target: Path | None,
    as_json: bool,
    document: Any = None,
) -> None:
    """``renew``: writes their part of the page ``target``; ``document``: what is said of them as JSON."""
    renew(page(found))
    own = [asdict(sheet) for sheet in found] if document is None else document
    output.show_either(as_json, own, shown(found), target)


def shown(found: Sequence[Sheet]) -> Iterator[RenderableType]:
    """The parts of each, for the screen."""
    return (part for sheet in found for part in tables.of_sheet(sheet))


def show_claims(paper: str, *, as_json: bool) -> None:
    """The claims of a paper and their verdicts, by the results that were kept last."""
    judged = [(claim, ledger.judged(claim)) for claim in ledger.claims(paper)] if as_json else []
    told = [asdict(claim) | {"verdict": found.name, "figures": found.figures} for claim, found in judged]
    output.show_either(as_json, told, tables.of_sheet(report.sheet(paper)))
